import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Hono } from "hono";
import type { MergeSchemaPath, Schema } from "hono/types";
import { getPath } from "hono/utils/url";
import type { AppEnv } from "./core/context.ts";
import { type Mount, mountOf } from "./core/policies.ts";

type Routes = OpenAPIHono<AppEnv>;

/** The routes of the OpenAPI document. Each module loads on its first request, so cold starts are short. */
const DOCUMENTED_ROUTES = {
  "/health": async () => (await import("./api/health/routes.ts")).health,
  "/auth": async () => (await import("./access/auth/routes.ts")).auth,
  "/v1/transacoes": async () => (await import("./api/v1/transacoes/routes.ts")).transacoesRoutes,
  "/v1/lancamentos": async () => (await import("./api/v1/lancamentos/routes.ts")).lancamentosRoutes,
  "/v1/pagamentos-erp": async () => (await import("./api/v1/pagamentos-erp/routes.ts")).pagamentosErpRoutes,
  "/v1/profissionais": async () => (await import("./api/v1/profissionais/routes.ts")).profissionaisRoutes,
  "/v1/estabelecimentos": async () =>
    (await import("./api/v1/estabelecimentos/routes.ts")).estabelecimentosRoutes,
  "/v1/produtos": async () => (await import("./api/v1/produtos/routes.ts")).produtosRoutes,
  "/v1/vendas-produto": async () => (await import("./api/v1/vendas-produto/routes.ts")).vendasProdutoRoutes,
  "/v1/jobs-log": async () => (await import("./api/v1/jobs-log/routes.ts")).jobsLogRoutes,
  "/v1/relatorios": async () => (await import("./api/v1/relatorios/routes.ts")).relatoriosRoutes,
  "/v1/frescor": async () => (await import("./api/v1/frescor/routes.ts")).frescorRoutes,
  "/v1/fechamentos": async () => (await import("./api/v1/fechamentos/routes.ts")).fechamentosRoutes,
  "/v1/alteracoes": async () => (await import("./api/v1/alteracoes/routes.ts")).alteracoesRoutes,
  "/operations": async () => (await import("./extensions/watch/routes.ts")).operations,
  "/openapi.yaml": async () => (await import("./api/openapi/routes.ts")).openapi(allRoutes),
  "/llms.txt": async () => (await import("./api/openapi/routes.ts")).llms(allRoutes),
} satisfies { [Path in Mount]?: () => Promise<Routes> };

const allRoutes = async (): Promise<Routes> => {
  const { createRouter } = await import("./platform/http/router.ts");
  const router = createRouter();
  for (const [path, load] of Object.entries(DOCUMENTED_ROUTES)) router.route(path, await load());
  return router;
};

/** For paths that do not exist: each request is a 404. */
const noRoutes = async () => (await import("./platform/http/router.ts")).createRouter();

/** The routes of each mount. They load on the first request. */
const ROUTES: Record<Mount, () => Promise<Hono<AppEnv>>> = {
  ...DOCUMENTED_ROUTES,
  "/mcp": async () => (await import("./extensions/mcp/routes.ts")).mcp(allRoutes),
  "/docs": async () => (await import("./extensions/pages/routes.ts")).docsRoutes,
  "/painel": async () => (await import("./extensions/pages/routes.ts")).painelRoutes,
  "/oauth": async () => (await import("./access/oauth/routes.ts")).oauth,
  "/.well-known": async () => {
    const { wellKnownRoutes } = await import("./extensions/pages/discovery.ts");
    const { metadataRoutes } = await import("./access/oauth/metadata.ts");
    const { createRouter } = await import("./platform/http/router.ts");
    return createRouter().route("/", wellKnownRoutes).route("/", metadataRoutes);
  },
  "/": async () => (await import("./extensions/pages/discovery.ts")).rootRoutes,
  "/v1": noRoutes,
  "*": noRoutes,
};

// Cache apps, not promises: a promise belongs to the request that created it.
const apps = new Map<Mount, Hono<AppEnv>>();

const appFor = async (path: string): Promise<Hono<AppEnv>> => {
  const mount = mountOf(path);
  const cached = apps.get(mount);
  if (cached !== undefined) return cached;
  const { createApp } = await import("./middleware.ts");
  const app = createApp(mount, await ROUTES[mount]());
  apps.set(mount, app);
  return app;
};

export const app = {
  fetch: async (request: Request, env: Env, ctx: ExecutionContext): Promise<Response> =>
    (await appFor(getPath(request))).fetch(request, env, ctx),
  scheduled: async ({ scheduledTime }: ScheduledController, env: Env): Promise<void> =>
    (await import("./extensions/watch/scheduled.ts")).runScheduled(env, scheduledTime),
};

// One function per prefix: the inferred parameter of their union is the intersection of all schemas.
type Mounted = {
  [Path in keyof typeof DOCUMENTED_ROUTES]: (typeof DOCUMENTED_ROUTES)[Path] extends () => Promise<
    OpenAPIHono<AppEnv, infer Schemas>
  >
    ? (schema: MergeSchemaPath<Schemas, Path>) => void
    : never;
};

/** The type for a TypeScript client: `hc<App>(baseUrl)`. */
export type App = Mounted[keyof Mounted] extends (schema: infer All) => void
  ? OpenAPIHono<AppEnv, All extends Schema ? All : never>
  : never;
