import { createMiddleware } from "hono/factory";

/** The headers that protect a browser (E8). Static files have them too. */
export const SECURITY_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Strict-Transport-Security": "max-age=63072000; includeSubDomains",
  "Referrer-Policy": "no-referrer",
};

/** The Content-Security-Policy of the service worker of `/painel`: it requests the page and its files. */
export const SERVICE_WORKER_POLICY = "default-src 'none'; connect-src 'self'";

/** A JSON response may load nothing (E8). HTML pages replace the Content-Security-Policy with their own. */
export const securityHeaders = createMiddleware(async (c, next) => {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
  await next();
});

/**
 * For `/v1`, errors included: only the user's own cache stores responses, must revalidate them (E6), and gives them to
 * no request with another token (A12).
 */
export const privateCache = createMiddleware(async (c, next) => {
  c.header("Cache-Control", "private, no-cache");
  c.header("Vary", "Authorization", { append: true });
  await next();
});

/** For responses that may contain tokens, and for their errors (E6). */
export const noStore = createMiddleware(async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
});
