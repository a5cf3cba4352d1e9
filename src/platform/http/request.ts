import { createMiddleware } from "hono/factory";
import { type AppEnv, TIME_BUDGET_MS } from "../../core/context.ts";
import { uptimeMs } from "../../core/uptime.ts";

const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Sets the time, the deadline and the request id, which is the client's `X-Request-Id` if that is valid (E8). */
export const startRequest = createMiddleware<AppEnv>(async (c, next) => {
  uptimeMs(); // The first call starts it.
  const clientId = c.req.header("X-Request-Id");
  const id = clientId !== undefined && REQUEST_ID.test(clientId) ? clientId : crypto.randomUUID();
  c.set("requestId", id);
  const now = Date.now();
  c.set("now", now);
  c.set("deadline", now + TIME_BUDGET_MS);
  c.header("X-Request-Id", id);
  await next();
});
