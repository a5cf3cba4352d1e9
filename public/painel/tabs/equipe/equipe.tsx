export const Equipe = () => null;
