import { createMiddleware } from "hono/factory";
import { setMetric, timing } from "hono/timing";
import { identify } from "./auth/bearer.ts";
import { auth } from "./auth/routes.ts";
import { openDatabase } from "./db/connect.ts";
import { describe } from "./docs/routes.ts";
import { health } from "./health/routes.ts";
import { cors } from "./http/cors.ts";
import { onError } from "./http/errors.ts";
import { log } from "./http/log.ts";
import { requestId } from "./http/request-id.ts";
import { type AppEnv, createRouter } from "./http/router.ts";
import { securityHeaders } from "./http/security-headers.ts";
import { unknownRoute } from "./http/unknown.ts";
import { v1 } from "./v1/index.ts";

const database = createMiddleware<AppEnv>(async (c, next) => {
  c.set(
    "db",
    openDatabase(c.env.DATABASE_URL, (ms) => setMetric(c, "db", ms)),
  );
  await next();
});

const middleware = createRouter();
middleware.use(
  log,
  requestId,
  securityHeaders,
  cors,
  timing({ total: false, crossOrigin: true }),
  identify,
  database,
);

export const app = describe(middleware.route("/health", health).route("/auth", auth).route("/v1", v1));

app.onError(onError);
app.notFound(unknownRoute(app));
