import { sql as fragment } from "drizzle-orm";
import type pg from "pg";
import { partialSums, type RollupQuery } from "../../src/db/rollup.ts";
import { ANY_UNIT, Units } from "../../src/db/scope.ts";
import { followLancamentos } from "../../src/v1/alteracoes/queries.ts";
import { listLancamentos } from "../../src/v1/lancamentos/queries.ts";
import { listPagamentosErp } from "../../src/v1/pagamentos-erp/queries.ts";
import {
  resumo,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "../../src/v1/relatorios/queries.ts";
import { listTransacoes } from "../../src/v1/transacoes/queries.ts";
import { transacoesRollup } from "../../src/v1/transacoes/table.ts";
import { listVendasProduto } from "../../src/v1/vendas-produto/queries.ts";
import { cpuSeconds } from "../local/processes.ts";
import { connected } from "../warehouse/databases.ts";
import { measureClients } from "./clients.ts";
import { atMost, type Figure, inTurn, median } from "./figures.ts";
import { measureGeneral } from "./general.ts";
import { measurePanel } from "./panel.ts";
import { raw } from "./raw.ts";
import { reports } from "./reports.ts";
import { CUT, ROUTES, type RouteQuery, YEAR } from "./routes.ts";
import { answer, asStatement, assertSame, compare, type Run, statementOf, withoutValues } from "./timed.ts";

const totals = async (db: pg.Client): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [name, filters, where, bar] of [
    ["no filter", {}, "", 1 / 100],
    [
      "by unit",
      { estabelecimento_id: new Units(fragment.raw("'103'")) },
      "where estabelecimento_id = '103'",
      1 / 50,
    ],
    ["by flag", { sent_to_erp: fragment.raw("true") }, "where sent_to_erp", 1 / 50],
  ] as const) {
    const summed: RollupQuery = {
      rollup: transacoesRollup,
      filters: { estabelecimento_id: ANY_UNIT, ...filters },
      range: {},
    };
    const us = {
      on: db,
      statement: asStatement(
        fragment`select sum(records)::text as n from (${partialSums(summed, [])}) as parts`,
      ),
    };
    const them = { on: db, statement: withoutValues(`select count(*)::text as n from transacoes ${where}`) };
    assertSame((await answer(us)).rows, (await answer(them)).rows, `total ${name}`);
    figures.push(
      await compare(`total of transacoes, ${name} / \`count(*)\` by the best plain index`, bar, 20, us, them),
    );
  }
  return figures;
};

const pages = async (db: pg.Client, visits: number): Promise<Figure[]> => {
  const figures: Figure[] = [];
  const lists = [
    ["transacoes", listTransacoes, "data_hora desc, id desc", visits],
    ["lancamentos", listLancamentos, "id desc", visits * 0.4],
    ["pagamentos_erp", listPagamentosErp, "id desc", visits * 0.1],
    ["vendas_produto", listVendasProduto, "data_hora desc nulls last, id desc", visits * 0.15],
  ] as const;
  for (const [table, list, order, rows] of lists) {
    for (const [where, part] of [
      ["middle", 0.5],
      ["last", 1],
    ] as const) {
      const page = Math.floor((rows * part) / 50);
      const us = {
        on: db,
        statement: await statementOf((to, request) => list(to, request, { page, per_page: 50 })),
      };
      const them = {
        on: db,
        statement: withoutValues(
          `select *, (select count(*) from ${table}) from ${table} order by ${order} limit 50 offset ${(page - 1) * 50}`,
        ),
      };
      const records = JSON.parse((await answer(us)).rows[0].body).data as {
        salon_id?: string;
        erp_id?: number;
        transacao_id?: string;
      }[];
      const name = (r: (typeof records)[number]) => String(r.salon_id ?? r.erp_id ?? r.transacao_id);
      assertSame(records.map(name), (await answer(them)).rows.map(name), `${where} page of ${table}`);
      // Smaller lists have less to gain: ours must only not be slower.
      figures.push(
        await compare(
          `${where} page of ${table} / by \`OFFSET\``,
          table === "transacoes" ? 1 / 50 : 1,
          5,
          us,
          them,
        ),
      );
    }
  }
  return figures;
};

const SOLD = ["quantidade", "valor_total", "quantidade_profissional", "valor_profissional"];
const PAID = ["pagamentos", "valor_total", "pendentes", "valor_pendente"];

