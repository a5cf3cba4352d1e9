import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { AppEnv } from "../ground/context.ts";
import { sqlState } from "../ground/database.ts";
import { SettingsError } from "../ground/settings.ts";

/**
 * One JSON line a request, from an allow-list (E9). The route's pattern stands for the path, whose id may be
 * personal; of an error only its class and SQLSTATE are told, as a driver's message holds parameter values. Of what
 * succeeds a fraction may be enough; a failure always has its line, whoever's it is.
 */
export const log = createMiddleware<AppEnv>(async (c, next) => {
  const started = Date.now();
  await next();
  const { requestId, caller, bug: thrown, settings } = c.var;
  // There are none where a setting is wrong, and that is a failure; so is a tool's, whose status is 200.
  const isSuccess = c.res.status < 400 && c.error === undefined;
  const sampleRate = isSuccess ? settings.LOG_SAMPLE_RATE : 1;
  if (Math.random() >= sampleRate) return;
  const bug = thrown instanceof Error ? thrown : undefined;
  const failure = bug ?? c.error?.cause;
  const level = c.res.status >= 500 ? "error" : "info";
  (level === "error" ? console.error : console.log)(
    JSON.stringify({
      level,
      // Told whatever the other settings are.
      version: c.env.VERSION,
      request: requestId,
      method: c.req.method,
      route: routePath(c, -1),
      status: c.res.status,
      ms: Date.now() - started,
      // How many requests the line stands for: one divided by it.
      sample_rate: sampleRate,
      user: caller?.id,
      sqlstate: sqlState(failure),
      error: failure instanceof Error ? failure.name : undefined,
      // Names and rules of settings, and no value of any.
      settings: failure instanceof SettingsError ? failure.message : undefined,
      // Frames of our own code, without the message that heads them.
      stack: bug?.stack?.split("\n").filter((line) => line.startsWith("    at ")),
    }),
  );
});
