import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./router.ts";

const ACCEPTABLE = /^[\w.-]{1,64}$/;

/** Names the request: the client's own `X-Request-Id` if it is well formed, else a new one (E8). */
export const requestId = createMiddleware<AppEnv>(async (c, next) => {
  const own = c.req.header("X-Request-Id");
  const id = own !== undefined && ACCEPTABLE.test(own) ? own : crypto.randomUUID();
  c.set("requestId", id);
  c.header("X-Request-Id", id);
  await next();
});
