/** The cache that holds the page, its files and the last picture. */
export const SHELL_CACHE = "painel";
