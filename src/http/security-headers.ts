import { createMiddleware } from "hono/factory";

const HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
  "Referrer-Policy": "no-referrer",
};

/** An answer is data, and never a page that may load, frame or be framed (E8). A page sets a policy of its own. */
export const securityHeaders = createMiddleware(async (c, next) => {
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  await next();
});

/** Whatever is answered about data, a refusal too, belongs to its user and is asked for again (E6). */
export const privateData = createMiddleware(async (c, next) => {
  c.header("Cache-Control", "private, no-cache");
  await next();
});

/** No cache keeps tokens, or an answer that refuses them (E6). */
export const noStore = createMiddleware(async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
});
