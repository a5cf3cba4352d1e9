import { answerOf, type Target } from "../service.ts";
import { type ComparedRequest, CSV } from "./questions.ts";

/** Normalizes a value for comparison: timestamps to UTC ISO strings, object keys in alphabetical order. */
const canonical = (value: unknown): unknown => {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value).toISOString();
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, canonical(part)]));
};

/** The parts of an answer that are compared: its records or its single record, and the total count. */
interface Answered {
  body: unknown;
  total?: number;
}

/** Columns before the first time: PostgREST writes times and booleans in another form. */
const COMPARED_COLUMNS = 3;

const cellsOf = (csv: string): string[][] =>
  csv
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(",").slice(0, COMPARED_COLUMNS));

const askForCsv = async (target: Target, path: string) => cellsOf((await answerOf(target, path)).body);

const ask = async (target: Target, path: string) => {
  const { body, headers } = await answerOf(target, path);
  return { body: JSON.parse(body), range: headers.get("content-range") };
};

const omitFields = (value: unknown, fields: string[]): unknown =>
  JSON.parse(JSON.stringify(value, (key, part) => (fields.includes(key) ? undefined : part)));

/** Asserts the same records, order and count. @throws with an excerpt of the difference */
const sameAnswer = (name: string, ours: Answered, theirs: Answered) => {
  const [one, two] = [ours, theirs].map((answer) => JSON.stringify(canonical(answer)));
  if (one === two) return;
  const at = [...(one ?? "")].findIndex((letter, n) => letter !== two?.[n]);
  const excerpt = (text = "") => text.slice(Math.max(0, at - 100), at + 200);
  throw new Error(`${name}: PostgREST returns something else\n${excerpt(one)}\n${excerpt(two)}`);
};

export const withHeaders = (theirs: Target, { headers = {} }: ComparedRequest): Target => ({
  ...theirs,
  headers,
});

/** Sends the question to both servers and compares the answers. @throws if they differ or are empty */
export const compareAnswers = async (asked: ComparedRequest, ours: Target, theirs: Target) => {
  if (asked.headers === CSV) {
    const [us, them] = [ours, withHeaders(theirs, asked)];
    const rows = await askForCsv(us, asked.ours);
    if (rows.length < 2) throw new Error(`${asked.name}: no records to compare`);
    return sameAnswer(asked.name, { body: rows }, { body: await askForCsv(them, asked.theirs) });
  }
  const [us, them] = await Promise.all([
    ask(ours, asked.ours),
    ask(withHeaders(theirs, asked), asked.theirs),
  ]);
  const body = omitFields(us.body.data ?? us.body, asked.without ?? []);
  if (Array.isArray(body) && body.length === 0) throw new Error(`${asked.name}: no records to compare`);
  const counts = asked.headers?.prefer !== undefined;
  sameAnswer(
    asked.name,
    { body, ...(counts && { total: us.body.pagination.total }) },
    { body: them.body, ...(counts && { total: Number(them.range?.split("/")[1]) }) },
  );
};
