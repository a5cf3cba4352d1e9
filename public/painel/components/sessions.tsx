export const Sessions = () => null;
