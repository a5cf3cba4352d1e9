import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type pg from "pg";
import { UsageError } from "../../arguments.ts";
import { connected } from "../databases.ts";
import { erasePersons, previewErasure } from "./erase.ts";
import { exportPerson } from "./export.ts";
import type { Kind } from "./places.ts";
import { inactiveClients, returnedPersons } from "./present.ts";
import { parseReceipts, type Receipt, readKey } from "./receipts.ts";
import { writeLine } from "./standard-output.ts";

const progress = (line: string) => console.error(line);
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** @param advice what to do if the receipts cannot be written, which is an exit code of 1 */
const printOr = (advice: string) => (receipts: Receipt[], refused: number) => {
  const left = receipts.flatMap((receipt) => receipt.left);
  for (const line of left) progress(line);
  if (left.length > 0)
    progress(
      "The erasure is done, but this cannot be removed safely. Correct it by hand, then run the same command again.",
    );
  if (left.length + refused > 0) process.exitCode = 1;
  try {
    for (const receipt of receipts) writeLine(JSON.stringify(receipt));
  } catch {
    progress(
      `The erasure is done, but its ${receipts.length === 1 ? "receipt was" : "receipts were"} not written: ${advice}.`,
    );
    process.exitCode = 1;
  }
};

/** A failure with a message for the user. */
class Failure extends Error {}

/** Asks on stderr, so that stdout has only receipts. */
const confirm = async (kind: Kind, id: string): Promise<void> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const lines = terminal[Symbol.asyncIterator]();
    process.stderr.write(`This cannot be undone. Enter the id of the ${kind} again: `);
    const { value } = await lines.next();
    if (value !== id) throw new Failure("The ids differ. Nothing was changed.");
  } finally {
    terminal.close();
  }
};

interface PersonOptions {
  professional?: string | undefined;
  yes?: boolean;
  receipts?: string | undefined;
  others?: string | undefined;
}

const readPerson = (
  [id, ...others]: string[],
  { professional }: PersonOptions,
): { kind: Kind; id: string } => {
  const given = [id, professional].filter((one) => one !== undefined);
  if (given.length !== 1 || others.length > 0 || given[0] === "")
    throw new UsageError("Name one client by id, or one professional by --professional <salon_id>.");
  return professional === undefined
    ? { kind: "client", id: given[0] as string }
    : { kind: "professional", id: professional };
};

const exportOne = async (url: string, kind: Kind, id: string): Promise<void> => {
  const key = process.env.ERASURE_KEY ? readKey() : undefined;
  const document = await connected(url, (db) => exportPerson(db, kind, id, key));
  if (document === undefined) throw new Failure(`No row has this id of a ${kind}.`);
  writeLine(document);
};

const KINDS_OF_PERSON: Kind[] = ["client", "professional"];

/** Erases again the persons of receipts who are in the database, for example after a restore. */
const repeat = async (url: string, file: string): Promise<void> => {
  const key = readKey();
  const all = parseReceipts(readFileSync(file, "utf8"));
  if (all.length === 0) throw new Failure(`${file} has 0 receipts. Nothing was changed.`);
  const receipts = all.filter(({ key_id }) => key_id === key.id);
  await connected(url, async (db: pg.Client) => {
    for (const kind of KINDS_OF_PERSON) {
      const own = receipts.filter((receipt) => receipt.kind === kind);
      if (own.length === 0) continue;
      const found = await returnedPersons(db, kind, own, key);
      const isEmpty = found.ids.length + found.returned.length === 0;
      let count = 0;
      const report = (again: Receipt[], refused: number) => {
        // A request that named the id brings nobody back.
        count = again.filter(({ rows }) => Object.keys(rows).some((table) => table !== "acessos")).length;
        printOr("the file has the earlier ones")(
          again.filter(({ rows, left }) => Object.keys(rows).length + left.length > 0),
          refused,
        );
      };
      const command = "person erase --receipts";
      if (!isEmpty) await erasePersons(db, { kind, ...found, key, command, progress, report });
      progress(
        `${kind}: ${counted(own.length, "receipt")}; erased again because they had come back: ${count}.`,
      );
    }
  });
  const skipped = all.length - receipts.length;
  if (skipped > 0)
    throw new Failure(
      `${counted(skipped, "receipt")} ${skipped === 1 ? "has" : "have"} another key than ${key.id} and ${skipped === 1 ? "was" : "were"} skipped. Repeat with that ERASURE_KEY.`,
    );
};

const eraseOne = async (
  url: () => string,
  { yes, others }: PersonOptions,
  { kind, id }: { kind: Kind; id: string },
): Promise<void> => {
  if (others !== undefined && others !== "yes") throw new UsageError("--others accepts only yes.");
  const key = readKey();
  const report = printOr("run the same command again");
  const options = {
    kind,
    ids: [id],
    key,
    command: "person erase",
    progress,
    report,
    others: others === "yes",
  };
  const warehouse = url();
  if (!yes) {
    const isRefused = await connected(warehouse, (db) => previewErasure(db, options));
    if (isRefused) process.exitCode = 1;
    if (isRefused) return;
    await confirm(kind, id);
  }
  const receipts = await connected(warehouse, (db) => erasePersons(db, options));
  if (receipts.length === 0 && process.exitCode !== 1)
    throw new Failure(`No row and no earlier erasure has this id of a ${kind}. Nothing was changed.`);
};

export const runPerson = async (
  url: () => string,
  operands: string[],
  options: PersonOptions,
): Promise<void> => {
  const [what, ...persons] = operands;
  if (what === "export") {
    if (options.yes || options.receipts !== undefined || options.others !== undefined)
      throw new UsageError("Only person erase accepts --yes, --others and --receipts.");
    const { kind, id } = readPerson(persons, options);
    return exportOne(url(), kind, id);
  }
  if (what !== "erase") throw new UsageError("person needs export or erase.");
  if (options.receipts !== undefined) {
    if (persons.length > 0 || options.professional !== undefined)
      throw new UsageError("--receipts erases everybody that the file names. Name nobody else.");
    if (options.others !== undefined) throw new UsageError("--others needs one person, and not --receipts.");
    return repeat(url(), options.receipts);
  }
  return eraseOne(url, options, readPerson(persons, options));
};

/** Without `yes`, only says what it would do. */
export const anonymise = async (url: string, years: number, yes: boolean): Promise<void> => {
  if (years < 1) throw new UsageError("--older-than must be at least 1 year.");
  const key = yes ? readKey() : undefined;
  await connected(url, async (db) => {
    const clients = await inactiveClients(db, years);
    const last = clients.at(-1)?.last;
    progress(
      `${counted(clients.length, "client")} had no visit or purchase in the last ${years === 1 ? "year" : `${years} years`}${last ? `; the latest one is of ${last}` : ""}.`,
    );
    if (key === undefined) return progress("Nothing was changed. To erase them, add --yes.");
    const ids = clients.map(({ id }) => id);
    const command = "anonymise";
    if (ids.length > 0)
      await erasePersons(db, {
        kind: "client",
        ids,
        key,
        command,
        progress,
        report: printOr("the table erasures has the hashes"),
      });
  });
};
