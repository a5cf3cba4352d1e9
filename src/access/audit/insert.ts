import { SettingsError } from "../../core/settings.ts";
import { executeWrite } from "../../platform/db/connect.ts";
import { type AccessRow, READ_COLUMNS } from "./table.ts";

/** How long an attempt may take. Work after an answer may take 30 seconds in all. */
const ATTEMPT_MS = 5000;
const PAUSE_MS = 1000;

const INSERT = `insert into acessos (${READ_COLUMNS.join(", ")})
  values (${READ_COLUMNS.map((_, n) => `$${n + 1}`).join(", ")})`;

/** Needs the same privileges, but inserts nothing. */
const PROBE = `insert into acessos (${READ_COLUMNS.join(", ")})
  select ${READ_COLUMNS.map(() => "null").join(", ")} where false`;

/** Checks that a row could be inserted. @param url null if the setting is wrong @throws if it could not */
export const probeAccesses = async (url: string | null): Promise<void> => {
  if (url === null) throw new SettingsError();
  await executeWrite(url, { text: PROBE, values: [] }, ATTEMPT_MS);
};

/** Inserts one row, and tries once more. @param url null if the setting is wrong @throws if both attempts fail */
export const insertAccess = async (url: string | null, row: AccessRow): Promise<void> => {
  if (url === null) throw new SettingsError();
  const values = READ_COLUMNS.map((column) => row[column] ?? null);
  const attempt = () => executeWrite(url, { text: INSERT, values }, ATTEMPT_MS);
  await attempt().catch(async () => {
    await scheduler.wait(PAUSE_MS);
    await attempt();
  });
};
