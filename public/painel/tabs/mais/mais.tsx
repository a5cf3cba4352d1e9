export const Mais = () => null;
