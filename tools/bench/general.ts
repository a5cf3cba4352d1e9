import type pg from "pg";
import { generalReport } from "../../src/api/v1/relatorios/general-report.ts";
import type { GeneralQuery } from "../../src/api/v1/relatorios/question.ts";
import type { Source } from "../../src/api/v1/relatorios/source.ts";
import { SOURCES } from "../../src/api/v1/relatorios/sources/index.ts";
import { atMost, type Figure, inTurn, median, withinMs } from "./figures.ts";
import { reports } from "./reports.ts";
import { YEAR } from "./routes.ts";
import { answer, assertSame, statementOf, timed } from "./timed.ts";

/** Shows how long the general reports take over all time and over a month, and what each rollup saves them. */

type SourceName = keyof typeof reports;

const MONTH = { data_inicio: "2026-10-01T03:00:00.000000Z", data_fim: "2026-11-01T02:59:59.999999Z" };

const question = (
  source: SourceName,
  por: string[],
  medidas: string[],
  more: Record<string, string> = {},
) => ({
  source,
  query: { por, medidas, ...more },
  name: `${source} by ${por.join()}: ${[...medidas, ...Object.keys(more)].join()}`,
});

const UNIT = ["mes", "unidade"];
const VISITS = ["visitas", "valor_total"];
const SERVICES = ["servicos", "valor_total"];
const LINES = ["linhas", "valor_total"];
const ENTRIES = ["lancamentos", "valor_total"];
const PAYMENTS = ["pagamentos", "valor_total"];
const ACCOUNT = ["mes", "conta", "centro_custo"];

const RETURN = ["decididas", "voltaram", "retorno"];
const COHORTS = ["unidade", "coorte", "frequencia"];
const STAYS_AWAY = { sem_visita_desde: "2026-08-01T03:00:00.000000Z" };

/** The questions with the most rows of each source, or with the most work. */
const QUESTIONS = [
  question("faturamento", [...UNIT, "origem"], ["valor_total"]),
  question("faturamento", ["dia_semana", "hora"], ["valor_total"]),
  question("visitas", [...UNIT, "forma_pagamento"], VISITS),
  question("visitas", ["mes", "dia_semana", "hora"], VISITS),
  question("visitas", [...UNIT, "parcelas"], VISITS),
  question("visitas", [...UNIT, "forma_pagamento"], ["visitas", "clientes"]),
  question("visitas", UNIT, ["clientes_novos"]),
  question("servicos", [...UNIT, "profissional"], SERVICES),
  question("servicos", ["mes", "servico"], SERVICES),
  question("servicos", ["profissional"], ["servicos", "visitas"]),
  question("vendas", [...UNIT, "origem", "produto"], LINES),
  question("vendas", ["mes", "produto", "cliente"], LINES),
  question("lancamentos", [...UNIT, "pessoa"], ENTRIES),
  question("lancamentos", [...UNIT, "pessoa"], ENTRIES, { data: "sincronizacao" }),
  question("pagamentos", [...ACCOUNT, "situacao"], PAYMENTS),
  question("pagamentos", ACCOUNT, PAYMENTS, { valor_min: "500" }),
];

/** The same of sets of clients, of returns and of results (R25–R27), over more than a year, a year and a month. */
const OF_CLIENTS = [
  question("visitas", ["unidade"], RETURN),
  question("visitas", ["mes"], RETURN, { retorno_dias: "365" }),
  question("servicos", ["unidade"], RETURN),
  question("servicos", ["profissional"], RETURN),
  question("clientes", COHORTS, ["clientes", "valor_total"]),
  question("clientes", ["unidade"], ["clientes"], { meses_min: "5", ...STAYS_AWAY }),
  question("clientes", ["unidade"], ["clientes"], { so_produtos: "true" }),
  question("clientes", ["cliente"], ["visitas"], { visitas_min: "3" }),
];
const RESULTS = question("resultado", UNIT, ["faturamento", "despesas", "resultado", "margem"]);

/** What is asked every day of each rollup of decision 001, over the range that is asked most. */
const ASKED_DAILY: [rollup: string, source: SourceName, q: GeneralQuery, range: Partial<typeof YEAR>][] = [
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

type Asked = (typeof QUESTIONS)[number];

const within = async (
  db: pg.Client,
  { source, query, name }: Asked,
  { when, limit, range }: { when: string; limit: number; range: Partial<typeof YEAR> },
): Promise<Figure> => {
  const run = {
    on: db,
    statement: await statementOf((to, r) => reports[source](to, r, { ...query, ...range })),
  };
  const { us } = await inTurn(3, { us: () => timed(run) });
  return withinMs(`${name}, ${when}`, us, limit);
};

const absolute = async (db: pg.Client, visits: number): Promise<Figure[]> => {
  const limits = ALL_TIME[visits];
  if (limits === undefined) return [];
  const figures: Figure[] = [];
  for (const asked of QUESTIONS) {
    const limit = asked.query.medidas.includes("clientes_novos") ? limits.ofNewClients : limits.plain;
    figures.push(await within(db, asked, { when: `all time, ${visits} visits`, limit, range: {} }));
    if (visits === 2_000_000)
      figures.push(
        await within(db, asked, { when: "a month, 2000000 visits", limit: OF_A_MONTH, range: MONTH }),
      );
  }
  return figures;
};

const DAYS_400 = { data_inicio: "2025-09-22T03:00:00.000000Z", data_fim: "2026-10-27T02:59:59.999999Z" };

/** At two million visits. */
const ofClients = async (db: pg.Client): Promise<Figure[]> => {
  const ranges = [
    { when: "all time", range: {}, limit: 2000 },
    { when: "400 days", range: DAYS_400, limit: 1500 },
    { when: "a month", range: MONTH, limit: 150 },
  ];
  const figures: Figure[] = [];
  for (const asked of OF_CLIENTS) for (const range of ranges) figures.push(await within(db, asked, range));
  return [...figures, await within(db, RESULTS, { when: "a year", range: YEAR, limit: 100 })];
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

/** @param isLargest the rollups are measured on the largest warehouse only */
export const measureGeneral = async (
  db: pg.Client,
  visits: number,
  isLargest: boolean,
): Promise<Figure[]> => [
  ...(await absolute(db, visits)),
  ...(visits === 2_000_000 ? await ofClients(db) : []),
  ...(isLargest ? await rollups(db) : []),
];
