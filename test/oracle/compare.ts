import fc from "fast-check";
import type pg from "pg";
import type { Rights } from "../../src/core/rights.ts";
import { expectedFreshness, expectedRecords, expectedReport } from "./answers.ts";
import { assertEqual, assertProperty } from "./assert.ts";
import { inOneMinute } from "./comparison.ts";
import {
  compareGeneralRandomly,
  EVERYTHING,
  generalReaders,
  type LimitedReader,
} from "./general/compare-general.ts";
import { expectedPanel, expectedSummary } from "./panel.ts";
import {
  LISTS,
  parametersOf,
  type Question,
  questionsTo,
  questionsToPanel,
  questionsToReports,
  REPORTS,
  rangeOffsets,
} from "./questions.ts";
import { expectedRowReport, ROW_REPORTS } from "./row-reports.ts";
import type { Service } from "./service.ts";

/** The service under test and the database that the oracle reads. */
export interface Subject {
  db: pg.Client;
  service: Service;
  /** How many requests are sent concurrently. */
  concurrency: number;
}

interface Page {
  data: unknown[];
  pagination: Record<string, unknown>;
}

/** Calls an async function for each item, with limited concurrency. */
const forEachConcurrently = async <T>(
  items: T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of queue) await work(item);
    }),
  );
};

/** Compares every page of a list and one past the end, with their totals. */
const comparePages = async (
  { service, concurrency }: Subject,
  list: string,
  query: Record<string, string>,
  records: string[],
  perPage: number,
) => {
  const pages = Math.ceil(records.length / perPage);
  const numbers = Array.from({ length: pages + 1 }, (_, n) => n + 1);
  const pagination = { per_page: perPage, total: records.length, total_pages: pages };
  await forEachConcurrently(numbers, concurrency, async (page) => {
    const parameters = { ...query, per_page: String(perPage), page: String(page) };
    const body: Page = JSON.parse(await service.read(list, parameters));
    const what = `${list} ${JSON.stringify(parameters)}`;
    assertEqual(`${what}: pagination`, body.pagination, { page, ...pagination });
    assertEqual(
      `${what}: records`,
      body.data.map((record) => JSON.stringify(record)),
      records.slice((page - 1) * perPage, page * perPage),
    );
  });
};

const idOf = (record: string): number => JSON.parse(record).id;

/** Compares every page of a list by cursor, after the given id. */
const compareByCursor = async (
  { service }: Subject,
  list: string,
  query: Record<string, string>,
  records: string[],
  perPage: number,
  from: number,
) => {
  let left = records.toReversed().filter((record) => idOf(record) > from);
  for (let after: number | null = from; after !== null; ) {
    const parameters = { ...query, per_page: String(perPage), after_id: String(after) };
    const body: Page = JSON.parse(await service.read(list, parameters));
    const shown = left.slice(0, perPage);
    left = left.slice(perPage);
    after = left.length > 0 ? idOf(shown.at(-1) ?? "") : null;
    const what = `${list} ${JSON.stringify(parameters)}`;
    assertEqual(
      `${what}: records`,
      body.data.map((record) => JSON.stringify(record)),
      shown,
    );
    assertEqual(`${what}: pagination`, body.pagination, {
      per_page: perPage,
      next_after_id: after,
      has_more: after !== null,
    });
  }
};

/** A cursor has an order of its own. */
const assertNoOrderedCursor = async ({ service }: Subject, list: string, query: Record<string, string>) => {
  const { status, body } = await service.request(list, { ...query, after_id: "0" });
  const what = `${list} ${JSON.stringify(query)} with after_id`;
  assertEqual(what, [status, JSON.parse(body).message?.includes("`ordem`")], [400, true]);
};