const reportsAgainstSql = async (db: pg.Client): Promise<Figure[]> => {
  const figures: Figure[] = [];
  const compared: [string, RouteQuery, string, number][] = [
    ["resumo", (to, request) => resumo(to, request, {}), raw.resumo(), 1 / 200],
    [
      "por forma de pagamento",
      (to, request) => transacoesPorFormaPagamento(to, request, {}),
      raw.transacoesPorFormaPagamento(),
      1 / 200,
    ],
    [
      "por profissional",
      (to, request) => transacoesPorProfissional(to, request, {}),
      raw.transacoesPorProfissional(),
      1 / 200,
    ],
    [
      "vendas by product",
      (to, request) =>
        reports.vendas(to, request, { por: ["produto"], medidas: SOLD, ordem: ["-valor_total"], limite: 50 }),
      raw.vendasByProduct(),
      1 / 50,
    ],
    [
      "pagamentos by month and account",
      (to, request) => reports.pagamentos(to, request, { por: ["mes", "conta"], medidas: PAID }),
      raw.pagamentosByAccount(),
      1 / 10,
    ],
  ];
  for (const [name, ask, query, bar] of compared) {
    const us = { on: db, statement: await statementOf(ask) };
    const them = { on: db, statement: withoutValues(query) };
    const { linhas, totais, ...body } = JSON.parse((await answer(us)).rows[0].body);
    assertSame(body, (await answer(them)).rows[0].answer, name);
    figures.push(await compare(`${name}, all time / raw \`GROUP BY\``, bar, 9, us, them));
  }
  const professionals = async (range: typeof YEAR): Promise<Run> => ({
    on: db,
    statement: await statementOf((to, request) => transacoesPorProfissional(to, request, range)),
  });
  // Each end adds half a month of days and half a day of visits. With two million visits, whole months take 4.9 ms,
  // so the bar of 3 allows 15 ms.
  const cut = "por profissional, range from mid-month to mid-month / a year of full months";
  return [...figures, await compare(cut, 3, 20, await professionals(CUT), await professionals(YEAR))];
};

const cursors = async (db: pg.Client): Promise<Figure[]> => {
  const { rows } = await db.query("select id::text from lancamentos order by id desc offset 60 limit 1");
  const at = async (after_id: string, range = {}): Promise<Run> => ({
    on: db,
    statement: await statementOf((to, request) =>
      listLancamentos(to, request, { page: 1, per_page: 50, after_id, ...range }),
    ),
  });
  const start = await at("0");
  const { text, values } = start.statement;
  const unlimited = text.replace(" and id <= current_setting('salon.settled_id')::bigint", "");
  if (unlimited === text) throw new Error("the statement has no settled_id condition to remove");
  return [
    await compare("cursor page / the same without the settled_id condition", 1.3, 200, start, {
      on: db,
      statement: { text: unlimited, values },
    }),
    await compare(
      "cursor page of lancamentos at the end / at the start",
      1.1,
      200,
      await at(rows[0].id),
      start,
    ),
    await compare("cursor page with a range of a year / without", 3, 200, await at("0", YEAR), start),
  ];
};

/** Compares pages of a feed with pages by cursor of the same records, before and after a year of changes. */
const feeds = async (db: pg.Client): Promise<Figure[]> => {
  const ask = async (after_id: string): Promise<Run> => ({
    on: db,
    statement: await statementOf((to, request) =>
      listLancamentos(to, request, { page: 1, per_page: 50, after_id }),
    ),
  });
  const follow = async (offset?: number): Promise<Run> => {
    const { rows } = await db.query(
      `select epoch, (select change from lancamentos_changes order by change desc offset ${offset ?? 0} limit 1) as position
       from change_feeds where list = 'lancamentos'`,
    );
    const after = offset === undefined ? undefined : { ...rows[0], copyStart: "0" };
    return {
      on: db,
      statement: await statementOf((to, request) => followLancamentos(to, request, { per_page: 50, after })),
    };
  };
  const { rows } = await db.query("select id::text from lancamentos order by id desc offset 60 limit 1");
  const both = async (when: string) => [
    await compare(`first page of changes${when} / page by cursor`, 2.5, 200, await follow(), await ask("0")),
    await compare(
      `last page of changes${when} / page by cursor`,
      2.5,
      200,
      await follow(60),
      await ask(rows[0].id),
    ),
    await compare(
      `empty page of changes${when} / page by cursor`,
      2.5,
      200,
      await follow(0),
      await ask(rows[0].id),
    ),
  ];
  const before = await both("");
  // Simulates the triggers: each record changes three times, in batches, and a tenth as many records are removed.
  const seq = "nextval('lancamentos_change_seq')";
  const touch = (from: number, to: number) =>
    db.query(`update lancamentos_changes set change = ${seq} where id > ${from} and id <= ${to}`);
  const { rows: ends } = await db.query("select max(id)::int as last from lancamentos");
  for (let time = 0; time < 3; time += 1) {
    for (let from = 0; from <= ends[0].last; from += 50_000) await touch(from, from + 50_000);
    await db.query(
      `insert into lancamentos_changes select id + ${ends[0].last * (time + 1)}, ${seq}, now() from lancamentos where id % 30 = 0
       on conflict (id) do update set change = excluded.change`,
    );
  }
  // Autovacuum starts at 2 % dead rows, so up to that share is left over.
  await db.query("vacuum analyze lancamentos_changes");
  await touch(0, ends[0].last / 50);
  return [...before, ...(await both(" after a year"))];
};

