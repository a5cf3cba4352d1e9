import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../core/context.ts";

/** The time budget of a request: every response is sent within nine seconds (E2). */
const TIME_MS = 8500;

const ACCEPTABLE_ID = /^[\w.-]{1,64}$/;

/** Sets the deadline and the request id, which is the client's `X-Request-Id` if that is valid (E8). */
export const startRequest = createMiddleware<AppEnv>(async (c, next) => {
  const own = c.req.header("X-Request-Id");
  const id = own !== undefined && ACCEPTABLE_ID.test(own) ? own : crypto.randomUUID();
  c.set("requestId", id);
  c.set("deadline", Date.now() + TIME_MS);
  c.header("X-Request-Id", id);
  await next();
});
