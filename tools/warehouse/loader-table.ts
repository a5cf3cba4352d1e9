import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { TABLES } from "./role-privileges.ts";

const PAGE = join(import.meta.dirname, "../../docs/loaders.md");

/** Completes "One row is". */
const ROWS: Record<string, string> = {
  transacoes: "a visit",
  lancamentos: "a ledger entry",
  pagamentos_erp: "an ERP payment",
  vendas_produto: "a line of a sale",
  produtos: "a product in a unit",
  estabelecimentos: "a unit",
  profissionais: "a professional in a unit",
  taxas_cartao: "the fee of a payment method",
  metas: "the [goal](#goals) of a unit for a month",
  jobs_log: "the [start or end of a run](#job-history)",
};

const HEAD =
  "| Table | One row is | Key, for `on conflict` | Required | Optional, with its default if not null |";

interface Column {
  name: string;
  type: string;
  is_required: boolean;
  default: string | null;
  /** The values that a constraint lists. */
  values: string[] | null;
  /** Whether an index contains the text in full. */
  is_indexed: boolean;
}

const COLUMNS = `
  select attname as name, replace(format_type(atttypid, atttypmod), 'timestamp with time zone', 'timestamptz') as type,
    attnotnull and adbin is null as is_required, pg_get_expr(adbin, adrelid) as default,
    (select array(select match[1] from regexp_matches(pg_get_constraintdef(oid), '[''[ ]([\\w-]+)(?=''?(?:::text)?[,\\]])', 'g') as match)
     from pg_constraint where conrelid = attrelid and contype = 'c' and conkey = array[attnum]
       and pg_get_constraintdef(oid) like '% = ANY (ARRAY[%') as values,
    atttypid = 'text'::regtype and exists (select from pg_index where indrelid = attrelid and attnum = any(indkey)) as is_indexed
  from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = ''
  order by attnum`;

const KEYS = `
  select array(select attname::text from unnest(conkey) with ordinality as key (number, n)
    join pg_attribute on attrelid = conrelid and attnum = number order by n) as columns
  from pg_constraint where conrelid = $1::regclass and contype = 'u'
  order by conname`;

const code = (text: string) => `\`${text}\``;

const textOf = ({ name, type, default: value, values, is_indexed }: Column): string =>
  [
    `${code(name)} ${type}`,
    values ? `: ${values.map(code).join(" or ")}` : is_indexed ? " ≤ 800" : "",
    value === null ? "" : ` = ${code(value)}`,
  ].join("");

const rowOf = async (db: pg.Client, table: string): Promise<string> => {
  const { rows: columns } = await db.query<Column>(COLUMNS, [table]);
  const { rows: keys } = await db.query<{ columns: string[] }>(KEYS, [table]);
  const list = (isRequired: boolean) =>
    columns
      .filter(({ is_required }) => is_required === isRequired)
      .map(textOf)
      .join(", ");
  const key = keys.map((one) => code(one.columns.join(", "))).join(", ") || "none";
  return `| ${code(table)} | ${ROWS[table]} | ${key} | ${list(true)} | ${list(false)} |`;
};

/** The table in docs/loaders.md: the columns that a loader writes, as the database has them. */
export const loaderTable = async (db: pg.Client): Promise<string> => {
  const unknown = TABLES.filter((table) => !(table in ROWS));
  if (unknown.length > 0)
    throw new Error(`tools/warehouse/loader-table.ts: say what one row of ${unknown} is.`);
  const lines = [HEAD, "|---|---|---|---|---|"];
  for (const table of Object.keys(ROWS)) lines.push(await rowOf(db, table));
  return lines.join("\n");
};

/** The table that docs/loaders.md has now. */
export const writtenLoaderTable = (page = readFileSync(PAGE, "utf8")): string => {
  const [table] = page.match(/^\| Table \| One row is \|.*\n(?:\|.*\n)*/m) ?? [];
  if (table === undefined)
    throw new Error(`docs/loaders.md has no table that begins with "| Table | One row is |".`);
  return table.trimEnd();
};

export const writeLoaderTable = async (db: pg.Client): Promise<void> => {
  const page = readFileSync(PAGE, "utf8");
  const table = await loaderTable(db);
  writeFileSync(
    PAGE,
    page.replace(writtenLoaderTable(page), () => table),
  );
};
