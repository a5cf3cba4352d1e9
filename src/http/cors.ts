import type { MiddlewareHandler } from "hono";
import { cors as preflight } from "hono/cors";
import type { AppEnv } from "../ground/context.ts";
import { ANSWER_HEADERS } from "./answer-headers.ts";

const EXPOSED = Object.keys(ANSWER_HEADERS);
/** What the Model Context Protocol's clients send besides (M1). */
const OF_MCP = ["Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-ID"];
const EXPOSED_TEXT = EXPOSED.join(",");

/**
 * Lets pages of the allowed origins read every answer, never with credentials; a preflight ends here (E7). Hono's
 * own middleware answers preflights only: on other requests it touches the response before there is one, and the
 * body is then copied through a stream.
 */
export const cors: MiddlewareHandler<AppEnv> = async (c, next) => {
  const origins = c.var.settings.CORS_ORIGINS;
  const everybody = origins.includes("*");
  if (c.req.method === "OPTIONS") {
    return preflight({
      origin: everybody ? "*" : origins,
      allowMethods: ["GET", "HEAD", "POST", "OPTIONS"],
      allowHeaders: ["Authorization", "Content-Type", "If-None-Match", "Prefer", "X-Request-Id", ...OF_MCP],
      exposeHeaders: EXPOSED,
      maxAge: 86400,
    })(c, next);
  }
  const origin = c.req.header("Origin") ?? "";
  if (everybody) c.header("Access-Control-Allow-Origin", "*");
  else {
    c.header("Vary", "Origin");
    if (origins.includes(origin)) c.header("Access-Control-Allow-Origin", origin);
  }
  c.header("Access-Control-Expose-Headers", EXPOSED_TEXT);
  await next();
};
