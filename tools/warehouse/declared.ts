import { globSync } from "node:fs";
import { join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";

const RESOURCES = join(import.meta.dirname, "../../src/api/v1");
/** The lists with a change feed under `/v1/alteracoes`. */
export const FEEDS = ["lancamentos", "pagamentos_erp", "transacoes", "vendas_produto"];
const OF_EVERY_ROLLUP = new Set(["grain", "starts_on", "writer", "records"]);

type Columns = Map<string, string[]>;

/** The columns of each table of facts, and the keys and measures of each rollup, that a `table.ts` declares. */
const declaredSums = async (): Promise<Columns> => {
  const files = globSync("*/table.ts", { cwd: RESOURCES });
  const modules: object[] = await Promise.all(files.map((file) => import(join(RESOURCES, file))));
  const tables = modules.flatMap(Object.values).filter((value) => is(value, PgTable));
  return new Map(
    tables
      .map((table) => getTableConfig(table))
      .filter(({ name }) => /_(rollup|facts)$/.test(name))
      .map(({ name, columns }) => [
        name,
        columns.map((column) => column.name).filter((column) => !OF_EVERY_ROLLUP.has(column)),
      ]),
  );
};

const storedSums = async (db: pg.Client): Promise<Columns> => {
  const { rows } = await db.query(`select rollup, keys || measures as columns from rollups
    union all select facts, array(select attname::text from pg_attribute where attrelid = facts::regclass and attnum > 0 and not attisdropped) from facts`);
  return new Map(rows.map(({ rollup, columns }) => [rollup, columns]));
};

const without = (all: Iterable<string>, known: Iterable<string> = []): string[] => {
  const names = new Set(known);
  return [...all].filter((name) => !names.has(name)).sort();
};

/** Compares the facts, rollups and change feeds of a database with those the code reads. @returns a line for each difference */
export const differencesFromCode = async (db: pg.Client): Promise<string[]> => {
  const [declared, stored] = [await declaredSums(), await storedSums(db)];
  const { rows } = await db.query("select list from change_feeds");
  const feeds = rows.map(({ list }) => list);
  return [
    ...without(declared.keys(), stored.keys()).map((name) => `${name}: missing`),
    ...without(stored.keys(), declared.keys()).map((name) => `${name}: unknown to this checkout`),
    ...[...declared].flatMap(([name, columns]) => {
      const found = stored.get(name) ?? columns;
      return [
        ...without(columns, found).map((column) => `${name}: lacks ${column}`),
        ...without(found, columns).map((column) => `${name}: ${column} is unknown to this checkout`),
      ];
    }),
    ...without(FEEDS, feeds).map((list) => `${list}_changes: missing`),
    ...without(feeds, FEEDS).map((list) => `${list}_changes: unknown to this checkout`),
  ];
};
