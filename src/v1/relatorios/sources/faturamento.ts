import { sql } from "drizzle-orm";
import { monthOf } from "../../../db/rollup.ts";
import { oneOf } from "../../../http/params.ts";
import { string } from "../../fields.ts";
import { unit } from "../../parameters.ts";
import { transacoesHorarioRollup, transacoesRollup, transacoes as visits } from "../../transacoes/table.ts";
import {
  vendasProduto as lines,
  ORIGENS,
  vendasHorarioRollup,
  vendasProdutoRollup,
} from "../../vendas-produto/table.ts";
import {
  average,
  calendar,
  countOf,
  cycle,
  cycleFilters,
  equal,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import { amount } from "../fields.ts";
import type { Measure, MonthReading, RollupReading, Source } from "../source.ts";
import { metas } from "../table.ts";

const NO_GOAL = {
  meta: { sql: sql`null::numeric`, columns: [] },
  // The question is by month or year, so it has this column. A comparison may move `starts_on`.
  mes_da_meta: { sql: monthOf(sql`starts_on`), columns: [] },
};

const visitFacts: RollupReading["facts"] = {
  estabelecimento_id: true,
  origem: { sql: sql`'salao'`, columns: [] },
  visitas: { sql: sql`records`, columns: [] },
  valor: { sql: sql`total`, columns: ["total"] },
  salao: { sql: sql`total`, columns: ["total"] },
  produtos: { sql: sql`0`, columns: [] },
  ...NO_GOAL,
};

/** What professionals took in a salon is part of its visits, but no customer paid it. */
const salon = sql`case when origem = 'salao' then -valor_profissional else 0 end`;

const lineFacts: RollupReading["facts"] = {
  estabelecimento_id: true,
  origem: true,
  visitas: { sql: sql`0`, columns: [] },
  valor: {
    sql: sql`case when origem = 'salao' then -valor_profissional else valor_total end`,
    columns: ["origem", "valor_total", "valor_profissional"],
  },
  salao: { sql: salon, columns: ["origem", "valor_profissional"] },
  produtos: { sql: sql`valor_total`, columns: ["valor_total"] },
  ...NO_GOAL,
};

const goals: MonthReading = {
  onlyFor: "meta",
  months: metas,
  month: sql`${metas.mes}`,
  facts: {
    estabelecimento_id: sql`${metas.estabelecimento_id}`,
    visitas: sql`0`,
    valor: sql`0`,
    salao: sql`0`,
    produtos: sql`0`,
    meta: sql`${metas.valor}`,
    mes_da_meta: sql`${metas.mes}`,
  },
};

const hours: RollupReading["facts"] = { dia_semana: true, hora: true };

/** A goal is of a unit and a month (B1). */
const goalError =
  (name: string): NonNullable<Measure["error"]> =>
  ({ dimensions, filters }) => {
    const isByMonth = dimensions.includes("mes") || dimensions.includes("ano");
    const isFiltered = filters.length > 0;
    if (isByMonth && !isFiltered && dimensions.every((name) => ["mes", "ano", "unidade"].includes(name)))
      return undefined;
    return `must not contain \`${name}\` unless \`por\` is \`mes\` or \`ano\`, alone or with \`unidade\`${
      isFiltered ? ", and without other filters than `estabelecimento_id`" : ""
    }. Change \`por\`, or omit \`${name}\``;
  };

export const faturamento: Source<"faturamento"> = {
  name: "faturamento",
  summary: "Revenue, by what you choose",
  description:
    "Revenue (Faturamento) is what customers paid: visits to salons without the products that " +
    "professionals took, and product sales of stores. `valor_total` is `valor_servicos` + " +
    "`valor_produtos`. `ticket_medio` is of salons. `meta`, the goal of whole months, and `valor_com_meta`, what " +
    "counts towards it, need `por` of `mes` or `ano`, alone or with `unidade`. Rows add up, except averages.",
  range: "`data_hora`",
  dates: {
    data_hora: {
      isDateColumn: false,
      plans: [
        [
          { rollup: transacoesRollup, facts: visitFacts },
          { rollup: vendasProdutoRollup, facts: lineFacts },
          goals,
        ],
        [
          { rollup: transacoesHorarioRollup, facts: { ...visitFacts, ...hours } },
          { rollup: vendasHorarioRollup, facts: { ...lineFacts, ...hours } },
        ],
      ],
    },
  },
  unitParameter: unit("revenue of", [visits.estabelecimento_id, lines.estabelecimento_id]),
  dimensions: {
    ...calendar,
    ...cycle,
    unidade,
    origem: simple(
      "salon (`salao`) or store (`loja`)",
      "origem",
      string("salao", "`salao`: visits; `loja`: store sales"),
    ),
  },
  measures: {
    valor_total: summed({
      description: "Revenue, in reais",
      example: 12340.5,
      sql: sql`valor`,
      facts: ["valor"],
    }),
    valor_servicos: summed({
      description: "Revenue without products, in reais",
      example: 10100.5,
      sql: sql`valor - produtos`,
      facts: ["valor", "produtos"],
    }),
    valor_produtos: summed({
      description: "Products sold in salons and stores, in reais",
      example: 2240,
      sql: sql`produtos`,
      facts: ["produtos"],
    }),
    visitas: countOf("Number of visits to salons", 100, "visitas"),
    ticket_medio: average({
      description: "Revenue of salons / `visitas`; `null` without visits",
      example: 101,
      total: sql`sum(salao)`,
      records: sql`sum(visitas)`,
      facts: ["salao", "visitas"],
    }),
    meta: {
      field: amount(
        "Goal of the whole months, in reais; `null` without a goal. Only with `por` of `mes` or `ano`, " +
          "with or without `unidade`",
        15000,
      ).nullable(),
      sql: sql`sum(meta)`,
      facts: ["meta"],
      empty: "null",
      isDefault: false,
      error: goalError("meta"),
      isOfGoals: true,
    },
    valor_com_meta: {
      ...summed({
        description:
          "Revenue of the units and months that have a goal, in reais: the share of the goal is " +
          "`valor_com_meta` / `meta`. Only where `meta` may be",
        example: 12000.5,
        sql: sql`valor`,
        facts: ["valor", "estabelecimento_id", "mes_da_meta"],
        where: sql`(estabelecimento_id, mes_da_meta) in (
          select ${metas.estabelecimento_id}, ${metas.mes}
          from ${metas}
        )`,
      }),
      isDefault: false,
      error: goalError("valor_com_meta"),
      isOfGoals: true,
    },
  },
  filters: {
    ...cycleFilters,
    origem: equal(oneOf(ORIGENS, "Only salons (`salao`) or stores (`loja`).").optional(), "origem"),
  },
};
