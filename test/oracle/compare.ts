import fc from "fast-check";
import type pg from "pg";
import type { Rights } from "../../src/core/rights.ts";
import { expectedFreshness, expectedReport, expectedRows } from "./answers.ts";
import { assertEqual, assertProperty } from "./assert.ts";
import { inOneMinute } from "./comparison.ts";
import {
  assertRefused,
  compareGeneralRandomly,
  EVERYTHING,
  generalReaders,
  type LimitedReader,
} from "./general/compare-general.ts";
import { parametersOf } from "./general/general-question.ts";
import { expectedPanel, expectedSummary } from "./panel.ts";
import { LISTS, type Question, questionsTo, questionsToPanel, REPORTS, rangeOffsets } from "./questions.ts";
import { SESSIONS, type Service } from "./service.ts";
import type { Warehouse } from "./warehouse.ts";

/** The service under test and the database that the oracle reads. */
export interface Subject {
  warehouse: Pick<Warehouse, "db">;
  service: Service;
}

interface Page {
  data: unknown[];
  pagination: Record<string, unknown>;
}

type Records = Awaited<ReturnType<typeof expectedRows>>;

const assertRecords = (what: string, { data }: Page, expected: Records) =>
  assertEqual(
    `${what}: records`,
    data.map((record) => JSON.stringify(record)),
    expected.map(({ record }) => record),
  );

/** Compares every page of a list and one past the end, with their totals. */
const comparePages = async (
  { service }: Subject,
  list: string,
  query: Record<string, string>,
  records: Records,
  perPage: number,
) => {
  const pages = Math.ceil(records.length / perPage);
  const numbers = Array.from({ length: pages + 1 }, (_, n) => n + 1).values();
  const pagination = { per_page: perPage, total: records.length, total_pages: pages };
  const compareNext = async () => {
    for (const page of numbers) {
      const parameters = { ...query, per_page: String(perPage), page: String(page) };
      const body: Page = JSON.parse(await service.read(list, parameters));
      const what = `${list} ${JSON.stringify(parameters)}`;
      assertEqual(`${what}: pagination`, body.pagination, { page, ...pagination });
      assertRecords(what, body, records.slice((page - 1) * perPage, page * perPage));
    }
  };
  await Promise.all(Array.from({ length: SESSIONS }, compareNext));
};

/** Compares every page of a list by cursor, after the given id. */
const compareByCursor = async (
  { service }: Subject,
  list: string,
  query: Record<string, string>,
  records: Records,
  perPage: number,
  from: number,
) => {
  let left = records.toReversed().filter(({ id }) => id > from);
  for (let after: number | null = from; after !== null; ) {
    const parameters = { ...query, per_page: String(perPage), after_id: String(after) };
    const body: Page = JSON.parse(await service.read(list, parameters));
    const shown = left.slice(0, perPage);
    left = left.slice(perPage);
    after = left.length > 0 ? (shown.at(-1)?.id ?? null) : null;
    const what = `${list} ${JSON.stringify(parameters)}`;
    assertRecords(what, body, shown);
    assertEqual(`${what}: pagination`, body.pagination, {
      per_page: perPage,
      next_after_id: after,
      has_more: after !== null,
    });
  }
};

/** Compares a whole list after an id, with some fields or all of them (X2). @param chosen a bit for each field */
const compareWhole = async (
  { service }: Subject,
  list: string,
  { ordem: _, ...query }: Record<string, string>,
  records: Records,
  { from, chosen }: { from: number; chosen: number },
) => {
  const names = Object.keys(JSON.parse(records[0]?.record ?? "{}")).filter((_, n) => chosen & (1 << n));
  const parameters = {
    ...query,
    tudo: "true",
    after_id: String(from),
    ...(names.length > 0 && { campos: names.join() }),
  };
  const lineOf = ({ id, record }: Records[number]) => {
    const all = Object.entries(JSON.parse(record));
    return JSON.stringify({
      ...Object.fromEntries(names.length > 0 ? all.filter(([name]) => names.includes(name)) : all),
      id,
    });
  };
  const lines = (await service.read(list, parameters)).split("\n");
  assertEqual(
    `${list} ${JSON.stringify(parameters)}`,
    lines.map((line) => line && JSON.stringify(JSON.parse(line))),
    [
      ...records
        .filter(({ id }) => id > from)
        .toSorted((a, b) => a.id - b.id)
        .map(lineOf),
      "",
    ],
  );
};

