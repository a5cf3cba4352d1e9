import { z } from "@hono/zod-openapi";
import {
  FIRST_YEAR,
  isCalendarPeriod,
  LAST_YEAR,
  parsePeriod,
  RELATIVE_PERIODS,
} from "../../core/periods.ts";
import { type LiesAhead, withMetadata } from "../../core/schema-metadata.ts";
import { RANGE_RULES, validRangeValues } from "./ranges.ts";

const quote = (text: string) =>
  text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text);

/**
 * A query parameter that must be given once and not be empty (I1, I4). `parse` returns undefined if it is
 * invalid. `rule` completes "must be …" in the error message and includes an example. `hint` ends the message.
 */
const parameter = <T>(
  parse: (text: string) => T | undefined,
  rule: string,
  hint: (text: string) => string = () => "",
) =>
  z
    .string({
      error: ({ input }) =>
        Array.isArray(input) ? `must be given once, not ${input.length} times` : "is required",
    })
    .transform((text, context): T => {
      const value = text.trim() === "" ? undefined : parse(text);
      if (value !== undefined) return value;
      const got = text === "" ? "an empty value" : text.trim() === "" ? "a blank value" : quote(text);
      context.addIssue({ code: "custom", message: `must be ${rule}; got ${got}${hint(text)}` });
      return z.NEVER;
    });

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Accepts digits only: `1e2`, `0x10`, `1.0`, `+1` and blanks are invalid (I2). */
const parseInteger = (text: string, min = 0, max = Number.MAX_SAFE_INTEGER): number | undefined => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
};

const MAX_ID = 9_223_372_036_854_775_807n;

/** Parses an id of Postgres. It stays text: above 2^53, a JavaScript number would be another id (I2). */
export const parseIntegerId = (text: string): string | undefined => {
  const [, digits] = /^0*(\d{1,19})$/.exec(text) ?? [];
  return digits !== undefined && BigInt(digits) <= MAX_ID ? digits : undefined;
};

/** @returns undefined for more than `max` characters or a control character (I4) */
export const parseText = (text: string, max: number): string | undefined =>
  [...text].length <= max && !CONTROL_CHARACTER.test(text) ? text : undefined;

export const integer = (p: { min: number; max?: number; example: number; description: string }) =>
  parameter(
    (text) => parseInteger(text, p.min, p.max),
    `an integer ${p.max === undefined ? `of at least ${p.min}` : `from ${p.min} to ${p.max}`}, for ` +
      `example ${p.example}`,
  ).openapi({
    type: "integer",
    minimum: p.min,
    maximum: p.max ?? Number.MAX_SAFE_INTEGER,
    example: p.example,
    description: p.description,
  });

const MAX_DECIMAL = 999_999_999_999.99;

/** An amount with up to two decimals. It stays text, so that Postgres gets every digit. */
export const decimal = (p: { min?: number; example: number; description: string }) => {
  const { min = 0, example, description } = p;
  return parameter(
    (text) => (/^\d{1,12}(\.\d{1,2})?$/.test(text) && Number(text) >= min ? text : undefined),
    `a number of at least ${min} with a decimal point, at most 12 digits before it and 2 after it, for ` +
      `example ${example.toFixed(2)}`,
  ).openapi({ type: "number", minimum: min, maximum: MAX_DECIMAL, example, description });
};

/** A cursor that is the id of a record, or 0. */
export const idCursor = (description: string) =>
  parameter(parseIntegerId, "an integer from 0 to 9223372036854775807, for example 0").openapi({
    type: "integer",
    minimum: 0,
    example: 0,
    description,
  });

const textParameter = <T>(
  p: { max: number; example: string; description: string },
  parse: (text: string) => T | undefined,
) =>
  parameter(
    parse,
    `text of 1 to ${p.max} characters without control characters, for example ${p.example}`,
  ).openapi({
    type: "string",
    minLength: 1,
    maxLength: p.max,
    example: p.example,
    description: p.description,
  });

