// @module-tag server
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Database, openMigrated } from "../../support/node/databases.ts";

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

const GUIDE = readFileSync(join(import.meta.dirname, "../../../docs/loaders.md"), "utf8");
/** The table of columns, which schema.test.ts compares with the database. */
const TABLES = [...GUIDE.matchAll(/^\| `(\w+)` \| (?:an?|the) .*$/gm)].map(([row, table = ""]) => ({
  table,
  limited: [...row.matchAll(/`(\w+)` text ≤ 800/g)].map(([, column = ""]) => column),
}));

/** The SQL of a section of the guide. */
const sqlOf = (title: string) =>
  [
    ...(GUIDE.split(new RegExp(`\n##+ ${title}\n`))[1]?.split("\n#")[0] ?? "").matchAll(
      /^ *```sql\n([\s\S]*?)^ *```$/gm,
    ),
  ].map(([, text = ""]) => text);

/** Words of columns whose values a constraint lists. */
const LISTED: Record<string, string> = { origem: "loja", job_name: "sync-transacoes", status: "started" };

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

/** JSON with long texts where reports read them. */
const payload = (column: string) => {
  const entry = { Pessoa: text(12_000), CentroCusto: text(12_000) };
  const service = { nome: text(12_000), idProfissionalQueRealizouServico: text(12_000) };
  return JSON.stringify(column === "servicos" ? [service] : entry);
};

/** The statements of a loader in the guide. Those of other sections are the owner's. */
const STATEMENTS = ["Keys", "Payments and units", "Job history", "Goals"].flatMap(sqlOf);

/** Updates and deletes all rows of a table. */
const rewrite = async (table: string) => {
  const [first] = await columnsOf(table);
  await db.query(`update ${table} set ${first?.name} = ${first?.name}`);
  await db.query(`delete from ${table}`);
};

// The first test: a session caches index expressions, inlined with the rights of the role that used them first.
it("a role with the documented grants, and no others, runs every documented statement (L1)", async () => {
  expect(STATEMENTS).toHaveLength(5);
  const role = `loader_${Math.random().toString(36).slice(2)}`;
  const [create = ""] = sqlOf("The role of a loader");
  await db.query(create.replaceAll(/\bloader\b/g, role));
  await db.query(`grant select, update on sequence lancamentos_id_seq to ${role}`);
  try {
    await db.query(`set role ${role}`);
    for (const { table } of TABLES) await insert(table, {});
    await insert("produtos", { nome: "Óleo de Açaí" });
    await db.query("update produtos set nome = 'Álcool' where nome = 'Óleo de Açaí'");
    // A second run updates what the first has inserted.
    for (const statement of [...STATEMENTS, ...STATEMENTS, ...sqlOf("Ids and cursors")])
      await db.query(statement);
    const { rows } = await db.query(
      "select array_agg(status order by id) as statuses from jobs_log where job_id = 'J-4711'",
    );
    expect(rows[0].statuses.slice(0, 3)).toEqual(["started", "completed", "failed"]);
    for (const { table } of TABLES) await rewrite(table);
    await expect(db.query("truncate metas")).rejects.toThrow("permission denied");
  } finally {
    await db.query(`reset role; drop owned by ${role}; drop role ${role}`);
  }
});

it("the documented statement lists the cost centres of payments that find no unit (R20)", async () => {
  await insert("estabelecimentos", { nome: "Salão Jardins", erp_centro_custo_id: "7001" });
  await insert("profissionais", { nome: "Ana", erp_centro_custo_id: "80001" });
  for (const id_centro_custo of ["7001", "07001", "80001", "80001", "80001"])
    await insert("pagamentos_erp", { id_centro_custo, valor: "10" });
  const [lost = "", shared = ""] = sqlOf("Payments and units");
  const { rows } = await db.query(lost);
  expect(rows).toEqual([
    { id_centro_custo: "80001", payments: "3", valor: "30.00", of_a_professional: true },
    { id_centro_custo: "07001", payments: "1", valor: "10.00", of_a_professional: false },
  ]);
  await insert("estabelecimentos", { nome: "Loja Jardins", erp_centro_custo_id: "7001" });
  expect((await db.query(shared)).rows).toEqual([
    { erp_centro_custo_id: "7001", units: ["Salão Jardins", "Loja Jardins"] },
  ]);
});

describe("a long value", () => {
  it("is stored in every column except those that the guide for loaders limits", async () => {
    expect(TABLES).toHaveLength(10);
    const rejected: string[] = [];
    for (const { table } of TABLES)
      for (const { name, type } of await columnsOf(table))
        if (type === "text" && !(name in LISTED))
          await insert(table, { [name]: text(12_000) }).catch((error: pg.DatabaseError) => {
            expect([table, name, error.code]).toEqual([table, name, "54000"]);
            rejected.push(`${table}.${name}`);
          });
    const limited = TABLES.flatMap(({ table, limited: columns }) =>
      columns.map((name) => `${table}.${name}`),
    );
    expect(rejected.sort()).toEqual(limited.sort());
  });

  it.each(TABLES)(
    "of 800 bytes is stored in all limited columns of $table together",
    async ({ table, limited }) => {
      const long = (await columnsOf(table)).flatMap(({ name, type }) => {
        if (type === "text" && !(name in LISTED))
          return [[name, text(limited.includes(name) ? 800 : 12_000)]];
        return type === "jsonb" ? [[name, payload(name)]] : [];
      });
      await insert(table, Object.fromEntries(long));
    },
  );
});
