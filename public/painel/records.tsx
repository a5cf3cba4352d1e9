import type { List } from "./links.ts";

export const Records = (_: { list: List }) => null;
