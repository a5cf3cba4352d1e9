import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import type { AppEnv } from "../../core/context.ts";
import { causeOf } from "../../core/database.ts";
import { writeLogLine } from "../../core/log-line.ts";
import { SettingsError } from "../../core/settings.ts";

/** Writes one JSON line per request (E9). Omits paths and database messages: they may have personal data. */
export const log = createMiddleware<AppEnv>(async (c, next) => {
  const started = Date.now();
  await next();
  const { requestId, caller, bug: thrown, settings } = c.var;
  // A failed MCP tool call has status 200, so check `c.error` too. After a failure, `settings` may be
  // undefined.
  const isSuccess = c.res.status < 400 && c.error === undefined;
  const sampleRate = isSuccess ? settings.LOG_SAMPLE_RATE : 1;
  if (Math.random() >= sampleRate) return;
  const bug = thrown instanceof Error ? thrown : undefined;
  const failure = bug ?? c.error?.cause;
  writeLogLine(c.res.status >= 500 ? "error" : "info", {
    // Read from `env`, because `settings` may be undefined.
    version: c.env.VERSION,
    request: requestId,
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    ms: Date.now() - started,
    // The line represents 1 / sample_rate requests.
    sample_rate: sampleRate,
    user: caller?.id,
    ...causeOf(failure),
    // The message names the invalid settings and their rules, never their values.
    settings: failure instanceof SettingsError ? failure.message : undefined,
    // Drop the first lines, the error message: it may contain personal data.
    stack: bug?.stack?.split("\n").filter((line) => line.startsWith("    at ")),
  });
});
