import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { generalReport } from "../../src/v1/relatorios/general-report.ts";
import type { GeneralQuery } from "../../src/v1/relatorios/question.ts";
import type { Source } from "../../src/v1/relatorios/source.ts";
import { SOURCES } from "../../src/v1/relatorios/sources/index.ts";
import { cpuSeconds } from "../local/processes.ts";
import { connected } from "../warehouse/databases.ts";
import { get } from "./answers.ts";
import { atMost, type Figure, inTurn, median, plain, spread } from "./figures.ts";
import { findPostgrest } from "./postgrest/binary.ts";
import { startPostgrest } from "./postgrest/server.ts";
import { reports } from "./reports.ts";
import { YEAR } from "./routes.ts";
import type { Target } from "./targets.ts";
import { answer, assertSame, type Run, statementOf, timed, withoutValues } from "./timed.ts";

const VIEWS = readFileSync(join(import.meta.dirname, "postgrest/general-reports.sql"), "utf8");

const POSTGREST = "bench_aggregates";

type Range = Partial<typeof YEAR>;

type SourceName = keyof typeof reports;

/** A question to a general report, and the same over a view of PostgREST. */
interface GeneralQuestion {
  source: SourceName;
  por: string[];
  /** The measures of ours, and of the view: `count` or the column to add up. Empty if the view has no such measure. */
  measures: Record<string, string>;
  view: string;
  /** The keys of the view, in the order of ours. */
  keys: string[];
  /** The column of the range, and whether it is a date. */
  at: string;
  isDate?: boolean;
  /** Filters and choices of ours. */
  with?: Record<string, string>;
  /** Whether a rollup answers it. */
  isInRollup?: true;
  /** The same filters, for PostgREST and for SQL. */
  where?: [postgrest: string, sql: string];
}

const MONTH = { data_inicio: "2026-10-01T03:00:00.000000Z", data_fim: "2026-11-01T02:59:59.999999Z" };

/** A view of PostgREST, and the measures of ours that it has. */
type View = Pick<GeneralQuestion, "source" | "measures" | "view" | "at" | "isDate">;

const VISITS: View = {
  source: "visitas",
  measures: { visitas: "count", valor_total: "total" },
  view: "visitas",
  at: "data_hora",
};
const SERVICES: View = {
  source: "servicos",
  measures: { servicos: "count", valor_total: "valor" },
  view: "servicos",
  at: "data_hora",
};
const SALES: View = {
  source: "vendas",
  measures: { linhas: "count", valor_total: "valor" },
  view: "vendas",
  at: "at",
};
const LEDGER: View = {
  source: "lancamentos",
  measures: { lancamentos: "count", valor_total: "valor" },
  view: "lancamentos_por_data",
  at: "",
};
const PAYMENTS: View = {
  source: "pagamentos",
  measures: { pagamentos: "count", valor_total: "valor" },
  view: "pagamentos",
  at: "data_vencimento",
  isDate: true,
};
/** A question that no view answers. */
const withoutView = (
  source: GeneralQuestion["source"],
  por: string[],
  measures: string[],
): GeneralQuestion => ({
  source,
  por,
  measures: Object.fromEntries(measures.map((name) => [name, ""])),
  view: "",
  keys: [],
  at: "",
});