const compareSizes = async (large: pg.Client, small: pg.Client, names: string): Promise<Figure[]> => {
  const measureRoute = async (measure: string, bar: number, times: number, ask: RouteQuery) => {
    const statement = await statementOf(ask);
    return compare(measure, bar, times, { on: large, statement }, { on: small, statement });
  };
  const figures: Figure[] = [];
  for (const [name, ask] of Object.entries(ROUTES))
    figures.push(await measureRoute(`${name}, ${names}`, 3, 60, ask));
  return figures;
};

const enrichment = async (db: pg.Client): Promise<Figure> => {
  const { rows } = await db.query("select pg_backend_pid() as pid");
  const cpu = async (times: number, run: Run) => {
    const before = cpuSeconds(rows[0].pid);
    for (let i = 0; i < times; i += 1) await answer(run);
    return ((cpuSeconds(rows[0].pid) - before) / times) * 1000;
  };
  const enriched = await statementOf((to, request) =>
    listTransacoes(to, request, { page: 1, per_page: 200 }),
  );
  // The same page with the services as stored, without lookups.
  const text = enriched.text.replace(
    /case\s+when jsonb_typeof\("transacoes"\."servicos"\).*?else "transacoes"\."servicos"::json\s+end as "servicos"/s,
    '"transacoes"."servicos" as "servicos"',
  );
  if (text === enriched.text) throw new Error("the statement has no enrichment to remove");
  const plainText = text.replace(
    /professionals as materialized \(.*? as anywhere\s*\)/s,
    "professionals as (select 1)",
  );
  if (plainText === text) throw new Error("the statement has no lookup of professionals to remove");
  const plain = { on: db, statement: { text: plainText, values: enriched.values } };
  const taken = await inTurn(7, {
    ours: () => cpu(200, { on: db, statement: enriched }),
    plain: () => cpu(200, plain),
  });
  const [us, them] = [median(taken.ours), median(taken.plain)];
  return atMost(
    "Postgres CPU of a page of 200 visits, enriched / plain rows",
    us / them,
    2,
    `${us.toFixed(2)} / ${them.toFixed(2)} ms`,
  );
};

/**
 * Measures the Postgres execution time of our statements against plain SQL with the best available index. All answers
 * are compared first.
 * @param sizes connection strings by number of visits, ascending
 */
export const measureSql = async (
  sizes: [visits: number, url: string][],
  progress: (line: string) => void,
) => {
  const [smallest, largest] = [sizes[0], sizes.at(-1)];
  if (smallest === undefined || largest === undefined) throw new Error("no sizes");
  return connected(largest[1], (large) =>
    connected(smallest[1], async (small) => {
      const figures: Figure[] = [];
      // The settings of the API's role (migrations).
      for (const db of [large, small]) await db.query("set timezone = 'UTC'; set jit = off");
      for (const [name, part] of Object.entries({
        totals: () => totals(large),
        pages: () => pages(large, largest[0]),
        reports: () => reportsAgainstSql(large),
        panel: () => measurePanel(large),
        clients: () => measureClients(large),
        // Its package may be missing until `ensureInstalled` has said so.
        "drizzle-cube": async () => (await import("./cube.ts")).measureCube(largest[1], progress),
        "general reports": () => measureGeneral(sizes, progress),
        cursors: () => cursors(large),
        enrichment: async () => [await enrichment(large)],
        feeds: () => feeds(large),
        sizes: () => compareSizes(large, small, `${largest[0]} / ${smallest[0]} visits`),
      })) {
        progress(`SQL: ${name}`);
        figures.push(...(await part()));
      }
      return figures;
    }),
  );
};
