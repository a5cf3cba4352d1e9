import { readFileSync } from "node:fs";
import { fail, readArguments, UsageError } from "../arguments.ts";
import { warehouseUrl } from "../local/running-demo.ts";
import { runAccesses, runPruneAccesses } from "./access-commands.ts";
import { connected, inTransaction } from "./databases.ts";
import { drawEpoch, pruneRemovals } from "./feeds.ts";
import { generateWarehouse } from "./generate.ts";
import { setGoals } from "./goals.ts";

const VISITS = 3000;

const USAGE = `Fills, checks and maintains the warehouse in the database that DATABASE_URL names.

  npm run warehouse -- generate [--visits N] [--seed N]    fills an empty warehouse with invented data
  npm run warehouse -- verify [--repair]                   compares facts and sums with their tables, every change feed
                                                           with its list, and with what this checkout expects: facts,
                                                           rollups and feeds, and the privileges and settings of its two
                                                           roles; recomputes the hash of every closing
  npm run warehouse -- new-epoch                           invalidates all markers of the change feeds, so that
                                                           clients start over; run it after a point-in-time restore
                                                           and after an import with triggers off
  npm run warehouse -- prune --days N                      deletes removals older than N days from the change feeds;
                                                           clients with older markers start over
  npm run warehouse -- goals <file.csv>                    sets the monthly goals of units that the file names, and
                                                           keeps the others
  npm run warehouse -- close AAAA-MM [--note TEXT]         signs the figures of a finished month, so that the API shows
                                                           what changed since; again, it adds a new version
  npm run warehouse -- reopen AAAA-MM [--note TEXT]        says that the last closing of the month no longer counts
  npm run -s warehouse -- person export PERSON             prints every row that concerns the person, as JSON
  npm run -s warehouse -- person erase PERSON [--yes] [--others yes]
                                                           removes name, id and CPF from all tables, prints a receipt
  npm run -s warehouse -- person erase --receipts <file>   erases again the persons of receipts who came back
  npm run -s warehouse -- anonymise --older-than YEARS     counts the clients without a visit since; --yes erases them
  npm run warehouse -- accesses [--user E] [--client ID] [--from D] [--to D]
                                                           prints reads of personal data, and changes by commands:
                                                           of the user with the e-mail E, as reader or as changed
                                                           user; of a client's id, or of its hash in a receipt; from
                                                           day D to day D (2026-11-30, in Brasília)
  npm run warehouse -- prune-accesses --days N             deletes accesses older than N days

  PERSON       the id of a client, or --professional and the salon_id of a professional
  --yes        does not ask for the id again
  --others yes also if more than 100 rows of others change
  --visits N   number of salon visits (default ${VISITS}); the other tables are in proportion
  --seed N     another seed generates other data (default 1)
  --repair     recalculates sums that differ, and merges and sorts the rows of the others; rewrites change feeds that
               differ, so that their clients start over. This blocks loaders of the table, but not readers

The file of goals is UTF-8, with semicolons: the header unidade;mes;valor, then a line for each goal, such as
101;2026-11;45000,00. unidade is the salon_id of a unit. An error in any line changes nothing.

Erasing needs ERASURE_KEY: base64url of at least 32 bytes, always the same. Keep the receipts, one JSON object a line.
An unknown id exits with 1, and so does an erasure that leaves something, or that would change more than 100 rows of
others. docs/privacy.md has the procedure.

Without DATABASE_URL, it works on the demo warehouse that npm start serves in this folder.

verify exits with 0 if nothing differs or everything was repaired, otherwise with 1. --repair does not change the
roles: npm run db:migrate does.`;

const readNumber = (name: string, value: string): number =>
  /^\d{1,9}$/.test(value) ? Number(value) : fail(`--${name} must be a whole number; got "${value}".`);

const generate = async (url: string, visits: number, seed: number): Promise<void> => {
  const { migrateWarehouse } = await import("./migrate.ts");
  await migrateWarehouse(url, { progress: console.error });
  await connected(url, async (db) => {
    const { rowCount } = await db.query("select from estabelecimentos limit 1");
    if (rowCount) return fail("The warehouse is not empty. generate fills only an empty warehouse.", 1);
    const started = performance.now();
    await generateWarehouse(db, { visits, seed, progress: console.log });
    console.log(`Done in ${Math.round((performance.now() - started) / 1000)} s.`);
  });
};