export const text = (p: Parameters<typeof textParameter>[0]) =>
  textParameter(p, (value) => parseText(value, p.max));

/**
 * A parameter that names what a person wrote: it finds the text in NFC and in NFD, whichever form is sent
 * (I4). Its value has each form once, and last what was sent, which may be neither.
 */
export const humanText = (p: Parameters<typeof text>[0]) =>
  textParameter(p, (value) => {
    const text = parseText(value.normalize("NFC"), p.max);
    if (text === undefined) return undefined;
    return [text, text.normalize("NFD")].filter((form) => form !== value).concat(value);
  });

export const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  parameter(
    (text) => values.find((value) => value === text),
    `one of ${values.map((value) => `\`${value}\``).join(", ")}`,
  ).openapi({ type: "string", enum: [...values], example: values[0], description });

interface NameList {
  /** What the names are, in the plural. */
  what: string;
  max?: number;
  /** Whether a name may follow a `-`. */
  isSigned?: boolean;
  example: string;
  description: string;
}

/** A parameter of different names, separated by commas. */
export const nameList = (
  names: string[],
  { what, max = names.length, isSigned = false, example, description }: NameList,
) => {
  const parse = (text: string): string[] | undefined => {
    const sent = text.split(",");
    const areValid =
      new Set(sent).size === sent.length &&
      sent.every((name) => names.includes(isSigned ? name.replace(/^-/, "") : name));
    return areValid && sent.length <= max ? sent : undefined;
  };
  const name = `(${names.join("|")})`;
  const some = max === 1 ? `one of the ${what}` : `different ${what}, separated by commas`;
  const atMost = max > 1 && max < names.length ? `, at most ${max}` : "";
  return parameter(
    parse,
    `${some}${atMost}, for example ${example}. The ${what} are ${names.join(", ")}`,
  ).openapi({
    type: "string",
    pattern: `^${isSigned ? "-?" : ""}${name}${max > 1 ? `(,${name}){0,${max - 1}}` : ""}$`,
    example,
    description,
  });
};

/** The parameter `campos`: the fields of a record to return (L8). Its value has them in the schema's order. */
export const fieldsParam = (record: z.ZodObject) => {
  const names = Object.keys(record.shape);
  const campos = nameList(names, {
    what: "fields of a record",
    example: names.slice(0, 2).join(","),
    description: "Only these fields.",
  }).transform((sent) => names.filter((name) => sent.includes(name)));
  return { campos: campos.optional() };
};

export const withDefault = <Value extends string | number>(schema: z.ZodType<Value, string>, value: Value) =>
  schema.default(() => value).openapi({ default: value });

export const trueOrFalse = (description: string) =>
  oneOf(["true", "false"], description).transform((value) => value === "true");

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:[Zz]|([+\- ])(\d\d)(?::?(\d\d))?)$/;

/**
 * Parses an ISO 8601 date-time with offset (I3). Reads a space as `+`, because `+` in a query string is a
 * space. A second 60 is the next second. Returns UTC with microseconds, so that strings sort by time.
 */
const parseDateTime = (value: string): string | undefined => {
  const match = DATE_TIME.exec(value);
  if (!match) return undefined;
  const part = (i: number) => Number(match[i] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isValidDateTime =
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second <= 60;
  const offset = (offsetHours * 60 + offsetMinutes) * (match[8] === "-" ? -1 : 1);
  const isServed = isValidDateTime && year >= FIRST_YEAR && year <= LAST_YEAR;
  if (!isServed || offsetMinutes > 59 || Math.abs(offset) > 14 * 60) return undefined;
  const utc = new Date(Date.UTC(year, month - 1, day, hour, minute - offset, second));
  return `${utc.toISOString().slice(0, 19)}.${(match[7] ?? "").padEnd(6, "0").slice(0, 6)}Z`;
};

/** @param hasPeriod whether `periodo` names the same days */
export const dateTime = (
  description: string,
  { hasPeriod = false, example = "2026-11-01T00:00:00-03:00" } = {},
) =>
  parameter(
    parseDateTime,
    `an ISO 8601 date-time with offset, in the years ${FIRST_YEAR} to ${LAST_YEAR}, for example ${example}`,
    (text) =>
      hasPeriod && isCalendarPeriod(text)
        ? `. For whole days in Brasília, send \`periodo\`, for example ${text}`
        : "",
  ).openapi({ type: "string", format: "date-time", example, description });

