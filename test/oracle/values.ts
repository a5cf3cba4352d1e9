/** A day of Brasília, so many days from today. */
export const dayFromToday = (days: number) =>
  new Date(Date.now() + days * 86_400_000).toLocaleDateString("sv", { timeZone: "America/Sao_Paulo" });

/** Two texts with the same first 200 characters (code points), and one that differs in the last of them. */
const LONG_PREFIX = `${"é💇".repeat(99)}é`;
export const LONG_TEXTS = [`${LONG_PREFIX}aa`, `${LONG_PREFIX}ab`, `${LONG_PREFIX}b`];

/** Ids of clients, some with characters that SQL and URLs treat specially. */
export const CLIENTS = ["C1", "C2", 'O\'Neil "%_\\" é'];
