import type { Context, Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { Refusal } from "./errors.ts";
import type { AppEnv } from "./router.ts";

/** Answers what no route matched: 405 with `Allow` where the path has other methods, else 404 (E1). */
export const unknownRoute = (app: Hono<AppEnv>) => {
  const methods = new TrieRouter<string>();
  for (const { path, method } of app.routes) {
    if (method !== "ALL") methods.add("ALL", path, method);
  }
  return (c: Context<AppEnv>): never => {
    const allowed = new Set(methods.match("ALL", c.req.path)[0].map(([method]) => method));
    if (allowed.size === 0)
      throw new Refusal(404, "There is nothing at this path. GET /llms.txt lists the paths.");
    if (allowed.has("GET")) allowed.add("HEAD");
    const list = [...allowed, "OPTIONS"].join(", ");
    throw new Refusal(405, `${c.req.method} is not possible here. This path has ${list}.`, { Allow: list });
  };
};
