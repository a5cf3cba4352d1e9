import type { Access, Caller } from "../core/context.ts";
import { SettingsError } from "../core/settings.ts";
import { write } from "../db/connect.ts";
import { countRows } from "./rows.ts";
import { READ_COLUMNS } from "./table.ts";

/** How long an attempt may take. Work after an answer may take 30 seconds in all. */
const ATTEMPT_MS = 5000;
const PAUSE_MS = 1000;

interface Reader {
  requestId: string;
  caller: Caller | undefined;
  address: string | undefined;
}

const INSERT = `insert into acessos (${READ_COLUMNS.join(", ")})
  values (${READ_COLUMNS.map((_, n) => `$${n + 1}`).join(", ")})`;

/** Needs the same privileges, but inserts nothing. */
const PROBE = `insert into acessos (${READ_COLUMNS.join(", ")})
  select ${READ_COLUMNS.map(() => "null").join(", ")} where false`;

/** Checks that a row could be inserted. @param url null if the setting is wrong @throws if it could not */
export const probeAccesses = async (url: string | null): Promise<void> => {
  if (url === null) throw new SettingsError();
  await write(url, { text: PROBE, values: [] }, AbortSignal.timeout(ATTEMPT_MS));
};

/** Inserts one row, and tries once more. @param url null if the setting is wrong @throws if both attempts fail */
export const insertAccess = async (url: string | null, access: Access, reader: Reader): Promise<void> => {
  if (url === null) throw new SettingsError();
  const { requestId, caller, address } = reader;
  const { origin } = caller ?? {};
  const row: Record<(typeof READ_COLUMNS)[number], unknown> = {
    request_id: requestId,
    user_id: caller?.id,
    email: caller?.profile?.email,
    session_kind: origin?.kind,
    session_client: origin?.kind === "oauth" ? origin.client : undefined,
    agent_token_id: origin?.kind === "agent" ? origin.token : undefined,
    address,
    route: access.route,
    record_id: access.record,
    cliente_id: access.client,
    row_count: countRows(access.body, access.isCsv),
    csv: access.isCsv,
  };
  const values = READ_COLUMNS.map((column) => row[column] ?? null);
  const attempt = () => write(url, { text: INSERT, values }, AbortSignal.timeout(ATTEMPT_MS));
  await attempt().catch(async () => {
    await scheduler.wait(PAUSE_MS);
    await attempt();
  });
};
