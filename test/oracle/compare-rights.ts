import type { Rights } from "../../src/core/rights.ts";
import { assertEqual } from "./assert.ts";
import {
  type Comparison,
  compareAnswer,
  compareRandomly,
  type Pick,
  type Query,
  whole,
} from "./compare-answer.ts";
import { createFollower } from "./follower.ts";
import { openLimited } from "./limited.ts";
import {
  LISTS,
  questionsOnClients,
  questionsOverTime,
  questionsTo,
  questionsToReports,
  REPORTS,
  REPORTS_OVER_TIME,
} from "./questions.ts";
import { ROW_REPORTS } from "./row-reports.ts";
import { type Reader, type Service, startService } from "./service.ts";
import type { Warehouse } from "./warehouse.ts";

/** Without personal data, an id that is an object is null: leaves out the rows that this merges. */
const withoutOddIds: Pick = (body) =>
  JSON.stringify(JSON.parse(body), (name, value) =>
    name === "por_profissional"
      ? undefined
      : Array.isArray(value)
        ? value.filter((row) => !/^[[{]|^null$/.test(String(row?.profissional_salon_id)))
        : value,
  );

const compareReports = async (comparison: Comparison) => {
  const masked = comparison.rights.personalData ? whole : withoutOddIds;
  for (const report of REPORTS.filter((name) => name !== "nao-mapeados"))
    await compareRandomly(comparison, `relatorios/${report}`, questionsToReports, masked);
  await compareRandomly(comparison, "relatorios/nao-mapeados", questionsToReports, (body) =>
    JSON.stringify(JSON.parse(masked(body) as string).profissionais ?? body),
  );
  for (const report of REPORTS_OVER_TIME)
    await compareRandomly(comparison, `relatorios/${report}`, questionsOverTime, masked);
  for (const [report, { filters }] of Object.entries(ROW_REPORTS)) {
    const isMasked = masked !== whole && report.endsWith("por-profissional");
    // Where odd ids are masked, rows are merged and a limit would cut elsewhere.
    const { limite, ...others } = filters;
    const questions = questionsTo({ filters: isMasked ? others : filters, range: true });
    const formats: Query[] = isMasked ? [{}] : [{}, { formato: "csv" }];
    await compareRandomly(comparison, `relatorios/${report}`, questions, isMasked ? masked : whole, formats);
  }
  await compareRandomly(comparison, "relatorios/clientes", questionsOnClients);
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
};
const CURSORS = [
  { per_page: "7", after_id: "0" },
  { per_page: "7", after_id: "20000" },
];

const compareLists = async (comparison: Comparison) => {
  for (const [list, options] of Object.entries(LISTS).filter(([list]) => list !== "profissionais"))
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
  await compareRandomly(
    comparison,
    "profissionais",
    questionsTo(LISTS.profissionais as (typeof LISTS)[string]),
  );
  await compareAnswer(comparison, "estabelecimentos", {});
  await compareRandomly(comparison, "relatorios/nao-mapeados", questionsToReports, (body) =>
    JSON.stringify(JSON.parse(body).estabelecimentos ?? body),
  );
  for (const list of ["profissionais", "estabelecimentos"])
    for (let id = 1; id <= 10; id += 1) await compareAnswer(comparison, `${list}/${id}`, {});
};

const withoutDelays: Pick = (body) => body.replaceAll(/"atraso_segundos":\d+|"agora":"[^"]+"/g, "");

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
      const comparison = { warehouse, rights, limited, unlimited: service, control, compared, ...options };
      await compareReports(comparison);
      await database.mask();
      await compareLists(comparison);
      await compareAnswer(comparison, "frescor", {}, withoutDelays);
      await compareRecords(comparison);
      await compareFeeds(comparison, followers);
      await database.limitLookedUp();
      await compareLookedUp(comparison);
    } finally {
      await control.stop();
    }
  } finally {
    await database.close();
  }
};
