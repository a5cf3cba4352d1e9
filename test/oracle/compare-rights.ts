import type { Rights } from "../../src/core/rights.ts";
import { assertEqual } from "./assert.ts";
import {
  type Comparison,
  compareAnswer,
  compareFilters,
  comparePages,
  compareRandomly,
  type Pick,
  type Query,
  whole,
} from "./compare-answer.ts";
import { createFollower } from "./follower.ts";
import { compareGeneralFilters, compareGeneralQuestions } from "./general/compare-general-rights.ts";
import { SOURCES } from "./general/sources/index.ts";
import { openLimited } from "./limited.ts";
import {
  LISTS,
  questionsTo,
  questionsToPanel,
  questionsToReports,
  questionsToUnits,
  REPORTS,
} from "./questions.ts";
import { ROW_REPORTS } from "./row-reports.ts";
import { type Reader, type Service, startService } from "./service.ts";
import type { Warehouse } from "./warehouse.ts";

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
/** The filters of a report over visits. */
const ofVisits = (report: string) => ({
  ...UNIT,
  ...RANGE,
  ...(report in COMPARABLE && { comparar: ["anterior"] }),
  ...(report === "painel" && { granularidade: ["dia"] }),
});
/** The questions to reports with the parameter `comparar`. */
const COMPARABLE: Record<string, typeof questionsToReports> = {
  resumo: questionsToReports,
  painel: questionsToPanel,
};

const compareReports = async (comparison: Comparison) => {
  const masked = comparison.rights.personalData ? whole : withoutOddIds;
  const people: Pick = (body) => JSON.stringify(JSON.parse(masked(body) as string).profissionais ?? body);
  // The control still has all units, payments and clients. The oracle compares these parts of limited readers.
  const own = ["unidades", "clientes", "pagamentos", "frescor"];
  const parts: Pick = (body) =>
    JSON.stringify(JSON.parse(masked(body) as string), (name, value) =>
      own.includes(name) && typeof value === "object" ? undefined : value,
    );
  const picks: Record<string, Pick> = { "nao-mapeados": people, painel: parts };
  for (const report of [...REPORTS, "painel"]) {
    const pick = picks[report] ?? masked;
    await compareFilters(comparison, `relatorios/${report}`, ofVisits(report), pick);
    await compareRandomly(comparison, `relatorios/${report}`, COMPARABLE[report] ?? questionsToUnits, pick);
  }
  for (const report of Object.keys(ROW_REPORTS)) await compareRowReport(comparison, report);
  for (const [report, { hasUnits }] of Object.entries(SOURCES)) {
    if (hasUnits) await compareGeneralFilters(comparison, report, RANGE, UNIT);
    await compareGeneralQuestions(comparison, report);
  }
};

const compareRowReport = async (comparison: Comparison, report: string) => {
  const { filters = {} } = ROW_REPORTS[report] ?? {};
  const path = `relatorios/${report}`;
  const isMasked = !comparison.rights.personalData && report.endsWith("por-profissional");
  // Where odd ids are masked, rows are merged and a limit would cut elsewhere.
  const { limite, ...others } = filters;
  const pick = isMasked ? withoutOddIds : whole;
  await compareFilters(comparison, path, { ...filters, ...RANGE }, isMasked ? () => "" : pick);
  const questions = questionsTo({ filters: isMasked ? others : filters, range: true });
  const formats: Query[] = isMasked ? [{}] : [{}, { formato: "csv" }];
  await compareRandomly(comparison, path, questions, pick, formats);
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
  const options = LISTS[list] as (typeof LISTS)[string];
  await compareFilters(comparison, list, { ...options.filters, ...(options.range && RANGE) });
  // Random questions seldom ask for a later page of several units.
  await comparePages(comparison, list, {}, [...PAGES, { per_page: "7", page: "5" }]);
  await compareRandomly(comparison, list, questionsTo(options), undefined, [
    ...PAGES,
    { per_page: "7", campos: FIELDS[list] as string },
    { per_page: "7", campos: FIELDS[list] as string, formato: "excel" },
    { per_page: "7", formato: "csv" },
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
const compareFeeds = async (
  { control, compared }: Comparison,
  followers: Awaited<ReturnType<typeof followBefore>>,
) => {
  const copyOf = async (follower: (typeof followers)[number]) => {
    while (await follower.readPage(true));
    return [...follower.copy()].sort(([a], [b]) => a - b);
  };
  for (const [n, follower] of followers.entries()) {
    const list = FEEDS[n] ?? "";
    compared.add(`alteracoes/${list}`);
    assertEqual(`copy of ${list}`, await copyOf(follower), await copyOf(createFollower(control, list)));
  }
};

const compareLookedUp = async (comparison: Comparison) => {
  for (const list of LOOKS_UP) await compareList(comparison, list);
  // Payments have no units, and their cost centres are looked up.
  await compareGeneralFilters(comparison, "pagamentos", RANGE, {});
  await compareAnswer(comparison, "relatorios/painel", { periodo: "2018" }, (body) =>
    JSON.stringify(JSON.parse(body).unidades ?? body),
  );
  await compareFilters(comparison, "estabelecimentos", { salon_id: ["101"], ativo: ["true"] });
  await compareRandomly(comparison, "relatorios/nao-mapeados", questionsToUnits, (body) =>
    JSON.stringify(JSON.parse(body).estabelecimentos ?? body),
  );
  for (const list of ["profissionais", "estabelecimentos"])
    for (let id = 1; id <= 10; id += 1) await compareAnswer(comparison, `${list}/${id}`, {});
};

/** Without what changes by the second, and without the rights themselves. */
const comparableFreshness: Pick = (body) =>
  body.replaceAll(/"atraso_segundos":\d+|"agora":"[^"]+"|"direitos":\{[^}]*\}/g, "");

interface Options {
  sessions: number;
  seed: number;
  questions: number;
  compared?: Set<string>;
}

/** Compares a limited user on the full database with an unlimited one on a database that holds only their rows (A11). */
export const compareRights = async (
  warehouse: Warehouse,
  service: Service,
  rights: Rights,
  { sessions, compared = new Set(), ...options }: Options,
): Promise<void> => {
  const limited = await service.as(rights);
  const followers = await followBefore(limited, warehouse.db);
  const database = await openLimited(warehouse.db, rights);
  try {
    const control = await startService(database.url, sessions);
    try {
      const readers = { limited, unlimited: service, control };
      const comparison = { warehouse, rights, ...readers, compared, isLookedUpLimited: false, ...options };
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
