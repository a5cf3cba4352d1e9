import { fail } from "../arguments.ts";
import { countListReads, isKnown, printAccesses, pruneAccesses } from "./accesses.ts";
import { connected } from "./databases.ts";
import { readKey } from "./person/receipts.ts";

const readDay = (name: string, value: string | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));
  const isSame = isDay && new Date(value).toISOString().startsWith(value);
  return isSame ? value : fail(`--${name} must be a day such as 2026-11-30; got "${value}".`);
};

/** With the key, an erased client is found by the id, too. */
const idsOf = (client: string | undefined): string[] | undefined =>
  client === undefined
    ? undefined
    : [client, ...(process.env.ERASURE_KEY ? [readKey().hashOf("client", client)] : [])];

const UNKNOWN = "No user, row or access has this e-mail or id. Check how it is written.";
const ERASED =
  " A client who was erased is found by the hash of the receipt, or by the id if ERASURE_KEY is set.";

interface AccessOptions {
  user?: string | undefined;
  client?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** @param url is called once the options are known to be valid */
export const runAccesses = async (url: () => string, options: AccessOptions): Promise<void> => {
  const { user, client } = options;
  const from = readDay("from", options.from);
  const to = readDay("to", options.to);
  if (from !== undefined && to !== undefined && from > to) fail("--from must not be after --to.");
  const filter = { user: user?.toLowerCase(), client: idsOf(client), from, to };
  await connected(url(), async (db) => {
    if (!(await isKnown(db, filter))) return fail(client === undefined ? UNKNOWN : UNKNOWN + ERASED, 1);
    const count = await printAccesses(db, filter, console.log);
    console.error(`${count} ${count === 1 ? "access" : "accesses"}.`);
    if (client === undefined) return;
    const lists = await countListReads(db, filter);
    console.error(
      `${lists} ${lists === 1 ? "read" : "reads"} of lists, reports and feeds in that time may have held the client. ` +
        "Without --client, they are printed.",
    );
  });
};

export const runPruneAccesses = async (url: () => string, days: number): Promise<void> => {
  if (days < 1) fail("--days must be at least 1.");
  const deleted = await connected(url(), (db) => pruneAccesses(db, days));
  console.log(`${deleted} ${deleted === 1 ? "access" : "accesses"} deleted`);
};
