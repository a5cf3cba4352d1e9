import fc from "fast-check";
import type { Rights } from "../../src/core/rights.ts";
import { assertEqual, assertProperty } from "./assert.ts";
import { inOneMinute } from "./comparison.ts";
import { createFollower } from "./follower.ts";
import { compareGeneralRandomly } from "./general/compare-general.ts";
import { defaultMeasures, parametersOf } from "./general/general-question.ts";
import type { PlainSource } from "./general/plain-source.ts";
import { SOURCES } from "./general/sources.ts";
import { openLimited } from "./limited.ts";
import {
  LISTS,
  OF_RESULT,
  questionsTo,
  questionsToPanel,
  questionsToUnits,
  REPORTS,
  rangeOffsets,
} from "./questions.ts";
import { type Reader, SESSIONS, type Service, startService } from "./service.ts";
import type { Warehouse } from "./warehouse.ts";

interface Comparison {
  warehouse: Warehouse;
  rights: Rights;
  /** Reads the full database with the rights. */
  limited: Reader;
  /** Reads the full database without limits. */
  unlimited: Reader;
  /** Reads without limits a database that holds only what the rights allow. */
  control: Reader;
  /** Whether the control also lacks the professionals and units that the rights do not allow. */
  isLookedUpLimited: boolean;
  seed: number;
  /** How many random questions each list and report gets. */
  questions: number;
}

type Query = Record<string, string>;
/** The part of a body to compare. */
type Pick = (body: string) => unknown;
const whole: Pick = (body) => body;

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
const PERSONAL_FILTERS = ["cliente_salon_id", "cliente_id", "pessoa", "novos"];

/** Without the values that a 400 proposes: those of units outside the rights may still be in the control. */
const withoutProposals = (body: string) => body.replace(/ does not exist\. .*/, "");

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
  // The control may have a professional of other units, who then exists: only the lenient answers are compared.
  const existsElsewhere =
    isNowhere && !isLookedUpLimited && "profissional_salon_id" in query && expected.status === 200;
  if (!existsElsewhere)
    assertEqual(what, [actual.status, shown(actual.body)], [expected.status, shown(expected.body)]);
  if (pick === whole && !existsElsewhere) assertEqual(`${what}: ETag`, actual.etag, expected.etag);
  if (actual.status === 200) await assertTagIsOwn(comparison, path, query, actual, pick);
  if (isNowhere) await compareAllowed(comparison, path, query, pick, {});
};

/**
 * Compares one answer, strictly. A filter by client or a unit outside the rights is a 403, and the question is asked again
 * without it. If a value exists nowhere, it is also asked leniently.
 */
