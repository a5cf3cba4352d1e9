import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { Refusal } from "../../core/errors.ts";

export const originOf = (c: Context): string => new URL(c.req.url).origin;

/** The URL of the MCP endpoint, which is the resource of OAuth access tokens (A14). */
export const mcpUrl = (c: Context): string => `${originOf(c)}/mcp`;

/** Whether this is the URL of the MCP endpoint. Scheme and host are case-insensitive (RFC 3986, 6.2.2.1). */
export const isMcpUrl = (c: Context, text: string): boolean =>
  text.replace(/^[^/]*\/\/[^/]*/, (origin) => origin.toLowerCase()) === mcpUrl(c);

/**
 * For requests that only this service's own pages send (A12, A14). Every browser sends `Origin` with a POST, so a
 * missing one is refused, too. Use it before the limits: a refused request is not counted.
 */
export const requireOwnOrigin = createMiddleware(async (c, next) => {
  if (c.req.header("Origin") !== originOf(c))
    throw new Refusal(
      403,
      "Only pages of this service may send this request. Programs sign in with POST /auth/login.",
    );
  if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: "POST, OPTIONS" });
  await next();
});