/** Compares a list under random questions. @throws with the shortest question whose response differs */
export const compareList = async (
  subject: Subject,
  list: string,
  { seed, rounds, filters }: { seed: number; rounds: number; filters?: Record<string, string> | undefined },
): Promise<void> => {
  const { cursor, ...options } = LISTS[list] as (typeof LISTS)[string];
  const ids = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 * 16_384 }));
  const property = fc.asyncProperty(
    questionsTo(options),
    rangeOffsets,
    ids,
    fc.nat(),
    async (random, zones, from, chosen) => {
      const question = { ...random, filters: { ...random.filters, ...filters } };
      const records = await expectedRows(subject.warehouse.db, list, question);
      const query = parametersOf(question, zones);
      await comparePages(subject, list, query, records, question.perPage);
      // A cursor has an order of its own (L10).
      if (cursor && query.ordem === undefined)
        await compareByCursor(subject, list, query, records, question.perPage, from);
      await compareWhole(subject, list, query, records, { from, chosen });
    },
  );
  await assertProperty(property, rounds, seed);
};

/** The expected body, or the expected refusal. @param now epoch milliseconds */
const expectedAnswer = async (
  db: pg.Client,
  report: string,
  question: Question,
  reading: { rights: Rights; now: number },
) => {
  const { now } = reading;
  if (report === "painel") return expectedPanel(db, question, reading);
  if (report === "resumo") return expectedSummary(db, question, now);
  return { body: await expectedReport(db, report, question) };
};

/** The parts of a body that do not change every second. */
const withoutClock = (body: object): object =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === "atraso_segundos" || name === "agora" ? undefined : value,
  );

const compareReport = async (
  db: pg.Client,
  { rights, read }: LimitedReader,
  report: string,
  question: Question,
  zones: Parameters<typeof parametersOf>[1],
) => {
  const query = parametersOf(question, zones);
  const { answer, now } = await inOneMinute(() => read.request(`relatorios/${report}`, query));
  const expected = await expectedAnswer(db, report, question, { rights, now });
  const what = `${report} ${JSON.stringify(query)} with ${JSON.stringify(rights)}`;
  if ("says" in expected) assertRefused(what, answer, expected);
  else assertEqual(what, withoutClock(JSON.parse(answer.body)), withoutClock(expected.body));
};

export const compareReports = async (
  { warehouse: { db }, service }: Subject,
  seed: number,
  rounds: number,
): Promise<void> => {
  const everything = { rights: EVERYTHING, read: service };
  for (const [report, questions] of Object.entries(REPORTS)) {
    const property = fc.asyncProperty(questions, rangeOffsets, (question, zones) =>
      compareReport(db, everything, report, question, zones),
    );
    await assertProperty(property, rounds, seed);
  }
};

/** Compares the panel under random questions. Some have too many periods, which the service must reject. */
export const comparePanel = async (
  { warehouse: { db }, service }: Subject,
  seed: number,
  rounds: number,
  readers?: LimitedReader[],
): Promise<void> => {
  const some = fc.constantFrom(...(readers ?? (await generalReaders(service))));
  const panels = fc.asyncProperty(questionsToPanel, rangeOffsets, some, (question, zones, reader) =>
    compareReport(db, reader, "painel", question, zones),
  );
  await assertProperty(panels, rounds, seed);
};

const compareFreshness = async ({ warehouse: { db }, service }: Subject): Promise<void> => {
  const body = JSON.parse(await service.read("frescor"));
  assertEqual("frescor", withoutClock(body), withoutClock(await expectedFreshness(db)));
};

/** Compares every list and report under random questions. @param rounds how many questions each gets */
export const compareAll = async (subject: Subject, seed: number, rounds: number): Promise<void> => {
  for (const list of Object.keys(LISTS)) await compareList(subject, list, { seed, rounds });
  await compareReports(subject, seed, rounds);
  await comparePanel(subject, seed, rounds * 3);
  await compareFreshness(subject);
  const readers = await generalReaders(subject.service);
  await compareGeneralRandomly(subject.warehouse.db, readers, { seed, rounds: Math.max(rounds, 24) });
};
