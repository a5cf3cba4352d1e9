import fc from "fast-check";
import type pg from "pg";
import { expectedClients, expectedFreshness, expectedRecords, expectedReport } from "./answers.ts";
import { assertEqual, assertProperty } from "./assert.ts";
import { COMPARABLE, earlierQuestion } from "./comparison.ts";
import { expectedPanel } from "./panel.ts";
import {
  LISTS,
  parametersOf,
  type Question,
  questionsOnClients,
  questionsOverTime,
  questionsTo,
  questionsToReports,
  REPORTS,
  REPORTS_OVER_TIME,
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
      if (cursor) await compareByCursor(subject, list, query, records, question.perPage, from);
    },
  );
  await assertProperty(property, rounds, seed);
};

const expectedBody = (db: pg.Client, report: string, question: Question) =>
  report === "painel" ? expectedPanel(db, question) : expectedReport(db, report, question);

/** The expected body, with that of the earlier range; otherwise the parameter that the refusal names. */
const expectedAnswer = async (
  db: pg.Client,
  report: string,
  question: Question,
): Promise<{ body: object } | { refused: string }> => {
  const body = await expectedBody(db, report, question);
  const tooMany = { refused: "granularidade" };
  if (question.comparar === undefined || !COMPARABLE.includes(report))
    return body === undefined ? tooMany : { body: JSON.parse(body) };
  const earlier = await earlierQuestion(db, question);
  if (earlier === undefined) return { refused: "comparar" };
  const earlierBody = await expectedBody(db, report, earlier.question);
  if (body === undefined || earlierBody === undefined) return tooMany;
  const { inicio, fim } = earlier;
  return { body: { ...JSON.parse(body), anterior: { inicio, fim, ...JSON.parse(earlierBody) } } };
};

const compareReport = async (
  { db, service }: Subject,
  report: string,
  question: Question,
  zones: Parameters<typeof parametersOf>[1],
) => {
  const query = parametersOf(question, zones);
  const { status, body } = await service.request(`relatorios/${report}`, query);
  const expected = await expectedAnswer(db, report, question);
  const what = `${report} ${JSON.stringify(query)}`;
  if ("refused" in expected) {
    const refusal = JSON.parse(body).message?.includes(`\`${expected.refused}\``) ? status : body;
    assertEqual(what, refusal, 400);
  } else assertEqual(what, JSON.parse(body), expected.body);
};

const compareReports = async (subject: Subject, seed: number, rounds: number): Promise<void> => {
  const property = fc.asyncProperty(questionsToReports, rangeOffsets, async (question, zones) => {
    for (const report of REPORTS) await compareReport(subject, report, question, zones);
  });
  await assertProperty(property, rounds, seed);
  const overTime = fc.asyncProperty(questionsOverTime, rangeOffsets, async (question, zones) => {
    for (const report of REPORTS_OVER_TIME) await compareReport(subject, report, question, zones);
  });
  // Some of these questions have too many periods, which the service must reject.
  await assertProperty(overTime, rounds * 3, seed);
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
  const withoutClock = ({ data, agora, ...rest }: typeof before) => ({
    data: data.map(({ atraso_segundos, ...job }) => job),
    ...rest,
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

const compareClients = async ({ db, service }: Subject, seed: number, rounds: number) => {
  const property = fc.asyncProperty(questionsOnClients, rangeOffsets, async (question, zones) => {
    const query = parametersOf(question, zones);
    const { status, body } = await service.request("relatorios/clientes", query);
    const expected = await expectedClients(db, question);
    const what = `clientes ${JSON.stringify(query)}`;
    if (expected === undefined)
      assertEqual(what, [status, JSON.parse(body).message?.includes("400 days")], [400, true]);
    else assertEqual(what, JSON.parse(body), expected);
  });
  await assertProperty(property, rounds * 3, seed);
};

/** Compares every list and report under random questions. @param rounds how many questions each gets */
export const compareAll = async (subject: Subject, seed: number, rounds: number): Promise<void> => {
  for (const list of Object.keys(LISTS)) await compareList(subject, list, seed, rounds);
  await compareReports(subject, seed, rounds);
  await compareFreshness(subject);
  await compareRowReports(subject, seed, rounds);
  await compareClients(subject, seed, rounds);
};