/** The question with the most rows of each source, or with the most work. */
const QUESTIONS: GeneralQuestion[] = [
  withoutView("faturamento", ["mes", "unidade", "origem"], ["valor_total"]),
  withoutView("faturamento", ["dia_semana", "hora"], ["valor_total"]),
  {
    ...VISITS,
    por: ["mes", "unidade", "forma_pagamento"],
    keys: ["mes", "estabelecimento_id", "forma_pagamento"],
    isInRollup: true,
  },
  { ...VISITS, por: ["mes", "dia_semana", "hora"], keys: ["mes", "dia_semana", "hora"], isInRollup: true },
  { ...VISITS, por: ["mes", "unidade", "parcelas"], keys: ["mes", "estabelecimento_id", "parcelas"] },
  withoutView("visitas", ["mes", "unidade", "forma_pagamento"], ["visitas", "clientes"]),
  withoutView("visitas", ["mes", "unidade"], ["clientes_novos"]),
  {
    ...SERVICES,
    por: ["mes", "unidade", "profissional"],
    keys: ["mes", "estabelecimento_id", "profissional_salon_id"],
    isInRollup: true,
  },
  { ...SERVICES, por: ["mes", "servico"], keys: ["mes", "servico"], isInRollup: true },
  withoutView("servicos", ["profissional"], ["servicos", "visitas"]),
  {
    ...SALES,
    por: ["mes", "unidade", "origem", "produto"],
    keys: ["mes", "estabelecimento_id", "origem", "produto_id", "produto_nome"],
    isInRollup: true,
  },
  {
    ...SALES,
    por: ["mes", "produto", "cliente"],
    keys: ["mes", "produto_id", "produto_nome", "cliente_id"],
  },
  { ...LEDGER, por: ["mes", "unidade", "pessoa"], keys: ["mes", "estabelecimento_id", "pessoa"] },
  {
    ...LEDGER,
    por: ["mes", "unidade", "pessoa"],
    keys: ["mes_sincronizacao", "estabelecimento_id", "pessoa"],
    at: "synced_at",
    with: { data: "sincronizacao" },
  },
  {
    ...PAYMENTS,
    por: ["mes", "conta", "centro_custo", "situacao"],
    keys: ["mes", "nome_conta_classificacao", "id_centro_custo", "situacao"],
  },
  {
    ...PAYMENTS,
    por: ["mes", "conta", "centro_custo"],
    keys: ["mes", "nome_conta_classificacao", "id_centro_custo"],
    with: { valor_min: "500" },
    where: ["valor=gte.500", "valor >= 500"],
  },
];

/** What is asked every day of each rollup of decision 001, over the range that is asked most. */
const ASKED_DAILY: [rollup: string, source: SourceName, q: GeneralQuery, range: Range][] = [
  ["transacoes_rollup", "faturamento", { por: ["mes"], medidas: ["valor_total"] }, YEAR],
  ["transacoes_forma_rollup", "visitas", { por: ["forma_pagamento"] }, MONTH],
  ["transacoes_horario_rollup", "visitas", { por: ["dia_semana", "hora"], medidas: ["visitas"] }, YEAR],
  ["servicos_profissional_rollup", "servicos", { por: ["profissional"] }, MONTH],
  ["servicos_nome_rollup", "servicos", { por: ["servico"] }, MONTH],
  ["vendas_produto_rollup", "vendas", { por: ["mes", "origem"] }, {}],
  ["vendas_por_unidade_rollup", "vendas", { por: ["produto"] }, {}],
];

/** Milliseconds of a question of all time, by visits. This chain has 340,000 in three years (R22). */
const ALL_TIME: Record<number, { plain: number; ofNewClients: number }> = {
  340000: { plain: 250, ofNewClients: 250 },
  2000000: { plain: 1000, ofNewClients: 2000 },
};
/** Milliseconds of a question of a month, at two million visits. */
const OF_A_MONTH = 60;

const ask =
  ({ source, por, measures, with: more }: GeneralQuestion, range: Range): Parameters<typeof statementOf>[0] =>
  (db, request) =>
    reports[source](db, request, { por, medidas: Object.keys(measures), ...more, ...range });

const dateOf = (instant: string) => new Date(Date.parse(instant) - 3 * 3_600_000).toISOString().slice(0, 10);

/** The ends of a range as the column of a view has them. */
const endsOf = ({ isDate }: GeneralQuestion, { data_inicio, data_fim }: Range): string[] =>
  [data_inicio, data_fim].flatMap((end) => (end === undefined ? [] : [isDate ? dateOf(end) : end]));

const requestOf = (asked: GeneralQuestion, range: Range): string => {
  const sums = Object.entries(asked.measures).map(([name, column]) =>
    column === "count" ? `${name}:count()` : `${name}:${column}.sum()`,
  );
  const [from, to] = endsOf(asked, range);
  const order = asked.keys.map((key) => `${key}.asc.nullslast`);
  return `/${asked.view}?${[
    `select=${[...asked.keys, ...sums].join()}`,
    `order=${order.join()}`,
    "limit=100",
    // Rows without a date have no month.
    ...(asked.por.includes("mes") ? [`${asked.keys[0]}=not.is.null`] : []),
    ...(from ? [`${asked.at}=gte.${from}`, `${asked.at}=lte.${to}`] : []),
    ...(asked.where ? [asked.where[0]] : []),
  ].join("&")}`;
};

