import type { OpenAPIHono } from "@hono/zod-openapi";
import { except } from "hono/combine";
import { createMiddleware } from "hono/factory";
import { methodNotAllowed } from "hono/method-not-allowed";
import { setMetric, timing } from "hono/timing";
import { identify } from "./auth/bearer.ts";
import { addressClient } from "./auth/client.ts";
import type { openDatabase } from "./db/connect.ts";
import type { AppEnv } from "./ground/context.ts";
import type { Db } from "./ground/database.ts";
import { settingsOf } from "./ground/settings.ts";
import { cors } from "./http/cors.ts";
import { onError, unknownPath, wrongMethod } from "./http/errors.ts";
import { log } from "./http/log.ts";
import { startRequest } from "./http/request.ts";
import { createRouter } from "./http/router.ts";
import { noStore, privateData, securityHeaders } from "./http/security-headers.ts";
import { shortUrl, smallBody } from "./http/size-limits.ts";
import { countEarlyRefusals, limits } from "./limits/middleware.ts";

// Nothing is served with settings that are not as they must be.
const settings = createMiddleware<AppEnv>(async (c, next) => {
  c.set("settings", settingsOf(c.env));
  await next();
});

// The driver is loaded by the first statement: most of what a cold isolate may be asked needs none.
let open: typeof openDatabase | undefined;
const database = createMiddleware<AppEnv>(async (c, next) => {
  const { deadline } = c.var;
  const observe = (ms: number) => setMetric(c, "db", ms);
  const db: Db = async (statement) => {
    open ??= (await import("./db/connect.ts")).openDatabase;
    // What goes on after the answer keeps the request alive when its reader has gone; its statement ends with the reader.
    // Finding out who is asking is not for this reader alone, and goes on.
    const gone = c.var.client === undefined ? undefined : c.req.raw.signal;
    return open(c.var.settings.DATABASE_URL, { deadline, gone, observe })(statement);
  };
  c.set("db", db);
  await next();
});

/** Serves some routes behind the middleware, which is here in its order. @param path where the routes are */
export const serve = (path: string, routes: OpenAPIHono<AppEnv>) => {
  const app = createRouter();
  app.use(log, startRequest, securityHeaders);
  app.use("/auth/*", noStore);
  app.use("/mcp", noStore);
  app.use("/v1/*", privateData);
  app.use(timing({ crossOrigin: true }), settings, cors, countEarlyRefusals(addressClient), shortUrl);
  // A message to tools may be longer, and is not looked at before its sender is known.
  app.use(except("/mcp", smallBody));
  app.use(database, identify, limits);
  app.use(methodNotAllowed({ app, onMethodNotAllowed: wrongMethod }));
  app.route(path, routes);
  app.onError(onError);
  app.notFound(unknownPath);
  return app;
};
