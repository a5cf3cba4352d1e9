import { type SQL, sql } from "drizzle-orm";
import type { Format } from "../core/database.ts";
import { dataObject, optimizationFence } from "./json-sql.ts";
import type { Kinds } from "./kinds.ts";
import type { Shape } from "./shape.ts";

const SEPARATORS = { csv: ",", excel: ";" };

const CRLF = sql.raw("E'\\r\\n'");
/** Excel reads a file with it as UTF-8. */
const BYTE_ORDER_MARK = sql.raw("U&'\\FEFF'");
/** Excel would read text that begins with one of these as a formula. */
const FORMULA = sql.raw("'^[=+@\\t\\r-]'");

/** Quotes text with a separator, a quote or a line break, and empty text: only null is empty (X1). */
const quoted = (text: SQL, format: Format) => {
  const special = sql.raw(`'[${SEPARATORS[format]}"\\r\\n]|^$'`);
  return sql`case when ${text} ~ ${special} then '"' || replace(${text}, '"', '""') || '"' else ${text} end`;
};

const guarded = (text: SQL) => sql`(case when ${text} ~ ${FORMULA} then '''' else '' end || ${text})`;

/** The text of JSON, without its quotes. */
const asInJson = (column: SQL) => sql`to_json(${column}) #>> '{}'`;

/** Infinity and years without four digits stay as in JSON. */
const formatted = (column: SQL, local: SQL, pattern: string) =>
  sql`case when ${column} between '0001-01-02' and '9999-12-30' then to_char(${local}, ${sql.raw(`'${pattern}'`)}) else ${guarded(sql`(${asInJson(column)})`)} end`;

type Writer = (column: SQL) => SQL;
const asText: Writer = (column) => sql`${column}::text`;
/** The null of JSON is null, too. */
const asJson: Writer = (column) => sql`nullif(${column}::text, 'null')`;
/** Excel would read `-Infinity` as a formula. */
const withComma: Writer = (text) =>
  sql`case when ${text} = '-Infinity' then ${guarded(text)} else replace(${text}, '.', ',') end`;

const WRITERS: Record<Format, Record<Kinds[string], Writer>> = {
  csv: {
    text: (column) => quoted(asText(column), "csv"),
    json: (column) => quoted(asJson(column), "csv"),
    number: asText,
    boolean: asText,
    date: asInJson,
    "date-time": asInJson,
  },
  excel: {
    text: (column) => quoted(guarded(asText(column)), "excel"),
    json: (column) => quoted(guarded(asJson(column)), "excel"),
    number: (column) => withComma(asText(column)),
    boolean: asText,
    date: (column) => formatted(column, column, "DD/MM/YYYY"),
    "date-time": (column) =>
      formatted(column, sql`${column} at time zone 'America/Sao_Paulo'`, "DD/MM/YYYY HH24:MI:SS"),
  },
};

/** The row `record` as a CSV record (RFC 4180). Its select must be fenced, because a column is used several times. */
export const csvRecord = (kinds: Kinds, format: Format): SQL => {
  const values = Object.entries(kinds).map(
    ([name, kind]) => sql`coalesce(${WRITERS[format][kind](sql`record.${sql.identifier(name)}`)}, '')`,
  );
  return sql`${sql.join(values, sql.raw(` || '${SEPARATORS[format]}' || `))} || ${CRLF}`;
};

/** The record with the names of the columns. */
export const csvHeader = (kinds: Kinds, format: Format): SQL => {
  const names = sql`${sql.raw(`'${Object.keys(kinds).join(SEPARATORS[format])}'`)} || ${CRLF}`;
  return format === "excel" ? sql`${BYTE_ORDER_MARK} || ${names}` : names;
};

export const csvTable = (kinds: Kinds, source: SQL, format: Format): SQL =>
  sql`${csvHeader(kinds, format)} || coalesce((select string_agg(${csvRecord(kinds, format)}, '') from ${optimizationFence(source)} as record), '')`;

/** The rows as an object with `data`, or as CSV (X1). */
export const tableBody = (kinds: Kinds, source: SQL, { format }: Shape): SQL =>
  format === undefined ? dataObject(source) : csvTable(kinds, source, format);