const sqlOf = (asked: GeneralQuestion, range: Range): string => {
  const sums = Object.entries(asked.measures).map(
    ([name, column]) => `${column === "count" ? "count(*)" : `sum(${column})`} as ${name}`,
  );
  const [from, to] = endsOf(asked, range);
  const where = [
    ...(asked.por.includes("mes") ? [`${asked.keys[0]} is not null`] : []),
    ...(from ? [`${asked.at} between '${from}' and '${to}'`] : []),
    ...(asked.where ? [asked.where[1]] : []),
  ];
  return `select coalesce(json_agg(r), '[]') as answer from (
    select ${[...asked.keys, ...sums].join()} from postgrest.${asked.view}
    ${where.length > 0 ? `where ${where.join(" and ")}` : ""}
    group by ${asked.keys.join()} order by ${asked.keys.map((key) => `${key} nulls last`).join()} limit 100) r`;
};

/** The values of the keys and the measures of each row. */
const valuesOf = ({ keys, measures }: GeneralQuestion, rows: Record<string, unknown>[]) =>
  rows.map((row) =>
    [
      ...keys.map((key) => row[key === "mes_sincronizacao" && !(key in row) ? "mes" : key]),
      ...Object.keys(measures).map((name) => Number(row[name])),
    ]
      .map((value) => (typeof value === "number" ? value.toFixed(2) : String(value)))
      .join(" "),
  );

/** @throws if the rows of two answers differ */
const assertSameRows = (asked: GeneralQuestion, ours: Record<string, unknown>[], theirs: typeof ours) => {
  const [one, two] = [valuesOf(asked, ours), valuesOf(asked, theirs)];
  if (one.length === 0) throw new Error(`${nameOf(asked)}: no rows to compare`);
  const at = one.findIndex((row, n) => row !== two[n]);
  if (at >= 0 || one.length !== two.length)
    throw new Error(`${nameOf(asked)}: row ${at} differs\n${one[at]}\n${two[at]}`);
};

const nameOf = ({ source, por, measures, with: more = {} }: GeneralQuestion): string =>
  `${source} by ${por.join()}: ${[...Object.keys(measures), ...Object.keys(more)].join()}`;

export const pidOf = async (on: pg.Client): Promise<number> =>
  (await on.query("select pg_backend_pid() as pid")).rows[0].pid;

/** CPU milliseconds of a backend for one call, from as many calls as half a second allows. */
export const cpuOf = async (pids: () => Promise<number[]>, call: () => Promise<unknown>): Promise<number> => {
  const used = async () => {
    let seconds = 0;
    for (const pid of await pids()) seconds += cpuSeconds(pid);
    return seconds;
  };
  const [before, until] = [await used(), performance.now() + 500];
  let calls = 0;
  do {
    await call();
    calls += 1;
  } while (performance.now() < until);
  return (((await used()) - before) / calls) * 1000;
};

interface Peer {
  db: pg.Client;
  target: Target;
}

/** Compares the Postgres CPU of a question with those of PostgREST and of plain SQL. */
const compareCpu = async (
  asked: GeneralQuestion,
  range: Range,
  rangeName: string,
  bar: number,
  { db, target }: Peer,
): Promise<Figure[]> => {
  const us = { on: db, statement: await statementOf(ask(asked, range)) };
  const path = requestOf(asked, range);
  const them = { on: db, statement: withoutValues(sqlOf(asked, range)) };
  const ours = JSON.parse((await answer(us)).rows[0].body).data;
  assertSameRows(asked, ours, (await answer(them)).rows[0].answer);
  assertSameRows(asked, ours, JSON.parse(await get(target, path)));
  const own = await pidOf(db);
  const backends = async () =>
    (await db.query("select pid from pg_stat_activity where application_name = $1", [POSTGREST])).rows.map(
      ({ pid }) => pid,
    );
  const cpu = await inTurn(3, {
    us: () =>
      cpuOf(
        async () => [own],
        () => answer(us),
      ),
    postgrest: () => cpuOf(backends, () => get(target, path)),
    sql: () =>
      cpuOf(
        async () => [own],
        () => answer(them),
      ),
  });
  const [of, postgrest, plainSql] = [median(cpu.us), median(cpu.postgrest), median(cpu.sql)];
  const detail = `${of.toFixed(1)} / ${postgrest.toFixed(1)} ms; plain SQL ${plainSql.toFixed(1)} ms, ${(of / plainSql).toFixed(3)} times`;
  return [
    atMost(`${nameOf(asked)}, ${rangeName}, Postgres CPU: ours / PostgREST`, of / postgrest, bar, detail),
  ];
};

