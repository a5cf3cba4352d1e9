export const Financeiro = () => null;