const compareAnswer = async (
  comparison: Comparison,
  path: string,
  query: Query,
  pick: Pick = whole,
): Promise<void> => {
  const { limited } = comparison;
  const { units, personalData } = comparison.rights;
  const { estabelecimento_id: unit, ...others } = query;
  const what = `${path} ${JSON.stringify(query)}`;
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
const compareFilters = async (
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
const comparePages = async (
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
const compareRandomly = async (
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

/** Without personal data, an id that is an object is null: leaves out the rows that this merges. */
const withoutOddIds: Pick = (body) =>
  JSON.stringify(JSON.parse(body), (name, value) =>
    name.startsWith("servicos_por_")
      ? undefined
      : Array.isArray(value)
        ? value.filter((row) => !/^[[{]|^null$/.test(String(row?.profissional_salon_id)))
        : value,
  );

const UNIT = { estabelecimento_id: ["101"] };
/** Two ranges with visits, the longer one of 385 days. */
const RANGE = {
  data_inicio: ["2017-10-15T03:00:00Z"],
  data_fim: ["2018-11-04T03:00:00Z"],
  periodo: ["2018"],
};
const BY_PROFESSIONAL = "transacoes-por-profissional";
/** The parameters of fixed reports beside the unit and the range. */
const OTHERS: Record<string, Record<string, string[]>> = {
  resumo: { comparar: ["anterior"] },
  painel: { comparar: ["anterior"], granularidade: ["dia"] },
  [BY_PROFESSIONAL]: { limite: ["2"] },
};

/** Every parameter of a general report with a value to send alone and with all others. */
const generalParameters = (source: PlainSource): Record<string, string[]> => {
  const [first = ""] = defaultMeasures(source);
  return {
    por: ["mes" in source.dimensions ? "mes" : "unidade"],
    medidas: [first],
    ordem: [`-${first}`],
    limite: ["2"],
    comparar: ["anterior"],
    explicar: ["true"],
    ...(source.dates && { data: source.dates.slice(1) }),
    ...(source.hasUnits && UNIT),
    ...Object.fromEntries(Object.entries(source.filters).map(([name, { values }]) => [name, values])),
    ...RANGE,
  };
};

/** Numbers may be written differently: a sum of nothing is 0 or 0.00, by how it was added up. */
const asNumbers: Pick = (body) => {
  const { explicacao, ...answer } = JSON.parse(body);
  // An explanation names the rights of the reader.
  return JSON.stringify({ ...answer, ...(explicacao && { explicacao: { ...explicacao, direitos: null } }) });
};

const compareGeneral = async (comparison: Comparison, name: string) =>
  compareFilters(
    comparison,
    `relatorios/${name}`,
    generalParameters(SOURCES[name] as PlainSource),
    asNumbers,
  );

const compareReports = async (comparison: Comparison) => {
  const { rights, limited, warehouse, questions: rounds, seed } = comparison;
  const isMasked = !rights.personalData;
  const masked = isMasked ? withoutOddIds : whole;
  const people: Pick = (body) => JSON.stringify(JSON.parse(masked(body) as string).profissionais ?? body);
  // The control still has all units, payments and clients. The oracle compares these parts of limited readers.
  const own = ["unidades", "clientes", "pagamentos", "frescor"];
  const parts: Pick = (body) =>
    JSON.stringify(JSON.parse(masked(body) as string), (name, value) =>
      own.includes(name) && typeof value === "object" ? undefined : value,
    );
  const picks: Record<string, Pick> = { "nao-mapeados": people, painel: parts };
  for (const [report, questions] of Object.entries({ ...REPORTS, painel: questionsToPanel })) {
    const path = `relatorios/${report}`;
    const pick = picks[report] ?? masked;
    const isLimited = report === BY_PROFESSIONAL;
    // Where odd ids are masked, rows are merged and a limit would cut elsewhere.
    const isCut = isLimited && isMasked;
    await compareFilters(comparison, path, { ...UNIT, ...RANGE, ...OTHERS[report] }, isCut ? () => "" : pick);
    const formats: Query[] = isLimited && !isMasked ? [{}, { formato: "csv" }] : [{}];
    await compareRandomly(comparison, path, isCut ? questionsToUnits : questions, pick, formats);
  }
  // The control has all payments. Plain SQL compares what they leave, and refusals of whole reports.
  for (const [name, { hasUnits, needs }] of Object.entries(SOURCES))
    if (hasUnits && needs !== "payments" && !(needs && isMasked)) await compareGeneral(comparison, name);
  // With plain SQL, because what is masked merges rows.
  await compareGeneralRandomly(warehouse.db, [{ rights, read: limited }], { seed, rounds: rounds * 2 });
};

const PAGES = [{ per_page: "7" }, { per_page: "7", page: "2" }, { per_page: "3", page: "last" }];
/** Fields of each list, personal ones among them. */
const FIELDS: Record<string, string> = {
  transacoes: "total,cliente_nome,servicos",
  lancamentos: "raw_data,salon_id",
  "pagamentos-erp": "descricao,valor",
  "vendas-produto": "cliente_id,unidade_nome",
  "jobs-log": "error,job_name",
  produtos: "raw_data,nome",
  profissionais: "cpf,nome",
};
/** The lists of professionals, and of payments, whose cost centres are looked up in professionals and units. */
const LOOKS_UP = ["profissionais", "pagamentos-erp"];
const CURSORS = [
  { per_page: "7", after_id: "0" },
  { per_page: "7", after_id: "20000" },
];

const compareList = async (comparison: Comparison, list: string) => {
  const { filters, ...others } = LISTS[list] as (typeof LISTS)[string];
  // The control lacks cost centres of other units. Plain SQL compares what they lead to.
  const isLookedUp = (name: string) => name in OF_RESULT;
  const own = Object.entries(filters).filter(([name]) => !isLookedUp(name));
  const options = { ...others, filters: Object.fromEntries(own) };
  await compareFilters(comparison, list, { ...options.filters, ...(options.range && RANGE) });
  // Random questions seldom ask for a later page of several units.
  await comparePages(comparison, list, {}, [...PAGES, { per_page: "7", page: "5" }]);
  await compareRandomly(comparison, list, questionsTo(options), undefined, [
    ...PAGES,
    { per_page: "7", campos: FIELDS[list] as string },
    { per_page: "7", campos: FIELDS[list] as string, formato: "excel" },
    { per_page: "7", formato: "csv" },
    { tudo: "true" },
    { tudo: "true", campos: FIELDS[list] as string, formato: "csv" },
    ...(options.cursor ? CURSORS : []),
  ]);
};

/** Compares twelve records of each list: six inside the units of the rights, if there are as many, and others. */
const compareRecords = async (comparison: Comparison) => {
  for (const [list, key, unit] of [
    ["transacoes", "salon_id", "estabelecimento_id"],
    ["lancamentos", "salon_id", "estabelecimento_id"],
    ["pagamentos-erp", "erp_id", "null::text"], // No payment has a unit.
  ] as const) {
    const insideCondition = `($1::text[] is null or ${unit} = any($1)) is true`;
    const { rows } = await comparison.warehouse.db.query(
      `select key from (select ${key} as key, row_number() over (partition by ${insideCondition} order by id) as n
         from ${list.replace("-", "_")}) t order by n limit 12`,
      [comparison.rights.units],
    );
    for (const row of rows) await compareAnswer(comparison, `${list}/${encodeURIComponent(row.key)}`, {});
  }
};

const FEEDS = ["transacoes", "lancamentos", "pagamentos-erp", "vendas-produto"];

/** A reader whose copy predates the rows that now move between units. */
const followBefore = async (limited: Reader, db: Warehouse["db"]) => {
  const followers = FEEDS.map((list) => createFollower(limited, list));
  for (const follower of followers) while (await follower.readPage(true));
  for (const table of ["transacoes", "lancamentos", "vendas_produto"])
    await db.query(
      `update ${table} set estabelecimento_id = case estabelecimento_id when '101' then '201' else '101' end where id % 7 = 0`,
    );
  return followers;
};

/** Compares the copies that the feeds keep with copies that the feeds of the control start. */
const compareFeeds = async ({ control }: Comparison, followers: Awaited<ReturnType<typeof followBefore>>) => {
  const copyOf = async (follower: (typeof followers)[number]) => {
    while (await follower.readPage(true));
    return [...follower.copy()].sort(([a], [b]) => a - b);
  };
  for (const [n, follower] of followers.entries()) {
    const list = FEEDS[n] ?? "";
    assertEqual(`copy of ${list}`, await copyOf(follower), await copyOf(createFollower(control, list)));
  }
};

/** Gives a row of another unit a value that nothing else has. @returns the value; undefined if there is no such row */
const plantElsewhere = async (db: Warehouse["db"], units: readonly string[]): Promise<string | undefined> => {
  const { rows } = await db.query(
    `update vendas_produto set produto_id = 'only elsewhere than ' || array_to_string($1::text[], ',')
     where id = (select max(id) from vendas_produto where estabelecimento_id <> all ($1))
     returning produto_id`,
    [units],
  );
  return rows[0]?.produto_id;
};

const compareLookedUp = async (comparison: Comparison) => {
  for (const list of LOOKS_UP) await compareList(comparison, list);
  // Payments have no units, and their cost centres are looked up.
  await compareGeneral(comparison, "pagamentos");
  await compareAnswer(comparison, "relatorios/painel", { periodo: "2018" }, (body) =>
    JSON.stringify(JSON.parse(body).unidades ?? body),
  );
  await compareFilters(comparison, "estabelecimentos", {
    salon_id: ["101"],
    ativo: ["true"],
    tudo: ["true"],
  });
  await compareRandomly(comparison, "relatorios/nao-mapeados", questionsToUnits, (body) =>
    JSON.stringify(JSON.parse(body).estabelecimentos ?? body),
  );
  for (const list of ["profissionais", "estabelecimentos"])
    for (let id = 1; id <= 10; id += 1) await compareAnswer(comparison, `${list}/${id}`, {});
};

/** Without what changes by the second, and without the rights themselves. */
const comparableFreshness: Pick = (body) =>
  body.replaceAll(/"atraso_segundos":\d+|"agora":"[^"]+"|"direitos":\{[^}]*\}/g, "");

/** Compares a limited user on the full database with an unlimited one on a database that holds only their rows (A11). */
export const compareRights = async (
  warehouse: Warehouse,
  service: Service,
  rights: Rights,
  options: { seed: number; questions: number },
): Promise<void> => {
  const limited = await service.as(rights);
  const followers = await followBefore(limited, warehouse.db);
  const elsewhere = rights.units && (await plantElsewhere(warehouse.db, rights.units));
  const database = await openLimited(warehouse.db, rights);
  try {
    const control = await startService(database.url, SESSIONS);
    try {
      const readers = { limited, unlimited: service, control };
      const comparison = { warehouse, rights, ...readers, isLookedUpLimited: false, ...options };
      // First: by random questions, this takes minutes to show.
      if (elsewhere) await compareAnswer(comparison, "vendas-produto", { produto_id: elsewhere });
      await compareReports(comparison);
      await database.mask();
      for (const list of Object.keys(LISTS).filter((name) => !LOOKS_UP.includes(name)))
        await compareList(comparison, list);
      await compareAnswer(comparison, "frescor", {}, comparableFreshness);
      await compareRecords(comparison);
      await compareFeeds(comparison, followers);
      await database.limitLookedUp();
      await compareLookedUp({ ...comparison, isLookedUpLimited: true });
    } finally {
      await control.stop();
    }
  } finally {
    await database.close();
  }
};