const PERIOD_NAMES =
  `${RELATIVE_PERIODS.join(", ")}, or like 2026, 2026-T4 (quarter), 2026-11, 2026-S48 (ISO week), ` +
  "2026-11-30";
/** A pattern cannot count the days of a month and the weeks of a year. */
const PERIOD_PATTERN =
  "^(hoje|ontem|semana(-passada)?|(mes|trimestre|ano)(-passado)?|(proximos-)?(7|30)-dias|90-dias|" +
  "(19\\d\\d|2[01]\\d\\d|2200)" +
  "(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\\d|3[01]))?|-T[1-4]|-S(0[1-9]|[1-4]\\d|5[0-3]))?)$";

const MONTHS =
  "janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro".split(" ");

/** How to write the month that a text names in Portuguese or in figures: `outubro de 2026`, `out/26`, `10/2026`. */
const monthHint = (text: string): string => {
  const folded = text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const [, word = "", year] = /^\W*([a-z]+|\d\d?)\b(?:.*\b((?:19|20|21)\d\d)\b)?/.exec(folded) ?? [];
  const isMonth = (name: string, i: number) =>
    word === name || word === name.slice(0, 3) || Number(word) === i + 1;
  const month = MONTHS.findIndex(isMonth) + 1;
  if (month === 0) return "";
  const digits = String(month).padStart(2, "0");
  return `. Send a month as year and number, ${year ? "" : "for example "}${year ?? "2026"}-${digits}`;
};

/** @param mayLieAhead whether the period is not cut at the end of today (I7) */
const period = (mayLieAhead: LiesAhead) => {
  const condition =
    typeof mayLieAhead === "object" ? `With \`data=${mayLieAhead.data}\`, includes` : "Includes";
  const ahead = mayLieAhead ? ` ${condition} days to come.` : "";
  const rule = `one of ${PERIOD_NAMES}, from ${FIRST_YEAR} to ${LAST_YEAR}`;
  return parameter(parsePeriod, rule, monthHint).openapi({
    type: "string",
    pattern: PERIOD_PATTERN,
    example: "2026-11",
    description: `Days in Brasília, without start and end: ${PERIOD_NAMES}.${ahead}`,
  });
};

/**
 * The ends of a range over `column`, optional and inclusive (I3, L2), or its name (I7).
 * @param column starts the descriptions
 */
export const dateRange = (column: string, { mayLieAhead = false }: { mayLieAhead?: LiesAhead } = {}) => ({
  data_inicio: dateTime(`${column} from this time.`, { hasPeriod: true }).optional(),
  data_fim: dateTime(`${column} to this time, inclusive.`, {
    hasPeriod: true,
    example: "2026-11-30T23:59:59.999999-03:00",
  }).optional(),
  periodo: withMetadata(period(mayLieAhead).optional(), { mayLieAhead }),
});

/** The query parameters of a route. Reports invalid ranges even if other parameters are invalid (I5). */
export const querySchema = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  RANGE_RULES.reduce(
    (schema, { name, isBroken, message }) =>
      schema.refine((q) => !isBroken(validRangeValues(q)), {
        path: [name],
        error: ({ input }) => message(validRangeValues(input as object)),
        when: () => true,
      }),
    z.object(shape),
  );

/** Formats a validation issue as a sentence that starts with the parameter or field name (I1). */
export const sentenceOf = ({ path, message }: Pick<z.core.$ZodIssue, "path" | "message">): string =>
  path.length > 0 ? `\`${path.join(".")}\` ${message}.` : `${message}.`;
