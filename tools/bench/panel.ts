import type pg from "pg";
import { listEstabelecimentos } from "../../src/v1/estabelecimentos/queries.ts";
import { frescor } from "../../src/v1/frescor/queries.ts";
import { painel } from "../../src/v1/relatorios/panel.ts";
import type { Figure } from "./figures.ts";
import { reports } from "./reports.ts";
import { CUT, type RouteQuery, YEAR } from "./routes.ts";
import { answer, assertSame, compare, statementOf } from "./timed.ts";

interface Ends {
  data_inicio?: string;
  data_fim?: string;
}

/** What the panel's parts are the answers of, in their order. All but the unsent visits and the earlier range. */
const partsOf = (grain: "dia" | "mes", range: Ends): Record<string, RouteQuery> => {
  const by =
    (source: keyof typeof reports, asks: object, over: Ends = range): RouteQuery =>
    (to, request) =>
      reports[source](to, request, { ...asks, ...over });
  const limite = 1100;
  return {
    unidades: (to, request) => listEstabelecimentos(to, request, {}),
    faturamento: by("faturamento", { por: ["origem"], limite }),
    faturamento_por_periodo: by("faturamento", { por: [grain], medidas: ["valor_total"] }),
    metas: by("faturamento", { por: ["mes"], medidas: ["valor_total", "meta"] }),
    metas_por_unidade: by("faturamento", {
      por: ["mes", "unidade"],
      medidas: ["valor_total", "meta"],
      limite,
    }),
    faturamento_por_unidade: by("faturamento", { por: ["unidade"], limite }),
    faturamento_por_unidade_e_periodo: by("faturamento", {
      por: [grain, "unidade"],
      medidas: ["valor_total"],
      limite,
    }),
    visitas: by("visitas", {}),
    visitas_por_forma_pagamento: by("visitas", {
      por: ["forma_pagamento"],
      medidas: ["visitas", "valor_total", "taxas"],
      limite,
    }),
    ...(range.data_fim && { clientes: by("visitas", { medidas: ["clientes", "clientes_novos"] }) }),
    lancamentos_pendentes: by(
      "lancamentos",
      { medidas: ["lancamentos", "valor_total"], sent_to_salon: "false" },
      {},
    ),
    pagamentos: by(
      "pagamentos",
      {
        por: ["centro_custo", "faixa"],
        medidas: ["pendentes", "valor_pendente", "vencimento_mais_antigo"],
        situacao: "1",
        limite,
      },
      {},
    ),
    servicos_por_profissional: by("servicos", {
      por: ["profissional"],
      ordem: ["-valor_total"],
      limite: 10,
    }),
    servicos_por_unidade_e_profissional: by("servicos", {
      por: ["unidade", "profissional"],
      medidas: ["servicos"],
      limite,
    }),
    frescor,
  };
};

/** Without what changes every second. */
const comparable = (body: object) =>
  JSON.parse(JSON.stringify(body), (name, value) =>
    name === "agora" || name === "atraso_segundos" || name === "direitos" ? undefined : value,
  );

/** Compares the panel statement with the reports and lists that it combines, each run as its own statement. */
export const measurePanel = async (db: pg.Client): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [name, granularidade, range] of [
    ["all time by month", "mes", {}],
    ["a year by day", "dia", YEAR],
    ["from mid-month to mid-month, by month", "mes", CUT],
  ] as const) {
    const parts = Object.entries(partsOf(granularidade, range));
    const runs = await Promise.all(
      parts.map(async ([, ask]) => ({ on: db, statement: await statementOf(ask) })),
    );
    const panel = {
      on: db,
      statement: await statementOf((to, request) => painel(to, request, { granularidade, ...range })),
    };
    const expected: Record<string, unknown> = {};
    for (const [n, run] of runs.entries()) {
      const body = JSON.parse((await answer(run)).rows[0].body);
      const part = parts[n]?.[0] ?? "";
      expected[part] = part === "unidades" ? body.data : body;
    }
    const body = JSON.parse((await answer(panel)).rows[0].body);
    const shown = Object.fromEntries(parts.map(([part]) => [part, body[part]]));
    assertSame(comparable(shown), comparable(expected), `panel, ${name}`);
    figures.push(await compare(`panel, ${name} / its reports and lists`, 1.5, 20, panel, runs));
  }
  return figures;
};
