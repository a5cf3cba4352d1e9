import type { MiddlewareHandler } from "hono";
import { cors as honoCors } from "hono/cors";
import type { AppEnv } from "./router.ts";

const EXPOSED = [
  "ETag",
  "Link",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-Request-Id",
  "Server-Timing",
  "Preference-Applied",
];

/** Lets pages of the allowed origins read every answer, never with credentials; a preflight ends here (E7). */
export const cors: MiddlewareHandler<AppEnv> = (c, next) => {
  const allowed = c.env.CORS_ORIGINS.split(",").map((origin) => origin.trim());
  return honoCors({
    origin: allowed.includes("*") ? "*" : allowed,
    allowMethods: ["GET", "HEAD", "POST", "OPTIONS"],
    allowHeaders: ["Authorization", "Content-Type", "If-None-Match", "Prefer", "X-Request-Id"],
    exposeHeaders: EXPOSED,
    maxAge: 86400,
  })(c, next);
};
