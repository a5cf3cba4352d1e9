import fc from "fast-check";
import type pg from "pg";
import { recordsOf, reportOf } from "./answers.ts";
import {
  LISTS,
  type Question,
  queryOf,
  questionsTo,
  questionsToReports,
  REPORTS,
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

const compareReports = async ({ db, service }: Subject, seed: number, rounds: number): Promise<void> => {
  const property = fc.asyncProperty(questionsToReports, wording, async (question: Question, zones) => {
    for (const report of REPORTS) {
      const query = queryOf(question, zones);
      const body = await service.read(`relatorios/${report}`, query);
      expectSame(
        `${report} ${JSON.stringify(query)}`,
        JSON.parse(body),
        JSON.parse(await reportOf(db, report, question)),
      );
    }
  });
  await fc.assert(property, { numRuns: rounds, seed });
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
  await compareSalesAndPayments(subject, seed, rounds);
};
