import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Access, AppEnv } from "../core/context.ts";
import { sqlState } from "../core/database.ts";
import { writeLogLine } from "../core/log-line.ts";
import type { Settings } from "../core/settings.ts";

const WRONG_URL = "AUDIT_DATABASE_URL must be a connection string. Accesses are not recorded";

let hasReportedUrl = false;

/** Says once in each isolate that the setting is wrong (A15). */
const reportWrongUrl = ({ AUDIT_DATABASE_URL: url, VERSION: version }: Settings): void => {
  if (url !== null || hasReportedUrl) return;
  hasReportedUrl = true;
  writeLogLine("error", { version, event: "access", settings: WRONG_URL });
};

/** Inserts the record after the answer. A failure is one log line, which has what an operator needs to add it. */
const insert = async (c: Context<AppEnv>, url: string | null, access: Access): Promise<void> => {
  const { requestId, caller } = c.var;
  try {
    // The runtime sends the answer first.
    await scheduler.wait(0);
    const { insertAccess } = await import("./insert.ts");
    await insertAccess(url, access, {
      requestId,
      caller,
      // Only Cloudflare's header: clients can forge others.
      address: c.req.header("CF-Connecting-IP")?.slice(0, 64),
    });
  } catch (error) {
    writeLogLine("error", {
      version: c.env.VERSION,
      event: "access",
      request: requestId,
      route: access.route,
      user: caller?.id,
      sqlstate: sqlState(error),
      error: error instanceof Error ? error.name : undefined,
    });
  }
};

const SENT = [200, 304];

/** Records an answer with personal data (A15). It neither delays nor changes the answer. */
export const recordAccess = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  // Undefined if the request was refused before they were read.
  const settings = c.var.settings as Settings | undefined;
  if (settings === undefined) return;
  reportWrongUrl(settings);
  const { access } = c.var;
  const { AUDIT_DATABASE_URL: url } = settings;
  if (access === undefined || url === undefined || !SENT.includes(c.res.status)) return;
  // Registered before the first byte is sent, so that a reader who disconnects is recorded, too.
  c.executionCtx.waitUntil(insert(c, url, access));
});
