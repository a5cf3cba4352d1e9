export const Unidades = () => null;
