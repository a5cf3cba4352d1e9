import type { Hono } from "hono";
import { except } from "hono/combine";
import { createMiddleware } from "hono/factory";
import { methodNotAllowed } from "hono/method-not-allowed";
import { timing } from "hono/timing";
import { trimTrailingSlash } from "hono/trailing-slash";
import { identify } from "./auth/bearer.ts";
import { addressClient } from "./auth/rate-limit-client.ts";
import type { AppEnv } from "./core/context.ts";
import type { Db } from "./core/database.ts";
import { settingsOf } from "./core/settings.ts";
import type { openDatabase } from "./db/connect.ts";
import { cors } from "./http/cors.ts";
import { onError, unknownPath, wrongMethod } from "./http/errors.ts";
import { requireHttps } from "./http/https.ts";
import { log } from "./http/log.ts";
import { requireOwnOrigin } from "./http/origin.ts";
import { startRequest } from "./http/request.ts";
import { createRouter } from "./http/router.ts";
import { noStore, privateCache, securityHeaders } from "./http/security-headers.ts";
import { readSmallBody, rejectLongUrl } from "./http/size-limits.ts";
import { addStepDuration } from "./http/step-duration.ts";
import { countEarlyRefusals, rateLimit } from "./limits/middleware.ts";
import { oauthErrors } from "./oauth/errors.ts";
import { errorPages } from "./pages/error-pages.ts";

const settings = createMiddleware<AppEnv>(async (c, next) => {
  c.set("settings", settingsOf(c.env));
  await next();
});

// Load the driver with the first statement: most requests to a cold isolate need none.
let loadedOpenDatabase: typeof openDatabase | undefined;
const database = createMiddleware<AppEnv>(async (c, next) => {
  const { deadline } = c.var;
  const recordDuration = (ms: number) => addStepDuration(c, "db", ms);
  const db: Db = async (statement) => {
    loadedOpenDatabase ??= (await import("./db/connect.ts")).openDatabase;
    // Abort the query when the client disconnects. Exception: while `client` is not set, the query looks up
    // an agent token, and other requests may wait for its result.
    const clientDisconnected = c.var.client === undefined ? undefined : c.req.raw.signal;
    const options = { deadline, clientDisconnected, recordDuration };
    return loadedOpenDatabase(c.var.settings.DATABASE_URL, options)(statement);
  };
  c.set("db", db);
  await next();
});

/** Paths for this service's own pages: without CORS headers (A12, A14). */
const OWN_ORIGIN_PATHS = ["/auth/browser/*", "/oauth/approve"];

/** Creates an app that serves routes below a path, with the middleware of every route. */
export const createApp = (path: string, routes: Hono<AppEnv>) => {
  const app = createRouter();
  app.use(log, startRequest, securityHeaders);
  for (const page of ["/", "/docs", "/docs/", "/painel", "/painel/", "/oauth/authorize"])
    app.use(page, errorPages);
  app.use("/docs/", trimTrailingSlash()).use("/painel/", trimTrailingSlash());
  for (const path of ["/oauth/token", "/oauth/revoke"]) app.use(path, oauthErrors);
  for (const path of ["/auth/*", "/oauth/*", "/mcp"]) app.use(path, noStore);
  app.use("/v1/*", privateCache);
  app.use(timing({ crossOrigin: true }), settings, requireHttps, except(OWN_ORIGIN_PATHS, cors));
  for (const path of OWN_ORIGIN_PATHS) app.use(path, requireOwnOrigin);
  app.use(countEarlyRefusals(addressClient), rejectLongUrl);
  // MCP messages may be larger (M5). Their size is checked after the token (M1).
  app.use(except("/mcp", readSmallBody));
  app.use(database, identify, rateLimit);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  app.route(path, routes);
  app.onError(onError);
  app.notFound(unknownPath);
  return app;
};
