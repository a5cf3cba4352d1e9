import type { OpenAPIHono } from "@hono/zod-openapi";
import type { MergeSchemaPath, Schema } from "hono/types";
import { getPath } from "hono/utils/url";
import type { AppEnv } from "./ground/context.ts";
import { v1 } from "./v1/index.ts";

/**
 * Where the routes are. Each entry's code runs when it is first asked for: what a cold isolate answers waits for the
 * schemas of one resource and not of all.
 */
const MOUNTS = {
  "/health": async () => (await import("./health/routes.ts")).health,
  "/auth": async () => (await import("./auth/routes.ts")).auth,
  ...v1,
};

/** All routes in one, as the document tells of them. */
const everything = async () => {
  const { createRouter } = await import("./http/router.ts");
  const all = createRouter();
  for (const [path, load] of Object.entries(MOUNTS)) all.route(path, await load());
  return all;
};

/** What loads the routes of a path: each by itself, and what is made of all. */
const LOADERS = {
  ...MOUNTS,
  "/mcp": async () => (await import("./mcp/routes.ts")).mcp(everything),
  /** Descriptions, and paths that are none. */
  "/": async () => (await import("./docs/routes.ts")).describe(everything),
};

// Apps and not promises of them: what one request has begun to load, no other waits for.
const loaded = new Map<string, OpenAPIHono<AppEnv>>();

const serverOf = async (path: string): Promise<OpenAPIHono<AppEnv>> => {
  const [name = ""] = /^\/(?:v1\/)?[^/]+/.exec(path) ?? [];
  const at = Object.hasOwn(LOADERS, name) ? (name as keyof typeof LOADERS) : "/";
  const known = loaded.get(at);
  if (known !== undefined) return known;
  const { serve } = await import("./middleware.ts");
  const server = serve(at, await LOADERS[at]());
  loaded.set(at, server);
  return server;
};

export const app = {
  fetch: async (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> =>
    (await serverOf(getPath(request))).fetch(request, env, ctx),
};

type Mounted = {
  [Path in keyof typeof MOUNTS]: (typeof MOUNTS)[Path] extends () => Promise<
    OpenAPIHono<AppEnv, infer Routes>
  >
    ? (schema: MergeSchemaPath<Routes, Path>) => void
    : never;
};

/** The routes and their types, for a client in TypeScript: `hc<App>(baseUrl)`. */
export type App = Mounted[keyof Mounted] extends (schema: infer All) => void
  ? OpenAPIHono<AppEnv, All extends Schema ? All : never>
  : never;
