/** Ids of clients, some with characters that SQL and URLs treat specially. */
export const CLIENTS = ["C1", "C2", 'O\'Neil "%_\\" é'];
