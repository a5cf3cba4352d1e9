import type pg from "pg";
import { painel } from "../../src/v1/relatorios/panel.ts";
import { transacoesPorPeriodo } from "../../src/v1/relatorios/periods.ts";
import {
  resumo,
  transacoesPorEstabelecimento,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "../../src/v1/relatorios/queries.ts";
import { vendasPorProduto } from "../../src/v1/relatorios/sales.ts";
import type { Figure } from "./figures.ts";
import { CUT, type RouteQuery, YEAR } from "./routes.ts";
import { answer, assertSame, compare, statementOf } from "./timed.ts";

/** Compares the panel statement with the six reports it combines, each run as its own statement. */
export const measurePanel = async (db: pg.Client): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [name, granularidade, range] of [
    ["all time by month", "mes", {}],
    ["a year by day", "dia", YEAR],
    ["from mid-month to mid-month, by month", "mes", CUT],
  ] as const) {
    const parts: RouteQuery[] = [
      (to, rights) => resumo(to, rights, range),
      (to, rights) => transacoesPorPeriodo(to, rights, { granularidade, ...range }),
      (to, rights) => transacoesPorFormaPagamento(to, rights, range),
      (to, rights) => transacoesPorProfissional(to, rights, range),
      (to, rights) => transacoesPorEstabelecimento(to, rights, range),
      (to, rights) => vendasPorProduto(to, rights, { limite: 10, ...range }),
    ];
    const runs = await Promise.all(parts.map(async (ask) => ({ on: db, statement: await statementOf(ask) })));
    const panel = {
      on: db,
      statement: await statementOf((to, rights) => painel(to, rights, { granularidade, ...range })),
    };
    const answers: { data?: unknown[] }[] = [];
    for (const run of runs) answers.push(JSON.parse((await answer(run)).rows[0].body));
    const [, , , professionals] = answers;
    if (professionals) professionals.data = professionals.data?.slice(0, 10) ?? [];
    assertSame(Object.values(JSON.parse((await answer(panel)).rows[0].body)), answers, `panel, ${name}`);
    figures.push(await compare(`panel, ${name} / its six reports`, 1.5, 20, panel, runs));
  }
  return figures;
};
