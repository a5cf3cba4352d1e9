import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../ground/context.ts";

/** How long a request may take whatever it waits for: the answer comes within nine seconds (E2). */
const TIME_MS = 8500;

const ACCEPTABLE_ID = /^[\w.-]{1,64}$/;

/** Names the request, by the client's own `X-Request-Id` if it is well formed (E8), and gives it its time. */
export const startRequest = createMiddleware<AppEnv>(async (c, next) => {
  const own = c.req.header("X-Request-Id");
  const id = own !== undefined && ACCEPTABLE_ID.test(own) ? own : crypto.randomUUID();
  c.set("requestId", id);
  c.set("deadline", Date.now() + TIME_MS);
  c.header("X-Request-Id", id);
  await next();
});
