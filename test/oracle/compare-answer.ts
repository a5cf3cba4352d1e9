import fc from "fast-check";
import type { Rights } from "../../src/core/rights.ts";
import { assertEqual, assertProperty } from "./assert.ts";
import { inOneMinute } from "./comparison.ts";
import { parametersOf, type questionsTo, rangeOffsets } from "./questions.ts";
import type { Reader } from "./service.ts";
import type { Warehouse } from "./warehouse.ts";

export interface Comparison {
  warehouse: Warehouse;
  rights: Rights;
  /** Reads the full database with the rights. */
  limited: Reader;
  /** Reads the full database without limits. */
  unlimited: Reader;
  /** Reads without limits a database that holds only what the rights allow. */
  control: Reader;
  /** Receives each path that was compared, as the document writes it, alone and with each parameter. */
  compared: Set<string>;
  /** Whether the control also lacks the professionals and units that the rights do not allow. */
  isLookedUpLimited: boolean;
  seed: number;
  /** How many random questions each list and report gets. */
  questions: number;
}

export type Query = Record<string, string>;
/** The part of a body to compare. */
export type Pick = (body: string) => unknown;
export const whole: Pick = (body) => body;

/** A value that exists nowhere is then a 400 (I8). */
const STRICT = { Prefer: "handling=strict" };

const request = async (reader: Reader, path: string, query: Query, headers?: Query) => {
  const answer = await reader.request(path, query, headers);
  // With expired tokens, both readers would get the same 401.
  if (answer.status >= 500 || answer.status === 401)
    throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
  return answer;
};

/** Asserts that another reader who sends the tag gets a 304 only for the same body. */
const assertTagIsOwn = async (
  { unlimited }: Comparison,
  path: string,
  query: Query,
  { body, etag }: Awaited<ReturnType<typeof request>>,
  pick: Pick,
) => {
  const { status } = await request(unlimited, path, query, { ...STRICT, "If-None-Match": etag ?? "" });
  if (status !== 304) return;
  const other = await request(unlimited, path, query);
  assertEqual(`304 of ${path} ${JSON.stringify(query)}`, pick(body), pick(other.body));
};

/** Without personal data, a filter by a person is a 403, whatever else is wrong (L9). */
const PERSONAL_FILTERS = ["cliente_salon_id", "cliente_id", "pessoa"];

/** Without the values that a 400 proposes: those of units outside the rights may still be in the control. */
const withoutProposals = (body: string) => body.replace(/ does not exist\. .*/, "");

export const note = ({ compared }: Comparison, path: string, query: Query) => {
  const documented = path.replace(/^(?!relatorios\/|alteracoes\/)([^/]+)\/.*$/, "$1/{id}");
  compared.add(documented);
  for (const name of Object.keys(query)) compared.add(`${documented}?${name}`);
};

/** Compares what both readers get for a query that the rights allow. */
const compareAllowed = async (
  comparison: Comparison,
  path: string,
  query: Query,
  pick: Pick,
  headers: Query,
) => {
  const { limited, control, isLookedUpLimited } = comparison;
  const what = `${path} ${JSON.stringify(query)} ${JSON.stringify(headers)}`;
  const { answer } = await inOneMinute(() =>
    Promise.all([request(limited, path, query, headers), request(control, path, query, headers)]),
  );
  const [actual, expected] = answer;
  const isNowhere = actual.body !== withoutProposals(actual.body);
  const shown: Pick = isNowhere && !isLookedUpLimited ? withoutProposals : pick;
  assertEqual(what, [actual.status, shown(actual.body)], [expected.status, shown(expected.body)]);
  if (pick === whole) assertEqual(`${what}: ETag`, actual.etag, expected.etag);
  if (actual.status === 200) await assertTagIsOwn(comparison, path, query, actual, pick);
  if (isNowhere) await compareAllowed(comparison, path, query, pick, {});
};

/**
 * Compares one answer, strictly. A filter by client or a unit outside the rights is a 403, and the question is asked again
 * without it. If a value exists nowhere, it is also asked leniently.
 */
export const compareAnswer = async (
  comparison: Comparison,
  path: string,
  query: Query,
  pick: Pick = whole,
): Promise<void> => {
  const { limited } = comparison;
  const { units, personalData } = comparison.rights;
  const { estabelecimento_id: unit, ...others } = query;
  const what = `${path} ${JSON.stringify(query)}`;
  note(comparison, path, query);
  const personal = PERSONAL_FILTERS.filter((name) => name in query);
  if (!personalData && personal.length > 0) {
    assertEqual(what, (await request(limited, path, query, STRICT)).status, 403);
    const allowed = Object.entries(query).filter(([name]) => !personal.includes(name));
    return compareAnswer(comparison, path, Object.fromEntries(allowed), pick);
  }
  if (unit !== undefined && units !== null && !units.includes(unit)) {
    const { status, body } = await request(limited, path, query, STRICT);
    // Invalid combinations of parameters are reported before the unit is checked.
    if (status === 400)
      return assertEqual(what, body, (await request(comparison.control, path, query, STRICT)).body);
    const list = units.map((one) => JSON.stringify(one)).join(", ");
    assertEqual(what, [status, JSON.parse(body).message.includes(list)], [403, true]);
    return compareAnswer(comparison, path, others, pick);
  }
  return compareAllowed(comparison, path, query, pick, STRICT);
};

/** The last page of all units, which a list without a range fills with records without a date. */
const lastPage = async (
  { control }: Comparison,
  path: string,
  { estabelecimento_id: _, ...query }: Query,
) => {
  const { body } = await request(control, path, { ...query, page: "1" });
  return { ...query, page: String(Math.max(1, JSON.parse(body).pagination.total_pages)) };
};

/** Compares the answers to each of the filters alone, by its first value, and to all of them but the period. */
export const compareFilters = async (
  comparison: Comparison,
  path: string,
  filters: Record<string, string[]>,
  pick?: Pick,
) => {
  const queries = Object.entries(filters).map(([name, [value = ""]]) => ({ [name]: value }));
  const { periodo: _, ...all }: Query = Object.assign({}, ...queries);
  for (const query of [...queries, all]) await compareAnswer(comparison, path, query, pick);
};

/** Compares the answers to one query. @param pages further parameters; the page may be `last` */
export const comparePages = async (
  comparison: Comparison,
  path: string,
  parameters: Query,
  pages: Query[],
  pick?: Pick,
) => {
  for (const page of pages) {
    const query = { ...parameters, ...page };
    const asked = page.page === "last" ? await lastPage(comparison, path, query) : query;
    await compareAnswer(comparison, path, asked, pick);
  }
};

/** Compares the answers to random questions. @param pages as `comparePages` takes them */
export const compareRandomly = async (
  comparison: Comparison,
  path: string,
  questions: ReturnType<typeof questionsTo>,
  pick?: Pick,
  pages: Query[] = [{}],
) => {
  const property = fc.asyncProperty(questions, rangeOffsets, (question, zones) =>
    comparePages(comparison, path, parametersOf(question, zones), pages, pick),
  );
  await assertProperty(property, comparison.questions, comparison.seed);
};
