import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { Access, AppEnv } from "../../core/context.ts";
import { causeOf } from "../../core/database.ts";
import { writeLogLine } from "../../core/log-line.ts";
import type { Settings } from "../../core/settings.ts";
import { countRows } from "./rows.ts";
import type { AccessRow } from "./table.ts";

const WRONG_URL = "AUDIT_DATABASE_URL must be a connection string. Accesses are not recorded";

let hasReportedUrl = false;

/** Says once in each isolate that the setting is wrong (A15). */
const reportWrongUrl = ({ AUDIT_DATABASE_URL: url, VERSION: version }: Settings): void => {
  if (url !== null || hasReportedUrl) return;
  hasReportedUrl = true;
  writeLogLine("error", { version, event: "access", settings: WRONG_URL });
};

/** What is recorded of an answer. */
const rowOf = (c: Context<AppEnv>, { body, ...access }: Access): AccessRow => {
  const { requestId, caller } = c.var;
  const { origin } = caller ?? {};
  return {
    request_id: requestId,
    user_id: caller?.id,
    email: caller?.profile?.email,
    session_kind: origin?.kind,
    session_client: origin?.kind === "oauth" ? origin.clientId : undefined,
    agent_token_id: origin?.kind === "agent" ? origin.token : undefined,
    // Only Cloudflare's header: clients can forge others.
    address: c.req.header("CF-Connecting-IP")?.slice(0, 64),
    route: access.route,
    record_id: access.record,
    cliente_id: access.clienteId,
    row_count: body && countRows(body, access),
    csv: access.isCsv,
  };
};

/** How many inserts of an isolate may wait. Each is small, but an audit database may be away for long. */
const MAX_PENDING = 200;
let pending = 0;

class TooManyInserts extends Error {
  override name = "TooManyInserts";
}

/** A failure is one log line (E9). */
const insert = async (version: string, url: string | null, row: AccessRow): Promise<void> => {
  pending += 1;
  try {
    if (pending > MAX_PENDING) throw new TooManyInserts();
    const { insertAccess } = await import("./insert.ts");
    await insertAccess(url, row);
  } catch (error) {
    writeLogLine("error", {
      version,
      event: "access",
      request: row.request_id,
      route: row.route,
      user: row.user_id,
      ...causeOf(error),
    });
  } finally {
    pending -= 1;
  }
};

/** Reads the body after the answer was sent, and releases it. A stream has a second record, at its end (X2). */
const record = async (c: Context<AppEnv>, url: string | null, version: string): Promise<void> => {
  // The runtime sends the answer first.
  await scheduler.wait(0);
  const { access } = c.var;
  c.set("access", undefined);
  if (access === undefined) return;
  const { records } = access;
  const row = rowOf(c, access);
  await insert(version, url, row);
  if (records) await insert(version, url, { ...row, row_count: await records });
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
  c.executionCtx.waitUntil(record(c, url, settings.VERSION));
});
