import { z } from "@hono/zod-openapi";

/** How a refused value is quoted back: whole if short, and never more than a line. */
const quote = (text: string) =>
  text.length > 60 ? `${JSON.stringify(text.slice(0, 60))}…` : JSON.stringify(text);

/**
 * One query parameter: text that `parse` understands, given once and not empty (I1, I4).
 * @param parse answers undefined for text it refuses
 * @param rule completes "must be …", with a good example
 */
const parameter = <T>(parse: (text: string) => T | undefined, rule: string) =>
  z
    .string({
      error: ({ input }) => `must be given once, not ${Array.isArray(input) ? input.length : 0} times`,
    })
    .transform((text, context): T => {
      const value = text.trim() === "" ? undefined : parse(text);
      if (value !== undefined) return value;
      const got = text === "" ? "an empty value" : quote(text);
      context.addIssue({ code: "custom", message: `must be ${rule}; got ${got}` });
      return z.NEVER;
    });

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Digits only, a safe integer, in range: `1e2`, `0x10`, `1.0`, `+1` and blanks are refused (I2). */
export const parseInteger = (text: string, min = 0, max = Number.MAX_SAFE_INTEGER): number | undefined => {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
};

/** Text without control characters, at most `max` characters (I4). */
export const parseText = (text: string, max: number): string | undefined =>
  [...text].length <= max && !CONTROL_CHARACTER.test(text) ? text : undefined;

/** An integer parameter with its bounds (I2). */
export const integer = (p: { min: number; max?: number; example: number; description: string }) =>
  parameter(
    (text) => parseInteger(text, p.min, p.max),
    `an integer ${p.max === undefined ? `of at least ${p.min}` : `from ${p.min} to ${p.max}`}, for example ${p.example}`,
  ).openapi({
    type: "integer",
    minimum: p.min,
    ...(p.max !== undefined && { maximum: p.max }),
    example: p.example,
    description: p.description,
  });

/** A text parameter compared as it is (I4). */
export const text = (p: { max: number; example: string; description: string }) =>
  parameter(
    (value) => parseText(value, p.max),
    `text of 1 to ${p.max} characters without control characters, for example ${p.example}`,
  ).openapi({
    type: "string",
    minLength: 1,
    maxLength: p.max,
    example: p.example,
    description: p.description,
  });

/** One of a few words. */
export const oneOf = <const Word extends string>(words: readonly Word[], description: string) =>
  parameter(
    (value) => words.find((word) => word === value),
    `one of ${words.map((word) => `\`${word}\``).join(", ")}`,
  ).openapi({ type: "string", enum: [...words], example: words[0], description });

/** A parameter that has a value when it is left out. */
export const preset = <Value extends string | number>(schema: z.ZodType<Value, string>, value: Value) =>
  schema.default(() => value).openapi({ default: value });

/** The flag filters: query strings `true` and `false`, nothing else. */
export const trueOrFalse = (description: string) =>
  oneOf(["true", "false"], description).transform((word) => word === "true");

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+\- ])(\d\d):(\d\d))$/;

/**
 * An ISO 8601 date-time with offset as UTC text of microsecond precision, so that texts order as instants do (I3).
 * A space where the offset's `+` belongs is that `+`, unescaped on its way through a URL.
 * @param end where a range begins, what lies between two microseconds counts as the later one; where it ends, the earlier
 */
const parseDateTime = (value: string, end: "start" | "end" = "end"): string | undefined => {
  const match = DATE_TIME.exec(value);
  if (!match) return undefined;
  const part = (i: number) => Number(match[i] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const exists = local.getUTCMonth() === month - 1 && local.getUTCDate() === day && hour < 24 && minute < 60;
  const offset = offsetHours * 60 + offsetMinutes;
  if (!exists || second > 59 || year < 1900 || year > 2200 || offsetMinutes > 59 || offset > 14 * 60)
    return undefined;
  const fraction = (match[7] ?? "").padEnd(9, "0");
  const isBetween = fraction.slice(6) !== "000";
  const micros = Number(fraction.slice(0, 6)) + (end === "start" && isBetween ? 1 : 0);
  const shift = (match[8] === "-" ? offset : -offset) * 60_000 + Math.floor(micros / 1e6) * 1000;
  const utc = new Date(local.getTime() + shift);
  return `${utc.toISOString().slice(0, 19)}.${String(micros % 1e6).padStart(6, "0")}Z`;
};

/** What a query string needs and nothing else does. */
export const IN_URL = " (in a URL, write a + as %2B)";

/** One end of a date range (I3). */
const dateTime = (end: "start" | "end", description: string) =>
  parameter(
    (text) => parseDateTime(text, end),
    `an ISO 8601 date-time with offset, for example 2026-11-01T00:00:00-03:00${IN_URL}`,
  ).openapi({ type: "string", format: "date-time", example: "2026-11-01T00:00:00-03:00", description });

/** Both ends of a range over `column`, each optional, both inclusive (I3, L2). */
export const dateRange = (column: string, how = "") => ({
  data_inicio: dateTime(
    "start",
    `Only records whose \`${column}\` is at or after this instant${how}.`,
  ).optional(),
  data_fim: dateTime(
    "end",
    `Only records whose \`${column}\` is at or before this instant${how}.`,
  ).optional(),
});

/** Parameters of one route; a range that ends before it starts is refused, whatever else is wrong (I3, I5). */
export const query = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.object(shape).refine(
    (q) => {
      const { data_inicio, data_fim } = q as { data_inicio?: unknown; data_fim?: unknown };
      // An end that was refused is no text any more.
      return !(typeof data_inicio === "string" && typeof data_fim === "string" && data_inicio > data_fim);
    },
    { path: ["data_inicio"], message: "must not be later than `data_fim`", when: () => true },
  );

/** What is wrong with a parameter or a field of a body, as a sentence that begins with its name (I1). */
export const sentenceOf = ({ path, message }: Pick<z.core.$ZodIssue, "path" | "message">): string =>
  path.length > 0 ? `\`${path.join(".")}\` ${message}.` : `${message}.`;
