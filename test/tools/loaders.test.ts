// @module-tag server
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openMigrated } from "../support/node/databases.ts";

let database: Database;
let db: pg.Client;
beforeAll(async () => {
  database = await openMigrated(process.env.TEST_DATABASE_URL);
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
});
afterAll(async () => {
  await db.end();
  await database.close();
});

const GUIDE = readFileSync(join(import.meta.dirname, "../../docs/loaders.md"), "utf8");
const section = (title: string) => GUIDE.split(`\n### ${title}\n`)[1]?.split("\n#")[0] ?? "";

interface Limit {
  table: string;
  columns: string[];
  bytes: number;
}

/** The limits in the guide: lines such as "| `a` and `b` of `table` | 2,600 bytes |". */
const LIMITS: Limit[] = section("Long values")
  .split("\n")
  .flatMap((line) => {
    const [, what = "", bytes = ""] = /^\| (`.*`) \| ([\d,]+) bytes \|$/.exec(line) ?? [];
    const names = [...what.matchAll(/`(\w+)`/g)].map(([, name]) => name as string);
    const table = names.pop();
    return table ? [{ table, columns: names, bytes: Number(bytes.replace(",", "")) }] : [];
  });

const TABLES = [...GUIDE.matchAll(/^\| `(\w+)` \| (?:an?|the) .* \| .* \|$/gm)].map(
  ([, table]) => table as string,
);

/** Words of columns whose values a constraint lists. */
const LISTED: Record<string, string> = { origem: "loja", job_name: "send-pagar", status: "started" };

interface Column {
  name: string;
  type: string;
  isRequired: boolean;
}

const columnsOf = async (table: string): Promise<Column[]> => {
  const { rows } = await db.query(
    `select column_name as name, data_type as type, is_nullable = 'NO' and column_default is null and is_identity = 'NO' as "isRequired"
     from information_schema.columns where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [table],
  );
  return rows;
};

const SAMPLES: Record<string, unknown> = {
  "timestamp with time zone": "2026-11-22T12:00:00Z",
  // A goal needs the first day of a month.
  date: "2026-11-01",
  jsonb: "{}",
};
let last = 70_000_000;

/** Inserts a row with these values, and the least that the table requires. */
const insert = async (table: string, values: Record<string, string>) => {
  last += 1;
  const required = (await columnsOf(table)).filter(({ isRequired }) => isRequired);
  const least = required.map(({ name, type }) => [
    name,
    LISTED[name] ?? SAMPLES[type] ?? (type === "text" ? `v${last}` : type === "bigint" ? last : 1),
  ]);
  const row: Record<string, unknown> = { ...Object.fromEntries(least), ...values };
  const names = Object.keys(row);
  await db.query(
    `insert into ${table} (${names}) values (${names.map((_, n) => `$${n + 1}`)})`,
    Object.values(row),
  );
};

let texts = 0;
/** Four-byte characters that compress badly. Each text is another one. */
const text = (bytes: number) => {
  texts += 1;
  return Array.from({ length: bytes / 4 }, (_, i) =>
    String.fromCodePoint(0x10000 + ((i * 7919 + texts * 104_729) % 60_000)),
  ).join("");
};

// The first test: a session caches index expressions, inlined with the rights of the role that used them first.
it("a loader needs no right to a function, also for a table with an index of letters (L1)", async () => {
  const role = `loader_${Math.random().toString(36).slice(2)}`;
  await db.query(`create role ${role}; grant insert, update, select on ${TABLES} to ${role}`);
  try {
    await db.query(`set role ${role}`);
    for (const table of TABLES) await insert(table, {});
    await insert("produtos", { nome: "Óleo de Açaí" });
    await db.query("update produtos set nome = 'Álcool' where nome = 'Óleo de Açaí'");
  } finally {
    await db.query(`reset role; drop owned by ${role}; drop role ${role}`);
  }
});

describe("a long value", () => {
  it("is stored in every column except those that the guide for loaders limits", async () => {
    expect(TABLES).toHaveLength(10);
    const rejected: string[] = [];
    for (const table of TABLES)
      for (const { name, type } of await columnsOf(table))
        if (type === "text" && !(name in LISTED))
          await insert(table, { [name]: text(12_000) }).catch((error: pg.DatabaseError) => {
            expect([table, name, error.code]).toEqual([table, name, "54000"]);
            rejected.push(`${table}.${name}`);
          });
    const limited = LIMITS.flatMap(({ table, columns }) => columns.map((name) => `${table}.${name}`));
    expect([...new Set(limited)].sort()).toEqual(rejected.sort());
  });

  it.each(LIMITS)("is stored in $columns of $table up to $bytes bytes together", async (limit) => {
    const share = Math.floor(limit.bytes / limit.columns.length / 4) * 4;
    // Each column in turn has what the others leave.
    for (const long of limit.columns)
      for (const part of new Set([share, 4])) {
        const others = Object.fromEntries(limit.columns.map((name) => [name, text(part)]));
        await insert(limit.table, {
          ...others,
          [long]: text(limit.bytes - part * (limit.columns.length - 1)),
        });
      }
  });
});
