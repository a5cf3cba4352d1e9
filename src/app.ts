import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono } from "hono";
import type { MergeSchemaPath, Schema } from "hono/types";
import { getPath } from "hono/utils/url";
import type { AppEnv } from "./core/context.ts";
import { v1 } from "./v1/index.ts";

type Routes = OpenAPIHono<AppEnv>;

/** The routes of the OpenAPI document. Each is loaded by the first request to it, which keeps cold starts short. */
const DOCUMENTED = {
  "/health": async () => (await import("./health/routes.ts")).health,
  "/auth": async () => (await import("./auth/routes.ts")).auth,
  ...v1,
  "/openapi.yaml": async () => (await import("./docs/routes.ts")).openapi(allRoutes),
  "/llms.txt": async () => (await import("./docs/routes.ts")).llms(allRoutes),
};

const allRoutes = async (): Promise<Routes> => {
  const { createRouter } = await import("./http/router.ts");
  const all = createRouter();
  for (const [path, load] of Object.entries(DOCUMENTED)) all.route(path, await load());
  return all;
};

const NOT_FOUND = "*";

const SERVED: Record<string, () => Promise<Hono<AppEnv>>> = {
  ...DOCUMENTED,
  "/mcp": async () => (await import("./mcp/routes.ts")).mcp(allRoutes),
  "/docs": async () => (await import("./pages/routes.ts")).docsRoutes,
  "/painel": async () => (await import("./pages/routes.ts")).painelRoutes,
  "/assets": async () => (await import("./pages/routes.ts")).assetsRoutes,
  [NOT_FOUND]: async () => (await import("./http/router.ts")).createRouter(),
};

// Cache apps, not promises: a promise belongs to the request that created it.
const apps = new Map<string, Hono<AppEnv>>();

const appFor = async (path: string): Promise<Hono<AppEnv>> => {
  const [prefix = ""] = /^\/(?:v1\/)?[^/]+/.exec(path) ?? [];
  const name = Object.hasOwn(SERVED, prefix) ? prefix : NOT_FOUND;
  const known = apps.get(name);
  if (known !== undefined) return known;
  const { serve } = await import("./middleware.ts");
  const load = SERVED[name] as () => Promise<Hono<AppEnv>>;
  const app = serve(name, await load());
  apps.set(name, app);
  return app;
};

export const app = {
  fetch: async (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> =>
    (await appFor(getPath(request))).fetch(request, env, ctx),
};

// One function per prefix: the inferred parameter of their union is the intersection of all schemas.
type Mounted = {
  [Path in keyof typeof DOCUMENTED]: (typeof DOCUMENTED)[Path] extends () => Promise<
    OpenAPIHono<AppEnv, infer Schemas>
  >
    ? (schema: MergeSchemaPath<Schemas, Path>) => void
    : never;
};

/** The type for a TypeScript client: `hc<App>(baseUrl)`. */
export type App = Mounted[keyof Mounted] extends (schema: infer All) => void
  ? OpenAPIHono<AppEnv, All extends Schema ? All : never>
  : never;