/** Compares a list under random questions. @throws with the shortest question whose response differs */
const compareList = async (subject: Subject, list: string, seed: number, rounds: number): Promise<void> => {
  const { cursor, ...options } = LISTS[list] as (typeof LISTS)[string];
  const ids = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 * 16_384 }));
  const property = fc.asyncProperty(
    questionsTo(options),
    rangeOffsets,
    ids,
    async (question, zones, from) => {
      const records = await expectedRecords(subject.db, list, question);
      const query = parametersOf(question, zones);
      await comparePages(subject, list, query, records, question.perPage);
      if (cursor && query.ordem === undefined)
        await compareByCursor(subject, list, query, records, question.perPage, from);
      else if (cursor) await assertNoOrderedCursor(subject, list, query);
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
  { db, reader: { rights, read } }: { db: pg.Client; reader: LimitedReader },
  report: string,
  question: Question,
  zones: Parameters<typeof parametersOf>[1],
) => {
  const query = parametersOf(question, zones);
  const { answer, now } = await inOneMinute(() => read.request(`relatorios/${report}`, query));
  const { status, body } = answer;
  const expected = await expectedAnswer(db, report, question, { rights, now });
  const what = `${report} ${JSON.stringify(query)} with ${JSON.stringify(rights)}`;
  if ("says" in expected) {
    const said = expected.says.some((part) => body.includes(part)) ? expected.says : body;
    assertEqual(what, [status, said], [expected.status, expected.says]);
  } else assertEqual(what, withoutClock(JSON.parse(body)), withoutClock(expected.body));
};

const compareReports = async ({ db, service }: Subject, seed: number, rounds: number): Promise<void> => {
  const everything = { db, reader: { rights: EVERYTHING, read: service } };
  const property = fc.asyncProperty(questionsToReports, rangeOffsets, async (question, zones) => {
    for (const report of REPORTS) await compareReport(everything, report, question, zones);
  });
  await assertProperty(property, rounds, seed);
};

/** Compares the panel under random questions. Some have too many periods, which the service must reject. */
export const comparePanel = async ({ db, service }: Subject, seed: number, rounds: number): Promise<void> => {
  const readers = fc.constantFrom(...(await generalReaders(service)));
  const panels = fc.asyncProperty(questionsToPanel, rangeOffsets, readers, (question, zones, reader) =>
    compareReport({ db, reader }, "painel", question, zones),
  );
  await assertProperty(panels, rounds, seed);
};

/** Compares the freshness. Each delay must be between those expected before and after the request. */
const compareFreshness = async ({ db, service }: Subject): Promise<void> => {
  const before = await expectedFreshness(db);
  const body: typeof before = JSON.parse(await service.read("frescor"));
  const after = await expectedFreshness(db);
  const delays = ({ data }: typeof before) => data.map(({ atraso_segundos }) => atraso_segundos);
  const isBetween = delays(body).every((delay, n) => {
    const [least, most] = [delays(before)[n] ?? null, delays(after)[n] ?? null];
    return delay === null || least === null || most === null
      ? delay === least && delay === most
      : delay >= least && delay <= most;
  });
  assertEqual("frescor", withoutClock(body), withoutClock(before));
  const isNow = before.agora <= body.agora && body.agora <= after.agora;
  assertEqual(`frescor: ${before.agora} <= ${body.agora} <= ${after.agora}`, isNow, true);
  assertEqual("frescor: delays in order", isBetween, true);
};

const compareRowReports = async ({ db, service }: Subject, seed: number, rounds: number) => {
  for (const [report, { filters }] of Object.entries(ROW_REPORTS)) {
    const questions = questionsTo({ filters, range: true });
    const property = fc.asyncProperty(questions, rangeOffsets, async (question, zones) => {
      const query = parametersOf(question, zones);
      const body = await service.read(`relatorios/${report}`, query);
      assertEqual(
        `${report} ${JSON.stringify(query)}`,
        JSON.parse(body),
        await expectedRowReport(db, report, question),
      );
    });
    await assertProperty(property, rounds, seed);
  }
};

/** Compares every list and report under random questions. @param rounds how many questions each gets */
export const compareAll = async (subject: Subject, seed: number, rounds: number): Promise<void> => {
  for (const list of Object.keys(LISTS)) await compareList(subject, list, seed, rounds);
  await compareReports(subject, seed, rounds);
  await comparePanel(subject, seed, rounds * 3);
  await compareFreshness(subject);
  await compareRowReports(subject, seed, rounds);
  const readers = await generalReaders(subject.service);
  await compareGeneralRandomly(subject.db, readers, { seed, rounds: Math.max(rounds, 24) });
};
