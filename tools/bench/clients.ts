import type pg from "pg";
import { listTransacoes } from "../../src/v1/transacoes/queries.ts";
import { listVendasProduto } from "../../src/v1/vendas-produto/queries.ts";
import { type Figure, inTurn, median, spread } from "./figures.ts";
import { reports } from "./reports.ts";
import type { RouteQuery } from "./routes.ts";
import { answer, assertSame, compare, type Run, statementOf, timed, withoutValues } from "./timed.ts";

/** The client with a fifth of all visits. */
const WALK_IN = "C0";

const FIRST_PAGE = { page: 1, per_page: 50 };
const MONTH = { data_inicio: "2026-10-01T03:00:00.000000Z", data_fim: "2026-11-01T02:59:59.999999Z" };
const DAYS_400 = { data_inicio: "2025-09-27T03:00:00.000000Z", data_fim: "2026-11-01T02:59:59.999999Z" };

const rawClients = ({ data_inicio, data_fim }: typeof MONTH) => `
  select json_build_object('visitas', sum(n), 'clientes', count(cliente_salon_id),
    'clientes_novos', count(cliente_salon_id) filter (where first >= '${data_inicio}')) as answer
  from (select cliente_salon_id, min(data_hora) as first, count(*) filter (where data_hora >= '${data_inicio}') as n
    from transacoes where data_hora <= '${data_fim}' group by 1) c where n > 0`;

/** Measures the numbers of clients in milliseconds, and the first page of a client with a fifth of all rows. */
export const measureClients = async (db: pg.Client): Promise<Figure[]> => {
  const run = async (ask: RouteQuery): Promise<Run> => ({ on: db, statement: await statementOf(ask) });
  const figures: Figure[] = [];
  for (const [name, range, bar] of [
    ["a month", MONTH, 400],
    ["400 days", DAYS_400, 2000],
  ] as const) {
    const medidas = ["visitas", "clientes", "clientes_novos"];
    const us = await run((to, request) => reports.visitas(to, request, { medidas, ...range }));
    const them = { on: db, statement: withoutValues(rawClients(range)) };
    const body = JSON.parse((await answer(us)).rows[0].body).totais;
    assertSame(body, (await answer(them)).rows[0].answer, `clients of ${name}`);
    const { us: taken } = await inTurn(9, { us: () => timed(us) });
    figures.push({
      measure: `clients of ${name} with ${body.visitas} visits`,
      value: `${Math.round(median(taken))} ms`,
      bar: `≤ ${bar} ms`,
      isMet: median(taken) <= bar,
      detail: spread(taken),
    });
  }
  for (const [name, ofClient, ofAll] of [
    [
      "transacoes",
      (to, request) => listTransacoes(to, request, { ...FIRST_PAGE, cliente_salon_id: WALK_IN }),
      (to, request) => listTransacoes(to, request, FIRST_PAGE),
    ],
    [
      "vendas-produto",
      (to, request) => listVendasProduto(to, request, { ...FIRST_PAGE, cliente_id: WALK_IN }),
      (to, request) => listVendasProduto(to, request, FIRST_PAGE),
    ],
  ] as [string, RouteQuery, RouteQuery][])
    figures.push(
      await compare(
        `first page of ${name} of a client with a fifth of all rows / unfiltered`,
        3,
        60,
        await run(ofClient),
        await run(ofAll),
      ),
    );
  return figures;
};
