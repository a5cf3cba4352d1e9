import { type SQL, sql } from "drizzle-orm";
import type { Format } from "../../core/database.ts";
import { dataObject, optimizationFence } from "./json-sql.ts";
import type { Kinds } from "./kinds.ts";
import type { Shape } from "./read-request.ts";

const SEPARATORS = { csv: ",", excel: ";" };

const CRLF = sql.raw("E'\\r\\n'");
/** Excel reads a file with it as UTF-8. */
const BYTE_ORDER_MARK = sql.raw("U&'\\FEFF'");

/** Latin letters, among which `×` and `÷` lie in Unicode. */
const LETTERS = "a-zA-Z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u024F";
/** What is no part of a word, which may have combining accents. */
const BETWEEN = `[^${LETTERS}\\u0300-\\u036F]`;
/** A short id, or what begins like a name or like JSON. */
const LIKE_TEXT = sql.raw(`'^([${LETTERS}{["]|(0|[1-9][0-9]{0,7})?$)'`);
const BOOLEAN = sql.raw(`'^(true|false|verdadeiro|falso)${BETWEEN}*$'`);
const DIGIT = sql.raw("'[0-9\\uFF10-\\uFF19]'");
/** A month or a day of the week, or its short form, in Portuguese or English. */
const DATE_WORD =
  "(jan|janeiro|january|fev|fevereiro|feb|february|mar([çÇ]o|ch)?|abr|abril|apr|april|mai|maio|may|jun|junho|june|" +
  "jul|julho|july|ago|agosto|aug|august|set|setembro|sep|sept|september|out|outubro|oct|october|nov|novembro|" +
  "november|dez|dezembro|dec|december|seg|segunda|ter([çÇ]a)?|qua|quarta|qui|quinta|sex|sexta|s[aáÁ]b(ado)?|dom|" +
  "domingo|mon|monday|tue|tuesday|wed|wednesday|thu|thursday|fri|friday|sat|saturday|sun|sunday)";
/** An amount, or a date without other words, that begins like a name, if it has a digit. */
const AMOUNT_OR_DATE = sql.raw(
  `'^([a-z]{1,3}[$\\uFF04]|${DATE_WORD}(${BETWEEN}+(${DATE_WORD}|feira|de|[ap]m))*${BETWEEN}*$)'`,
);

/** Whether Excel keeps a text as it is. */
const isKept = (text: SQL) => sql`
  ${text} ~ ${LIKE_TEXT}
  and ${text} !~* ${BOOLEAN}
  and not (${text} ~ ${DIGIT} and ${text} ~* ${AMOUNT_OR_DATE})`;

/** Quotes text that has a separator, a quote or a line break, and empty text: an empty cell is null (X1). */
const quoted = (text: SQL, format: Format) => {
  const special = sql.raw(`'[${SEPARATORS[format]}"\\r\\n]|^$'`);
  return sql`
    case
      when ${text} ~ ${special} then '"' || replace(${text}, '"', '""') || '"'
      else ${text}
    end`;
};

/** Characters of two UTF-16 units. */
const ASTRAL = sql.raw("'[\\U00010000-\\U0010FFFF]'");

/** The formula `="…"` keeps text from becoming a value. Excel accepts 255 UTF-16 units of text in a formula. */
const textForExcel = (text: SQL) => {
  const codeUnits = sql`length(regexp_replace(left(${text}, 256), ${ASTRAL}, '..', 'g'))`;
  return sql`
    case
      when ${isKept(text)} then ${quoted(text, "excel")}
      when ${codeUnits} <= 255 then '"=""' || replace(${text}, '"', '""""') || '"""'
      else '"''' || replace(${text}, '"', '""') || '"'
    end`;
};

/** The text of JSON, without its quotes. */
const asInJson = (column: SQL) => sql`to_json(${column}) #>> '{}'`;

/** Infinity and years without four digits stay as in JSON. */
const formatted = (column: SQL, local: SQL, pattern: string) => sql`
  case
    when ${column} between '0001-01-02' and '9999-12-30' then to_char(${local}, ${sql.raw(`'${pattern}'`)})
    else ${textForExcel(sql`(${asInJson(column)})`)}
  end`;

type Writer = (column: SQL) => SQL;
const asText: Writer = (column) => sql`${column}::text`;
/** The null of JSON is null, too. */
const asJson: Writer = (column) => sql`nullif(${column}::text, 'null')`;
/** Excel would drop the digits of an id after the fifteenth, and read `-Infinity` as a formula. */
const numberForExcel: Writer = (text) => sql`
  case
    when length(${text}) > 15 and ${text} ~ '^-?[0-9]{16,}$' or ${text} = '-Infinity' then ${textForExcel(text)}
    else replace(${text}, '.', ',')
  end`;

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
    text: (column) => textForExcel(asText(column)),
    json: (column) => textForExcel(asJson(column)),
    number: (column) => numberForExcel(asText(column)),
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

export const csvTable = (kinds: Kinds, rows: SQL, format: Format): SQL => {
  const records = sql`
    select string_agg(${csvRecord(kinds, format)}, '')
    from ${optimizationFence(rows)} as record`;
  return sql`${csvHeader(kinds, format)} || coalesce((${records}), '')`;
};

/** The rows as an object with `data`, or as CSV (X1). */
export const tableBody = (kinds: Kinds, rows: SQL, { format }: Shape): SQL =>
  format === undefined ? dataObject(rows) : csvTable(kinds, rows, format);