const within = async (measure: string, limitMs: number, run: Run): Promise<Figure> => {
  const { us } = await inTurn(3, { us: () => timed(run) });
  const taken = median(us);
  return {
    measure,
    value: `${taken.toFixed(1)} ms`,
    bar: `≤ ${limitMs} ms`,
    isMet: taken <= limitMs,
    detail: spread(us),
  };
};

const absolute = async (db: pg.Client, visits: number): Promise<Figure[]> => {
  const limits = ALL_TIME[visits];
  if (limits === undefined) return [];
  const figures: Figure[] = [];
  for (const asked of QUESTIONS) {
    const limit = "clientes_novos" in asked.measures ? limits.ofNewClients : limits.plain;
    const run = async (range: Range) => ({ on: db, statement: await statementOf(ask(asked, range)) });
    figures.push(await within(`${nameOf(asked)}, all time, ${visits} visits`, limit, await run({})));
    if (visits === 2_000_000)
      figures.push(await within(`${nameOf(asked)}, a month, ${visits} visits`, OF_A_MONTH, await run(MONTH)));
  }
  return figures;
};

const overFacts = (source: Source) =>
  generalReport({
    ...source,
    name: `${source.name} over facts`,
    dates: Object.fromEntries(
      Object.entries(source.dates).map(([date, parts]) => [
        date,
        parts.map((part) => ({ ...part, rollups: [] })),
      ]),
    ),
  });

/** Whether each rollup makes a question that is asked every day ten times cheaper, and by 20 ms (decision 001). */
const rollups = async (db: pg.Client): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [rollup, name, q, range] of ASKED_DAILY) {
    const source = SOURCES.find((one) => one.name === name) as Source;
    const runOf = async (read: ReturnType<typeof generalReport>) => ({
      on: db,
      statement: await statementOf((to, request) => read(to, request, { ...q, ...range })),
    });
    const [held, facts] = [await runOf(generalReport(source)), await runOf(overFacts(source))];
    assertSame((await answer(held)).rows[0].body, (await answer(facts)).rows[0].body, rollup);
    const taken = await inTurn(5, { held: () => timed(held), facts: () => timed(facts) });
    const [ours, without] = [median(taken.held), median(taken.facts)];
    const figure = atMost(
      `${rollup}: ${name} by ${q.por} with it / without`,
      ours / without,
      1 / 10,
      `${ours.toFixed(1)} / ${without.toFixed(1)} ms`,
    );
    figures.push({ ...figure, isMet: figure.isMet === true && without - ours >= 20 });
  }
  return figures;
};

const besidePostgrest = async (url: string, progress: (line: string) => void): Promise<Figure[]> => {
  const found = findPostgrest();
  if ("missing" in found) return [plain("PostgREST", "not measured", found.missing)];
  const postgrest = await startPostgrest(found.binary, url, POSTGREST, VIEWS);
  const figures: Figure[] = [];
  try {
    await connected(url, async (db) => {
      await db.query("set timezone = 'UTC'; set jit = off; set max_parallel_workers_per_gather = 0");
      const peer = { db, target: postgrest.target };
      for (const asked of QUESTIONS.filter(({ view }) => view !== "")) {
        progress(`SQL: ${nameOf(asked)}`);
        const bar = asked.isInRollup ? 1 / 20 : 1 / 2;
        figures.push(...(await compareCpu(asked, {}, "all time", bar, peer)));
        if (asked.at) figures.push(...(await compareCpu(asked, YEAR, "a year", bar, peer)));
      }
    });
  } finally {
    await postgrest.stop();
  }
  return figures;
};

/**
 * Measures the general reports: how long questions of all time and of a month take, what each rollup saves, and the CPU
 * beside PostgREST's aggregates and plain SQL on the loaders' tables.
 * @param sizes connection strings by number of visits, ascending
 */
export const measureGeneral = async (
  sizes: [visits: number, url: string][],
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [visits, url] of sizes) {
    progress(`SQL: general reports of ${visits} visits`);
    figures.push(
      ...(await connected(url, async (db) => {
        await db.query("set timezone = 'UTC'; set jit = off");
        const isLargest = url === sizes.at(-1)?.[1];
        return [...(await absolute(db, visits)), ...(isLargest ? await rollups(db) : [])];
      })),
    );
  }
  return [...figures, ...(await besidePostgrest(sizes.at(-1)?.[1] ?? "", progress))];
};
