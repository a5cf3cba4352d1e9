import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { sqlState } from "../db/connect.ts";
import type { AppEnv } from "./router.ts";

/**
 * One JSON line a request, from an allow-list (E9). The route's pattern stands for the path, whose id may be
 * personal; of an error only its class and SQLSTATE are told, as a driver's message holds parameter values.
 */
export const log = createMiddleware<AppEnv>(async (c, next) => {
  const started = Date.now();
  await next();
  const { requestId, caller, bug: thrown } = c.var;
  const bug = thrown instanceof Error ? thrown : undefined;
  const failure = bug ?? c.error?.cause;
  console.log(
    JSON.stringify({
      request: requestId,
      method: c.req.method,
      route: routePath(c, -1),
      status: c.res.status,
      ms: Date.now() - started,
      user: caller?.id,
      sqlstate: sqlState(failure),
      error: failure instanceof Error ? failure.name : undefined,
      // Frames of our own code, without the message that heads them.
      stack: bug?.stack?.split("\n").filter((line) => line.startsWith("    at ")),
    }),
  );
});
