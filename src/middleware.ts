import type { Hono, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { methodNotAllowed } from "hono/method-not-allowed";
import { timing } from "hono/timing";
import { trimTrailingSlash } from "hono/trailing-slash";
import { recordAccess } from "./access/audit/record.ts";
import { identify } from "./access/auth/bearer.ts";
import { countEarlyRefusals } from "./access/auth/early-refusals.ts";
import { rateLimit } from "./access/limits/middleware.ts";
import { oauthErrors } from "./access/oauth/errors.ts";
import type { AppEnv } from "./core/context.ts";
import type { Db } from "./core/database.ts";
import { type Mount, type Policy, policyOf } from "./core/policies.ts";
import { settingsOf } from "./core/settings.ts";
import { errorPages } from "./extensions/pages/error-pages.ts";
import type { openDatabase } from "./platform/db/connect.ts";
import { cors } from "./platform/http/cors.ts";
import { onError, unknownPath, wrongMethod } from "./platform/http/errors.ts";
import { requireHttps } from "./platform/http/https.ts";
import { log } from "./platform/http/log.ts";
import { requireOwnOrigin } from "./platform/http/origin.ts";
import { startRequest } from "./platform/http/request.ts";
import { createRouter } from "./platform/http/router.ts";
import { noStore, privateCache, securityHeaders } from "./platform/http/security-headers.ts";
import { readBody, rejectLongUrl } from "./platform/http/size-limits.ts";
import { addStepDuration } from "./platform/http/step-duration.ts";

const settings = createMiddleware<AppEnv>(async (c, next) => {
  c.set("settings", settingsOf(c.env));
  await next();
});

// Load the driver with the first statement: most requests to a cold isolate need none.
let loadedOpenDatabase: typeof openDatabase | undefined;
const database = createMiddleware<AppEnv>(async (c, next) => {
  const recordDuration = (ms: number) => addStepDuration(c, "db", ms);
  const db: Db = async (statement) => {
    loadedOpenDatabase ??= (await import("./platform/db/connect.ts")).openDatabase;
    const clientDisconnected = statement.isShared ? undefined : c.req.raw.signal;
    if (!statement.isShared) c.set("hasStatement", true);
    // A stream has a new deadline for each statement.
    const options = { deadline: c.var.deadline, clientDisconnected, recordDuration };
    return loadedOpenDatabase(c.var.settings.DATABASE_URL, options)(statement);
  };
  c.set("db", db);
  await next();
});

const policy = createMiddleware<AppEnv>(async (c, next) => {
  c.set("policy", policyOf(c.req.path));
  await next();
});

/** Runs a middleware only for paths whose policy asks for it. */
const where = (applies: (policy: Policy) => boolean, middleware: MiddlewareHandler) =>
  createMiddleware<AppEnv>((c, next) => (applies(c.var.policy) ? middleware(c, next) : next()));

/** Creates an app that serves the routes of a mount, with the middleware of every route. */
export const createApp = (mount: Mount, routes: Hono<AppEnv>) => {
  const app = createRouter();
  app.use(log, recordAccess, startRequest, policy, securityHeaders, errorPages);
  if (policyOf(mount).trimsSlash) app.use(`${mount}/`, trimTrailingSlash());
  app.use(
    where(({ errors }) => errors === "oauth", oauthErrors),
    where(({ cache }) => cache === "no-store", noStore),
    where(({ cache }) => cache === "private", privateCache),
    timing({ crossOrigin: true }),
    settings,
    requireHttps,
    where(({ isOwnPagesOnly }) => !isOwnPagesOnly, cors),
    where(({ isOwnPagesOnly }) => isOwnPagesOnly, requireOwnOrigin),
    countEarlyRefusals,
    rejectLongUrl,
    where(({ readsBodyLate }) => !readsBodyLate, readBody),
    database,
    identify,
    rateLimit,
  );
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  app.route(mount, routes);
  app.onError(onError);
  app.notFound(unknownPath);
  return app;
};
