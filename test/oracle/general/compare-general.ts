import fc from "fast-check";
import type pg from "pg";
import type { Rights } from "../../../src/core/rights.ts";
import { assertEqual, assertProperty } from "../assert.ts";
import { dataInstant, earlierQuestion, inOneMinute, reachedBy } from "../comparison.ts";
import { rangeOffsets } from "../questions.ts";
import type { Reader, Service } from "../service.ts";
import { asksFor, dayEndOf, expectedRefusal, type Refusal } from "./expected-refusal.ts";
import { type Asked, expectedRows, type Row } from "./expected-rows.ts";
import { dimensionsOf, type GeneralQuestion, generalQuestions, parametersOf } from "./general-question.ts";
import { namedRange } from "./named-periods.ts";
import type { PlainSource } from "./plain-source.ts";
import { SOURCES } from "./sources.ts";

/** The cells of CSV with CRLF after each record. An empty cell without quotes is null (X1). */
const csvRecords = (text: string): (string | null)[][] => {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [, quotedText, plain = "", end] = match;
    record.push(quotedText?.replaceAll('""', '"') ?? (plain === "" ? null : plain));
    if (end === "\r\n") {
      records.push(record);
      record = [];
    }
    if (cell.lastIndex === text.length) return records;
  }
  throw new Error(`no CSV: ${text.slice(0, 200)}`);
};

/** A cell as JSON has it. Two numbers may be written differently. */
const asText = (value: unknown): string | null => {
  if (value === null) return null;
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text;
};

/** The records of CSV and those of the rows, comparable. */
const comparableCsv = (
  text: string,
  rows: Record<string, unknown>[],
): { actual: unknown; expected: unknown } => {
  const [header = [], ...records] = csvRecords(text);
  const flat = rows.map(({ anterior, ...row }) => ({
    ...row,
    ...Object.fromEntries(Object.entries(anterior ?? {}).map(([name, value]) => [`anterior_${name}`, value])),
  }));
  const names = header.map(String);
  return {
    actual: [flat.length > 0 ? names : [], ...records.map((record) => record.map(asText))],
    expected: [Object.keys(flat[0] ?? {}), ...flat.map((row) => Object.values(row).map(asText))],
  };
};

/** A reader of the service with their rights. */
export interface LimitedReader {
  rights: Rights;
  read: Pick<Reader, "request">;
}

interface Answer {
  rows: Row[];
  totals: Row;
  anterior: { inicio: string; fim: string; ate: string | null } | undefined;
}

const MAX_PERIODS = 1100;
const DEFAULT_LIMIT = 100;

const rangeOf = (source: PlainSource, { periodo, data, from, to }: GeneralQuestion) =>
  periodo === undefined ? { from, to } : namedRange(periodo, source.isAhead(data));

/** Without personal data, no end within a second shows the visits of that second (R24). */
const rangeFor = async (
  db: pg.Client,
  { source, question, rights }: Pick<Asked, "source" | "question" | "rights">,
) => {
  const { from, to } = rangeOf(source, question);
  const isInDays = asksFor("linksVisits", { source, question }) && !rights.personalData && to !== undefined;
  return { from, to: isInDays ? await dayEndOf(db, to) : to };
};

/** The range to compare with, or undefined if there is none. */
const earlierOf = async (
  db: pg.Client,
  { source, question, range }: Pick<Asked, "source" | "question" | "range">,
  now: number,
) => {
  const { comparar, data } = question;
  if (comparar === undefined || range.from === undefined || range.to === undefined) return undefined;
  const asked = { from: range.from, to: range.to, comparar };
  const until = source.isAhead(data) ? "end" : source.dates ? "now" : "data-instant";
  const found = await earlierQuestion(db, asked, await reachedBy(db, until, asked, now));
  if (found === undefined) return undefined;
  const { question: earlier, ...ends } = found;
  // Now may move the end, too. Only the data instant is named.
  const anterior = { ...ends, ate: until === "data-instant" ? ends.ate : null };
  return { anterior, range: { from: earlier.from, to: earlier.to } };
};

const isSeries = (source: PlainSource, question: GeneralQuestion) => {
  const dimensions = dimensionsOf(source, question);
  return dimensions.length === 1 && dimensions[0]?.unit !== undefined;
};

