import { cors as preflight } from "hono/cors";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../core/context.ts";
import { ANSWER_HEADERS } from "./response-headers.ts";

const EXPOSED = Object.keys(ANSWER_HEADERS);
/** Any header: tracing libraries add their own. The asterisk does not include `Authorization` (Fetch standard). */
const ALLOWED_HEADERS = "*, Authorization";
const EXPOSED_TEXT = EXPOSED.join(",");

/** Adds CORS headers to every response, without credentials, and answers preflight requests (E7). */
export const cors = createMiddleware<AppEnv>(async (c, next) => {
  const origins = c.var.settings.CORS_ORIGINS;
  const allowsAnyOrigin = origins.includes("*");
  // Use Hono's middleware for preflights only: on other requests it would copy the body through a stream.
  if (c.req.method === "OPTIONS") {
    return preflight({
      origin: allowsAnyOrigin ? "*" : origins,
      allowMethods: ["GET", "HEAD", "POST", "OPTIONS"],
      allowHeaders: [ALLOWED_HEADERS],
      exposeHeaders: EXPOSED,
      maxAge: 86400,
    })(c, next);
  }
  const origin = c.req.header("Origin") ?? "";
  if (allowsAnyOrigin) c.header("Access-Control-Allow-Origin", "*");
  else {
    c.header("Vary", "Origin", { append: true });
    if (origins.includes(origin)) c.header("Access-Control-Allow-Origin", origin);
  }
  c.header("Access-Control-Expose-Headers", EXPOSED_TEXT);
  await next();
});