const prune = async (url: string, days: number): Promise<void> =>
  pruneRemovals(url, days, (list, deleted) => console.log(`${list}: ${deleted} removals deleted`));

const newEpoch = async (url: string): Promise<void> => {
  await drawEpoch(url);
  console.log("Every change feed has a new epoch. Clients that follow a feed get 410 and start over.");
};

const readFile = (file: string): Uint8Array => {
  try {
    return readFileSync(file);
  } catch (error) {
    return fail(`The file ${file} cannot be read: ${(error as Error).message}.`);
  }
};

const goals = async (url: string, bytes: Uint8Array): Promise<void> => {
  const count = await connected(url, (db) => inTransaction(db, () => setGoals(db, bytes)));
  console.log(`${count} ${count === 1 ? "goal" : "goals"} set`);
};

const { positionals, values } = readArguments(USAGE, {
  allowPositionals: true,
  options: {
    visits: { type: "string" },
    seed: { type: "string" },
    repair: { type: "boolean" },
    days: { type: "string" },
    professional: { type: "string" },
    receipts: { type: "string" },
    yes: { type: "boolean" },
    others: { type: "string" },
    "older-than": { type: "string" },
    user: { type: "string" },
    client: { type: "string" },
    from: { type: "string" },
    to: { type: "string" },
    note: { type: "string" },
  },
});
const [name, ...operands] = positionals;
/** The options of each command. */
const OPTIONS: Record<string, string[]> = {
  generate: ["visits", "seed"],
  verify: ["repair"],
  person: ["professional", "receipts", "yes", "others"],
  anonymise: ["older-than", "yes"],
  prune: ["days"],
  close: ["note"],
  reopen: ["note"],
  accesses: ["user", "client", "from", "to"],
  "prune-accesses": ["days"],
};
const refuseOptions = (chosen: string, given: string[]): void => {
  const other = given.find((option) => !OPTIONS[chosen]?.includes(option));
  if (other !== undefined && chosen in commands) fail(`${chosen} does not accept --${other}.\n\n${USAGE}`);
};

const url = () => warehouseUrl(USAGE);
/** Code that reads the service's tables takes a second to load, so each command imports its own. */
const commands: Record<string, () => Promise<void>> = {
  generate: () => {
    const { visits = String(VISITS), seed = "1" } = values;
    return generate(url(), readNumber("visits", visits), readNumber("seed", seed));
  },
  verify: async () => (await import("./verify-command.ts")).verify(url(), values.repair === true),
  "new-epoch": () => newEpoch(url()),
  person: async () => (await import("./person/commands.ts")).runPerson(url, operands, values),
  anonymise: async () => {
    const years = values["older-than"] ?? fail(`anonymise needs --older-than.\n\n${USAGE}`);
    const { anonymise } = await import("./person/commands.ts");
    return anonymise(url(), readNumber("older-than", years), values.yes === true);
  },
  prune: () => {
    const days = readDays();
    return prune(url(), days);
  },
  close: async () => (await import("./closing-commands.ts")).close(url(), readMonth(), values.note),
  reopen: async () => (await import("./closing-commands.ts")).reopen(url(), readMonth(), values.note),
  accesses: () => runAccesses(url, values),
  "prune-accesses": () => runPruneAccesses(url, readDays()),
  goals: () => {
    const [file] = operands;
    if (file === undefined || operands.length > 1) return fail(`goals needs one file.\n\n${USAGE}`);
    // The file is read first: its error needs no database.
    const bytes = readFile(file);
    return goals(url(), bytes);
  },
};
const readDays = (): number => readNumber("days", values.days ?? fail(`${name} needs --days.\n\n${USAGE}`));
const readMonth = (): string =>
  operands.length === 1 && operands[0] !== undefined
    ? operands[0]
    : fail(`${name} needs one month, AAAA-MM.\n\n${USAGE}`);
const takesOperands = name !== undefined && ["goals", "person", "close", "reopen"].includes(name);
const chosen = takesOperands ? name : positionals.join(" ");
const command = commands[chosen] ?? (() => fail(USAGE));
refuseOptions(chosen, Object.keys(values));
await command().catch((error: Error) => fail(error.message, error instanceof UsageError ? 2 : 1));