/** The expected answer before `limite`, or the expected refusal. @param now epoch milliseconds */
export const expectedAnswer = async (
  db: pg.Client,
  name: string,
  question: GeneralQuestion,
  rights: Rights,
  now: number,
): Promise<Answer | Refusal> => {
  const source = SOURCES[name] as PlainSource;
  const range = await rangeFor(db, { source, question, rights });
  const earlier = await earlierOf(db, { source, question, range }, now);
  const refusal = await expectedRefusal(db, { source, question, rights, range }, earlier !== undefined, now);
  if (refusal) return refusal;
  const reached = await dataInstant(db, now);
  const asked = { source, question, rights, range, earlier: earlier?.range, reached };
  const rows = await expectedRows(db, asked);
  if (isSeries(source, question) && rows.length > MAX_PERIODS)
    return { status: 400, says: ["more than 1,100 periods"] };
  const [totals = {}] = await expectedRows(db, { ...asked, isTotal: true });
  return { rows, totals, anterior: earlier?.anterior };
};

/** The expected body. A series and CSV have no default limit. */
export const bodyOf = ({ rows, totals, anterior }: Answer, limit: number | undefined) => ({
  data: rows.slice(0, limit),
  linhas: rows.length,
  totais: totals,
  ...(anterior && { anterior }),
});

/** Asserts the status of a refusal, and one of its words. */
export const assertRefused = (
  what: string,
  { status, body }: { status: number; body: string },
  { says, ...expected }: Refusal,
) => {
  const said = says.some((part) => body.includes(part)) ? says : body;
  assertEqual(what, [status, said], [expected.status, says]);
};

/** Compares the answer to one question. */
const compareGeneral = async (
  db: pg.Client,
  { rights, read }: LimitedReader,
  name: string,
  question: GeneralQuestion,
  query: Record<string, string>,
): Promise<void> => {
  const { answer, now } = await inOneMinute(() => read.request(`relatorios/${name}`, query));
  const { status, body } = answer;
  const what = `${name} ${JSON.stringify(query)} with ${JSON.stringify(rights)}`;
  const expected = await expectedAnswer(db, name, question, rights, now);
  if ("says" in expected) return assertRefused(what, answer, expected);
  if (status !== 200) assertEqual(what, [status, body], [200, "an answer"]);
  if (question.isCsv) {
    const csv = comparableCsv(body, expected.rows.slice(0, question.limite));
    return assertEqual(what, csv.actual, csv.expected);
  }
  const isCut = !isSeries(SOURCES[name] as PlainSource, question);
  assertEqual(
    what,
    JSON.parse(body),
    bodyOf(expected, question.limite ?? (isCut ? DEFAULT_LIMIT : undefined)),
  );
};

export const EVERYTHING: Rights = { units: null, personalData: true, payments: true };
const RIGHTS: Rights[] = [
  { units: ["101"], personalData: true, payments: true },
  { ...EVERYTHING, personalData: false },
  { units: ["", "102", "201"], personalData: false, payments: false },
];

/** A reader without limits, of one unit, without personal data, and of some units without payments. */
export const generalReaders = async (service: Service): Promise<LimitedReader[]> => [
  { rights: EVERYTHING, read: service },
  ...(await Promise.all(RIGHTS.map(async (rights) => ({ rights, read: await service.as(rights) })))),
];

export type Asks = Partial<Pick<GeneralQuestion, "por" | "medidas" | "filters" | "isCsv">>;

interface Randomly {
  seed: number;
  rounds: number;
  /** Those to compare. */
  sources?: typeof SOURCES;
  /** What every question asks for, whatever else is random. */
  asks?: Asks | undefined;
}

/** Compares general reports under random questions of each of the readers. */
export const compareGeneralRandomly = async (
  db: pg.Client,
  readers: LimitedReader[],
  { seed, rounds, sources = SOURCES, asks }: Randomly,
): Promise<void> => {
  for (const [name, source] of Object.entries(sources)) {
    const property = fc.asyncProperty(
      generalQuestions(source),
      rangeOffsets,
      fc.constantFrom(...readers),
      (random, zones, reader) => {
        // The order may be by a column that is not asked for any more.
        const question = asks ? { ...random, ...asks, ordem: undefined } : random;
        return compareGeneral(db, reader, name, question, parametersOf(question, zones));
      },
    );
    await assertProperty(property, rounds, seed);
  }
};
