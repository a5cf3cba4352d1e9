import type { Context } from "hono";
import { Refusal } from "../ground/errors.ts";
import { refuse } from "./errors.ts";

/**
 * Nothing is at this path (E1). Answered and not thrown: what Hono's own middleware then finds to be a path with other
 * methods must not look like a refusal of ours.
 */
export const unknownPath = (c: Context): Response =>
  refuse(c, 404, "There is nothing at this path. GET /llms.txt lists the paths.");

/** The path has other methods: 405 with `Allow` (E1). @param methods those of the routes, HEAD among them */
export const wrongMethod = (c: Context, methods: string[]): never => {
  const list = [...methods, "OPTIONS"].join(", ");
  throw new Refusal(405, `${c.req.method} is not possible here. This path has ${list}.`, { Allow: list });
};
