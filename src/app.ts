import { createMiddleware } from "hono/factory";
import { methodNotAllowed } from "hono/method-not-allowed";
import { setMetric, timing } from "hono/timing";
import { identify } from "./auth/bearer.ts";
import { auth } from "./auth/routes.ts";
import { openDatabase } from "./db/connect.ts";
import { describe } from "./docs/routes.ts";
import type { AppEnv } from "./ground/context.ts";
import { settingsOf } from "./ground/settings.ts";
import { health } from "./health/routes.ts";
import { cors } from "./http/cors.ts";
import { onError, unknownPath, wrongMethod } from "./http/errors.ts";
import { log } from "./http/log.ts";
import { startRequest } from "./http/request.ts";
import { createRouter } from "./http/router.ts";
import { noStore, privateData, securityHeaders } from "./http/security-headers.ts";
import { shortUrl, smallBody } from "./http/size-limits.ts";
import { limits } from "./limits/middleware.ts";
import { v1 } from "./v1/index.ts";

// Nothing is served with settings that are not as they must be.
const settings = createMiddleware<AppEnv>(async (c, next) => {
  c.set("settings", settingsOf(c.env));
  await next();
});

const database = createMiddleware<AppEnv>(async (c, next) => {
  const { deadline, permit } = c.var;
  const observe = (ms: number) => setMetric(c, "db", ms);
  c.set("db", openDatabase(c.var.settings.DATABASE_URL, { deadline, permit, observe }));
  await next();
});

const middleware = createRouter();
middleware.use(log, startRequest, securityHeaders);
middleware.use("/auth/*", noStore);
middleware.use("/v1/*", privateData);
middleware.use(settings, cors, timing({ crossOrigin: true }), shortUrl, smallBody);
middleware.use(identify, limits, database);
middleware.use(methodNotAllowed({ app: middleware, onMethodNotAllowed: wrongMethod }));

const api = middleware.route("/health", health).route("/auth", auth).route("/v1", v1);

/** The routes and their types, for a client in TypeScript: `hc<App>(baseUrl)`. */
export type App = typeof api;

export const app = describe(api);

app.onError(onError);
app.notFound(unknownPath);
