import type { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { requireCaller } from "../auth/bearer.ts";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";
import { createRouter } from "../http/router.ts";
import { bodyUpTo } from "../http/size-limits.ts";

/** A page of an origin that may not read answers may not ask either (M5): its name may have been bent to lead here. */
const allowedOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const origin = c.req.header("Origin");
  const allowed = c.var.settings.CORS_ORIGINS;
  if (origin !== undefined && !allowed.includes("*") && !allowed.includes(origin))
    throw new Refusal(
      403,
      "Pages of this origin may not use this service. Its operator names those that may.",
    );
  await next();
});

const MAX_BODY_BYTES = 65_536;

/**
 * The Model Context Protocol (M1). What speaks it is loaded by the first message that is let in.
 * @param everything answers a router of the routes that tools are made of
 */
export const mcp = (everything: () => Promise<OpenAPIHono<AppEnv>>): OpenAPIHono<AppEnv> => {
  const router = createRouter();
  let answer: typeof import("./endpoint.ts").answer | undefined;
  router.post("/", requireCaller, allowedOrigin, bodyUpTo(MAX_BODY_BYTES), async (c) => {
    answer ??= (await import("./endpoint.ts")).answer;
    return answer(c, everything);
  });
  return router;
};
