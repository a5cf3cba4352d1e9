import { neon } from "@neondatabase/serverless";
import { count, desc } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { createMiddleware } from "hono/factory";
import { timing } from "hono/timing";
import { identify } from "../../../src/auth/bearer.ts";
import type { AppEnv } from "../../../src/core/context.ts";
import { policyOf } from "../../../src/core/policies.ts";
import { settingsOf } from "../../../src/core/settings.ts";
import { cors } from "../../../src/http/cors.ts";
import { log } from "../../../src/http/log.ts";
import { startRequest } from "../../../src/http/request.ts";
import { createRouter } from "../../../src/http/router.ts";
import { securityHeaders } from "../../../src/http/security-headers.ts";
import { readBody, rejectLongUrl } from "../../../src/http/size-limits.ts";
import { rateLimit } from "../../../src/limits/middleware.ts";
// Imported for its side effect: it configures the driver for loopback hosts.
import "../../../src/db/connect.ts";
import { lancamentos as l } from "../../../src/v1/lancamentos/table.ts";

export { LoginAttempts } from "../../../src/auth/login-attempts.ts";
export { Sessions } from "../../../src/auth/sessions-object.ts";
export { Counter } from "../../../src/limits/counter.ts";

/**
 * Serves a page of ledger entries by mapping Drizzle rows to JSON in the Worker. It runs the same middleware as the
 * service: settings, token, limits, headers, log.
 */
const settings = createMiddleware<AppEnv>(async (c, next) => {
  c.set("settings", settingsOf(c.env));
  c.set("policy", policyOf(c.req.path));
  await next();
});
const app = createRouter();
app.use(
  log,
  startRequest,
  securityHeaders,
  settings,
  cors,
  timing({ total: false }),
  rejectLongUrl,
  readBody,
  identify,
  rateLimit,
);
app.get("/v1/lancamentos", async (c) => {
  const size = Number(c.req.query("per_page"));
  const db = drizzle(neon(c.env.DATABASE_URL));
  const [rows, [total]] = await db.batch([
    db.select().from(l).orderBy(desc(l.id)).limit(size),
    db.select({ n: count() }).from(l),
  ]);
  const data = rows.map((row) => ({
    ...row,
    synced_at: new Date(row.synced_at).toISOString(),
    sent_at: row.sent_at && new Date(row.sent_at).toISOString(),
  }));
  return c.json({ data, pagination: { page: 1, per_page: size, total: total?.n ?? 0 } });
});

export default app;
