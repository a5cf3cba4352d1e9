import type pg from "pg";
import { listEstabelecimentos } from "../../src/v1/estabelecimentos/queries.ts";
import { painel } from "../../src/v1/relatorios/panel.ts";
import {
  resumo,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "../../src/v1/relatorios/queries.ts";
import type { Figure } from "./figures.ts";
import { reports } from "./reports.ts";
import { CUT, type RouteQuery, YEAR } from "./routes.ts";
import { answer, assertSame, compare, statementOf } from "./timed.ts";

/** Compares the panel statement with the reports and the list that it combines, each run as its own statement. */
export const measurePanel = async (db: pg.Client): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [name, granularidade, range] of [
    ["all time by month", "mes", {}],
    ["a year by day", "dia", YEAR],
    ["from mid-month to mid-month, by month", "mes", CUT],
  ] as const) {
    const parts: RouteQuery[] = [
      (to, request) => resumo(to, request, range),
      (to, request) => reports.visitas(to, request, { por: [granularidade], ...range }),
      (to, request) => transacoesPorFormaPagamento(to, request, range),
      (to, request) => transacoesPorProfissional(to, request, range),
      (to, request) => reports.visitas(to, request, { por: ["unidade"], ...range }),
      (to, request) =>
        reports.vendas(to, request, { por: ["produto"], ordem: ["-valor_total"], limite: 10, ...range }),
      (to, request) => listEstabelecimentos(to, request, {}),
    ];
    const runs = await Promise.all(parts.map(async (ask) => ({ on: db, statement: await statementOf(ask) })));
    const panel = {
      on: db,
      statement: await statementOf((to, request) => painel(to, request, { granularidade, ...range })),
    };
    const bodies: { data?: unknown[] }[] = [];
    for (const run of runs) bodies.push(JSON.parse((await answer(run)).rows[0].body));
    const [, , , professionals, , , units] = bodies;
    if (professionals) professionals.data = professionals.data?.slice(0, 10) ?? [];
    const answers = [...bodies.slice(0, -1), units?.data];
    assertSame(Object.values(JSON.parse((await answer(panel)).rows[0].body)), answers, `panel, ${name}`);
    figures.push(await compare(`panel, ${name} / its six reports and its list`, 1.5, 20, panel, runs));
  }
  return figures;
};
