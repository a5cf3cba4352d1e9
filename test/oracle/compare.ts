import fc from "fast-check";
import type pg from "pg";
import { freshnessOf, recordsOf, reportOf } from "./answers.ts";
import { panelOf } from "./panel.ts";
import {
  LISTS,
  type Question,
  queryOf,
  questionsOverTime,
  questionsTo,
  questionsToReports,
  REPORTS,
  REPORTS_OVER_TIME,
  wording,
} from "./questions.ts";
import { answerOf, SALES_AND_PAYMENTS } from "./sales-and-payments.ts";
import type { Service } from "./service.ts";

/** The warehouse as the oracle sees it, and the service under test. */
export interface Subject {
  db: pg.Client;
  service: Service;
  /** How many requests are sent at once. */
  atOnce: number;
}

interface Page {
  data: unknown[];
  pagination: Record<string, unknown>;
}

/** Does the same with each of many, a few at once. */
const each = async <T>(items: T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> => {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
};

const expectSame = (what: string, got: unknown, expected: unknown) => {
  const [one, two] = [JSON.stringify(got), JSON.stringify(expected)];
  if (one !== two)
    throw new Error(`${what}\n  answered ${one?.slice(0, 2000)}\n  expected ${two?.slice(0, 2000)}`);
};

/** The total, every page and one past the end. */
const comparePages = async (
  { service, atOnce }: Subject,
  list: string,
  query: Record<string, string>,
  records: string[],
  perPage: number,
) => {
  const pages = Math.ceil(records.length / perPage);
  const numbers = Array.from({ length: pages + 1 }, (_, n) => n + 1);
  const pagination = { per_page: perPage, total: records.length, total_pages: pages };
  await each(numbers, atOnce, async (page) => {
    const asked = { ...query, per_page: String(perPage), page: String(page) };
    const body: Page = JSON.parse(await service.read(list, asked));
    const what = `${list} ${JSON.stringify(asked)}`;
    expectSame(`${what}: pagination`, body.pagination, { page, ...pagination });
    expectSame(
      `${what}: records`,
      body.data.map((record) => JSON.stringify(record)),
      records.slice((page - 1) * perPage, page * perPage),
    );
  });
};

const idOf = (record: string): number => JSON.parse(record).id;

/** The whole walk by cursor, from a place of its own. */
const compareWalk = async (
  { service }: Subject,
  list: string,
  query: Record<string, string>,
  records: string[],
  perPage: number,
  from: number,
) => {
  let left = records.toReversed().filter((record) => idOf(record) > from);
  for (let after: number | null = from; after !== null; ) {
    const asked = { ...query, per_page: String(perPage), after_id: String(after) };
    const body: Page = JSON.parse(await service.read(list, asked));
    const shown = left.slice(0, perPage);
    left = left.slice(perPage);
    after = left.length > 0 ? idOf(shown.at(-1) ?? "") : null;
    const what = `${list} ${JSON.stringify(asked)}`;
    expectSame(
      `${what}: records`,
      body.data.map((record) => JSON.stringify(record)),
      shown,
    );
    expectSame(`${what}: pagination`, body.pagination, {
      per_page: perPage,
      next_after_id: after,
      has_more: after !== null,
    });
  }
};

/** Asks one list so many random questions. @throws at the first answer that differs, with the shortest question found */
const compareList = async (subject: Subject, list: string, seed: number, rounds: number): Promise<void> => {
  const { cursor, ...asked } = LISTS[list] as (typeof LISTS)[string];
  const ids = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 * 16_384 }));
  const property = fc.asyncProperty(questionsTo(asked), wording, ids, async (question, zones, from) => {
    const records = await recordsOf(subject.db, list, question);
    const query = queryOf(question, zones);
    await comparePages(subject, list, query, records, question.perPage);
    if (cursor) await compareWalk(subject, list, query, records, question.perPage, from);
  });
  await fc.assert(property, { numRuns: rounds, seed });
};

const compareReport = async (
  { db, service }: Subject,
  report: string,
  question: Question,
  zones: Parameters<typeof queryOf>[1],
) => {
  const query = queryOf(question, zones);
  const { status, body } = await service.ask(`relatorios/${report}`, query);
  const expected = await (report === "painel" ? panelOf(db, question) : reportOf(db, report, question));
  const what = `${report} ${JSON.stringify(query)}`;
  if (expected === undefined) {
    const refusal = JSON.parse(body).message?.includes("`granularidade`") ? status : body;
    expectSame(what, refusal, 400);
  } else expectSame(what, JSON.parse(body), JSON.parse(expected));
};

const compareReports = async (subject: Subject, seed: number, rounds: number): Promise<void> => {
  const property = fc.asyncProperty(questionsToReports, wording, async (question, zones) => {
    for (const report of REPORTS) await compareReport(subject, report, question, zones);
  });
  await fc.assert(property, { numRuns: rounds, seed });
  const overTime = fc.asyncProperty(questionsOverTime, wording, async (question, zones) => {
    for (const report of REPORTS_OVER_TIME) await compareReport(subject, report, question, zones);
  });
  // Some of them are refused, by the range or by what the visits make of it.
  await fc.assert(overTime, { numRuns: rounds * 3, seed });
};

/** Seconds go by while it is asked: each delay lies between that of before and that of after. */
const compareFreshness = async ({ db, service }: Subject): Promise<void> => {
  const before = await freshnessOf(db);
  const body: typeof before = JSON.parse(await service.read("frescor"));
  const after = await freshnessOf(db);
  const delays = ({ data }: typeof before) => data.map(({ atraso_segundos }) => atraso_segundos);
  const isBetween = delays(body).every((delay, n) => {
    const [least, most] = [delays(before)[n] ?? null, delays(after)[n] ?? null];
    return delay === null || least === null || most === null
      ? delay === least && delay === most
      : delay >= least && delay <= most;
  });
  const lasting = ({ data, ...rest }: typeof before) => ({
    data: data.map(({ atraso_segundos, ...job }) => job),
    ...rest,
  });
  expectSame("frescor", lasting(body), lasting(before));
  expectSame("frescor: delays in order", isBetween, true);
};

const compareSalesAndPayments = async ({ db, service }: Subject, seed: number, rounds: number) => {
  for (const [report, { filters }] of Object.entries(SALES_AND_PAYMENTS)) {
    const asked = questionsTo({ filters, range: true });
    const property = fc.asyncProperty(asked, wording, async (question, zones) => {
      const query = queryOf(question, zones);
      const body = await service.read(`relatorios/${report}`, query);
      expectSame(
        `${report} ${JSON.stringify(query)}`,
        JSON.parse(body),
        await answerOf(db, report, question),
      );
    });
    await fc.assert(property, { numRuns: rounds, seed });
  }
};

/** Every list and every report, each asked so many random questions. */
export const compareAll = async (subject: Subject, seed: number, rounds: number): Promise<void> => {
  for (const list of Object.keys(LISTS)) await compareList(subject, list, seed, rounds);
  await compareReports(subject, seed, rounds);
  await compareFreshness(subject);
  await compareSalesAndPayments(subject, seed, rounds);
};
