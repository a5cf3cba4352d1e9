import { createMiddleware } from "hono/factory";
import { setMetric, timing } from "hono/timing";
import { identify } from "./auth/bearer.ts";
import { auth } from "./auth/routes.ts";
import { openDatabase } from "./db/connect.ts";
import { describe } from "./docs/routes.ts";
import { health } from "./health/routes.ts";
import { smallBody } from "./http/body-limit.ts";
import { cors } from "./http/cors.ts";
import { onError } from "./http/errors.ts";
import { log } from "./http/log.ts";
import { startRequest } from "./http/request.ts";
import { type AppEnv, createRouter } from "./http/router.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { unknownRoute } from "./http/unknown.ts";
import { shortUrl } from "./http/url-limit.ts";
import { limits } from "./limits/middleware.ts";
import { v1 } from "./v1/index.ts";

const database = createMiddleware<AppEnv>(async (c, next) => {
  const { deadline, permit } = c.var;
  const observe = (ms: number) => setMetric(c, "db", ms);
  c.set("db", openDatabase(c.env.DATABASE_URL, { deadline, permit, observe }));
  await next();
});

const middleware = createRouter();
middleware.use(
  log,
  startRequest,
  securityHeaders,
  cors,
  timing({ total: false, crossOrigin: true }),
  shortUrl,
  smallBody,
);
middleware.use(identify, limits, database);

const api = middleware.route("/health", health).route("/auth", auth).route("/v1", v1);

/** The routes and their types, for a client in TypeScript: `hc<App>(baseUrl)`. */
export type App = typeof api;

export const app = describe(api);

app.onError(onError);
app.notFound(unknownRoute(app));
