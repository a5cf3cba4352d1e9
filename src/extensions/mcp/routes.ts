import type { OpenAPIHono } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { requireCaller } from "../../access/auth/bearer.ts";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { createRouter } from "../../platform/http/router.ts";
import { readBody } from "../../platform/http/size-limits.ts";

/** Rejects disallowed origins: this protects against DNS rebinding (M5). */
const requireAllowedOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const origin = c.req.header("Origin");
  const allowed = c.var.settings.CORS_ORIGINS;
  if (origin !== undefined && !allowed.includes("*") && !allowed.includes(origin))
    throw new Refusal(403, "Requests from this origin are not allowed. Ask the operator to allow it.");
  await next();
});

/** Serves `POST /mcp` (M1). The first accepted message loads the protocol code. */
export const mcp = (allRoutes: () => Promise<OpenAPIHono<AppEnv>>): OpenAPIHono<AppEnv> => {
  const router = createRouter();
  let respond: typeof import("./endpoint.ts").respond | undefined;
  router.post("/", requireCaller, requireAllowedOrigin, readBody, async (c) => {
    respond ??= (await import("./endpoint.ts")).respond;
    return respond(c, allRoutes);
  });
  return router;
};
