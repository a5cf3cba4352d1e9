import { type Column, sql } from "drizzle-orm";
import { integer, numeric, pgTable, smallint, text } from "drizzle-orm/pg-core";
import { monthOf } from "../../../../platform/db/range-sums.ts";
import { oneOf } from "../../../../platform/http/params.ts";
import { unitsWithCentre } from "../../cost-centres.ts";
import { vendasFacts as l, visitasFacts as v } from "../../facts/table.ts";
import { string } from "../../fields.ts";
import { unit } from "../../parameters.ts";
import { transacoes as t, transacoesHorarioRollup, transacoesRollup } from "../../transacoes/table.ts";
import { ORIGENS, vendasProduto, vendasProdutoRollup } from "../../vendas-produto/table.ts";
import {
  average,
  calendar,
  countOf,
  cycle,
  cycleFilters,
  equal,
  maybe,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Measure, Part, Source } from "../source.ts";
import { metas } from "../table.ts";

/** The columns of visits, product lines, goals and payments that add up: what customers paid, and what it cost. */
export const revenue = pgTable("faturamento", {
  estabelecimento_id: text(),
  origem: text({ enum: ORIGENS }),
  dia_semana: smallint(),
  hora: smallint(),
  visitas: integer(),
  valor: numeric(),
  /** Of salons alone. */
  salao: numeric(),
  produtos: numeric(),
  meta: numeric(),
  /** Null for a unit to which no cost centre leads. */
  despesas: numeric(),
});
const f = revenue;

/** No bill, if a cost centre leads to the unit; else its bills are unknown (R27). */
const noBill = (unitOfRow: Column) => sql`case when ${unitOfRow} in (${unitsWithCentre}) then 0 end`;

/** Whether the unit has a goal in the month. */
const hasGoal = sql`(${f.estabelecimento_id}, ${monthOf(sql`starts_on`)}) in (
  select ${metas.estabelecimento_id}, ${metas.mes}
  from ${metas}
)`;

export const visits: Part = {
  facts: v,
  at: v.at,
  day: v.day,
  rollups: [transacoesRollup, transacoesHorarioRollup],
  columns: {
    estabelecimento_id: v.estabelecimento_id,
    origem: sql`'salao'`,
    dia_semana: v.dia_semana,
    hora: v.hora,
    visitas: sql`records`,
    valor: v.total,
    salao: v.total,
    produtos: sql`0`,
    meta: sql`null::numeric`,
    despesas: noBill(v.estabelecimento_id),
  },
};

/** What professionals took in a salon is part of its visits, but no customer paid it. */
export const lines: Part = {
  facts: l,
  at: l.at,
  day: l.day,
  rollups: [vendasProdutoRollup],
  columns: {
    estabelecimento_id: l.estabelecimento_id,
    origem: l.origem,
    dia_semana: l.dia_semana,
    hora: l.hora,
    visitas: sql`0`,
    // mistake: counts-salons-twice
    valor: sql`case when ${l.origem} = 'salao' then -${l.valor_profissional} else ${l.valor_total} end`,
    salao: sql`case when ${l.origem} = 'salao' then -${l.valor_profissional} else 0 end`,
    produtos: l.valor_total,
    meta: sql`null::numeric`,
    despesas: noBill(l.estabelecimento_id),
  },
};

const goals: Part = {
  facts: metas,
  at: metas.mes,
  day: metas.mes,
  rollups: [],
  ofMonthsFor: f.meta,
  columns: {
    estabelecimento_id: metas.estabelecimento_id,
    visitas: sql`0`,
    valor: sql`0`,
    salao: sql`0`,
    produtos: sql`0`,
    meta: metas.valor,
  },
};
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
  row: "A visit to a salon; a product line of a store; or one that a professional took in a salon, subtracted.",
  range: "`data_hora`",
  facts: f,
  dates: { data_hora: [visits, lines, goals] },
  unitParameter: unit("revenue of", [t.estabelecimento_id, vendasProduto.estabelecimento_id]),
  dimensions: {
    ...calendar,
    ...cycle(f),
    unidade: unidade(f.estabelecimento_id),
    origem: simple(
      "salon (`salao`) or store (`loja`)",
      f.origem,
      string("salao", "`salao`: visits; `loja`: store sales"),
    ),
  },
  measures: {
    valor_total: summed("Revenue, in reais", 12340.5, f.valor),
    valor_servicos: summed("Revenue without products, in reais", 10100.5, sql`${f.valor} - ${f.produtos}`),
    valor_produtos: summed("Products sold in salons and stores, in reais", 2240, f.produtos),
    visitas: countOf("Number of visits to salons", 100, f.visitas),
    ticket_medio: average(
      "Revenue of salons / `visitas`; `null` without visits",
      101,
      f.salao,
      sql`${f.visitas}`,
    ),
    meta: {
      ...maybe(
        "Goal of the whole months, in reais; `null` without a goal. Only with `por` of `mes` or `ano`, " +
          "with or without `unidade`",
        15000,
        sql`sum(${f.meta})`,
      ),
      isDefault: false,
      error: goalError("meta"),
      isOfGoals: true,
    },
    valor_com_meta: {
      ...summed(
        "Revenue of the units and months that have a goal, in reais: the share of the goal is " +
          "`valor_com_meta` / `meta`. Only where `meta` may be",
        12000.5,
        f.valor,
        hasGoal, // mistake: all-revenue-counts
      ),
      isDefault: false,
      error: goalError("valor_com_meta"),
      isOfGoals: true,
    },
  },
  filters: {
    ...cycleFilters(f),
    origem: equal(oneOf(ORIGENS, "Only salons (`salao`) or stores (`loja`).").optional(), f.origem),
  },
};
