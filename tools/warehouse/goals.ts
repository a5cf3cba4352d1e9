import type { ClientBase } from "pg";
import { FIRST_YEAR, LAST_YEAR } from "../../src/core/periods.ts";

const HEADER = ["unidade", "mes", "valor"];
const MAX_NAMED = 20;

interface CsvRecord {
  /** The line that the record starts in, from 1. */
  line: number;
  cells: string[];
}
interface LineError {
  line: number;
  message: string;
}
interface Goal {
  line: number;
  /** The unit's `salon_id`. */
  unit: string;
  /** `AAAA-MM`. */
  month: string;
  /** With a decimal point. */
  value: string;
}

/** A file that sets no goals. The message has one line for each error. */
class GoalsError extends Error {}

const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** Decodes a file. @throws GoalsError unless it is UTF-8 */
const decoded = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new GoalsError("The file is not in UTF-8. In Excel, save it as CSV UTF-8.");
  }
};

/** A cell: in quotes, with quotes inside doubled, or without any. */
const CELL = /"((?:[^"]|"")*)"|([^";\r\n]*)/y;
const END_OF_CELL = /;|\r?\n|$/y;

/** Parses semicolon-separated records. A record after a syntax error is not parsed. */
const parseCsv = (text: string): { records: CsvRecord[]; errors: LineError[] } => {
  const records: CsvRecord[] = [];
  let [at, line, record] = [0, 1, { line: 1, cells: [] } as CsvRecord];
  while (at < text.length || record.cells.length > 0) {
    CELL.lastIndex = at;
    const [whole = "", inQuotes, plain = ""] = CELL.exec(text) ?? [];
    record.cells.push(inQuotes?.replaceAll('""', '"') ?? plain);
    line += whole.split("\n").length - 1;
    END_OF_CELL.lastIndex = at + whole.length;
    const end = END_OF_CELL.exec(text)?.[0];
    if (end === undefined)
      return { records, errors: [{ line, message: "a quotation mark is missing or misplaced" }] };
    at += whole.length + end.length;
    if (end === ";") continue;
    records.push(record);
    line += 1;
    record = { line, cells: [] };
  }
  return { records, errors: [] };
};

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;
const VALUE = /^\d{1,12}(?:[.,]\d{1,2})?$/;

const isMonth = (text: string): boolean => {
  const year = Number(MONTH.exec(text)?.[1]);
  return year >= FIRST_YEAR && year <= LAST_YEAR;
};

const errorOf = ({ cells }: CsvRecord): string | undefined => {
  const [unit = "", month = "", value = ""] = cells;
  if (cells.length !== HEADER.length)
    return `must have ${HEADER.length} cells, separated by semicolons; got ${cells.length}`;
  if (unit === "") return "`unidade` must be the `salon_id` of a unit; got an empty cell";
  if (!isMonth(month))
    return `\`mes\` must be a month from ${FIRST_YEAR} to ${LAST_YEAR}, for example 2026-11; got ${quoted(month)}`;
  if (!VALUE.test(value))
    return `\`valor\` must be an amount with at most two decimals and no thousands separators, for example 45000,00; got ${quoted(value)}`;
  return undefined;
};

/** Reads the goals of a file, and an error for each line that has none. @throws GoalsError if the header is wrong */
const readGoals = (bytes: Uint8Array): { goals: Goal[]; errors: LineError[] } => {
  // `TextDecoder` removes the byte order mark.
  const { records, errors } = parseCsv(decoded(bytes).trimEnd());
  const [header, ...others] = records;
  if (header?.cells.join(";") !== HEADER.join(";")) {
    const got = header ? quoted(header.cells.join(";")) : "no header";
    throw new GoalsError(`Line 1: the header must be \`${HEADER.join(";")}\`; got ${got}.`);
  }
  const goals: Goal[] = [];
  const lines = new Map<string, number>();
  for (const record of others) {
    const { line, cells } = record;
    const [unit = "", month = "", value = ""] = cells;
    const key = JSON.stringify([unit, month]);
    const first = lines.get(key);
    const message =
      errorOf(record) ??
      (first && `unit ${quoted(unit)} has a goal for ${month} in line ${first} already. Keep one of them`);
    if (message) errors.push({ line, message });
    else goals.push({ line, unit, month, value: value.replace(",", ".") });
    if (first === undefined) lines.set(key, line);
  }
  if (others.length === 0 && errors.length === 0)
    throw new GoalsError("The file has no goals: it has only the header.");
  return { goals, errors };
};

const messageOf = (errors: LineError[]): string => {
  const lines = errors
    .toSorted((a, b) => a.line - b.line)
    .slice(0, MAX_NAMED)
    .map(({ line, message }) => `Line ${line}: ${message}.`);
  const omitted = errors.length - lines.length;
  return [
    ...lines,
    ...(omitted > 0 ? [`${omitted} more errors.`] : []),
    "No goal was changed. Correct the file, then run the command again.",
  ].join("\n");
};

/**
 * Sets the goals that a file names, and keeps the others (B1). Runs in the caller's transaction.
 * @returns the number of goals set
 * @throws GoalsError that names each wrong line; nothing was changed then
 */
export const setGoals = async (db: ClientBase, bytes: Uint8Array): Promise<number> => {
  const { goals, errors } = readGoals(bytes);
  const { rows } = await db.query("select salon_id from estabelecimentos where salon_id = any($1)", [
    goals.map(({ unit }) => unit),
  ]);
  const known = new Set(rows.map(({ salon_id }) => salon_id));
  const unknown = goals
    .filter(({ unit }) => !known.has(unit))
    .map(({ line, unit }) => ({ line, message: `no unit has the \`salon_id\` ${quoted(unit)}` }));
  const all = [...errors, ...unknown];
  if (all.length > 0) throw new GoalsError(messageOf(all));
  await db.query(
    `insert into metas (estabelecimento_id, mes, valor)
     select unit, (month || '-01')::date, value
     from unnest($1::text[], $2::text[], $3::numeric[]) as goal(unit, month, value)
     on conflict (estabelecimento_id, mes) do update
       set valor = excluded.valor
       where metas.valor <> excluded.valor`,
    [goals.map(({ unit }) => unit), goals.map(({ month }) => month), goals.map(({ value }) => value)],
  );
  return goals.length;
};
