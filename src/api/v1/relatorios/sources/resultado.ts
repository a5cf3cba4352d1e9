import { and, type Column, type SQL, sql } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { matchFilters, whereClause } from "../../../../platform/db/conditions.ts";
import { inRange } from "../../../../platform/db/range-sums.ts";
import type { Scope } from "../../../../platform/db/scope.ts";
import { oneOf, withDefault } from "../../../../platform/http/params.ts";
import { unitsOfCentres, unitsWithCentre } from "../../cost-centres.ts";
import { pagamentoColumns } from "../../facts/table.ts";
import { string } from "../../fields.ts";
import { unit } from "../../parameters.ts";
import { transacoes as t } from "../../transacoes/table.ts";
import { vendasProduto } from "../../vendas-produto/table.ts";
import { calendar, maybe, summed, unidade } from "../declarations.ts";
import type { Measure, Part, RangeContext, Source } from "../source.ts";
import { revenue as f, lines, visits } from "./faturamento.ts";

/** Payments with the unit to which their cost centre leads, or null. */
const p = pgTable("pagamentos_facts", { ...pagamentoColumns, estabelecimento_id: text() });

/** The payments as a part, each with the unit of its cost centre, or none. @param date that by which they count */
const payments = (date: Column): Part => ({
  facts: p,
  at: date,
  day: date,
  rollups: [],
  rows: ({ scope, range }: RangeContext) => {
    const within = and(...inRange({ range, isDateColumn: true }, sql`${date}`));
    return sql`
    select *
    from (
      select ${p}.*, unit as estabelecimento_id
      from ${p}
        left join (${unitsOfCentres}) as centres on centre = ${p.id_centro_custo}
      ${whereClause(within)}
    ) as bills
    ${whereClause(matchFilters({ estabelecimento_id: scope.units }))}`;
  },
  columns: {
    estabelecimento_id: p.estabelecimento_id,
    valor: sql`0`,
    despesas: p.valor,
  },
});

/** What bills are without any: 0, or null if no cost centre leads to the unit, or to any of those that are read. */
const noBills = (unit: SQL | undefined, { units }: Scope): SQL => {
  const led = sql`select from (${unitsOfCentres}) as centres ${whereClause(matchFilters({ unit: units }))}`;
  const isLed = and(
    units.value && sql`exists (${led})`,
    unit && sql`(${unit} is null or ${unit} in (${unitsWithCentre}))`,
  );
  return isLed ? sql`case when ${isLed} then 0.00 end` : sql`0.00`;
};

/** The bills of a row. The row of the total is of no unit. */
const bills = ({ scope, dimensions }: RangeContext): SQL => {
  const unitOfRow = sql`case when grouping(key_0) = 0 then min(${f.estabelecimento_id}) end`;
  const none = noBills(dimensions.includes("unidade") ? unitOfRow : undefined, scope);
  return sql`coalesce(sum(${f.despesas}), ${none})`;
};

const revenueOf = sql`coalesce(sum(${f.valor}), 0)`;

const profit = (context: RangeContext) => sql`${revenueOf} - ${bills(context)}`; // mistake: ledger-subtracted

const withoutRows: Measure["empty"] = ({ scope, dimensions }) =>
  noBills(dimensions.includes("unidade") ? sql`estabelecimento_id` : undefined, scope);

const UNKNOWN = "`null` for a unit to which no cost centre leads";

export const resultado: Source<"resultado"> = {
  name: "resultado",
  summary: "What is left: revenue less bills",
  description:
    "`resultado` is `faturamento` less `despesas`, the payments in the ERP. A payment is of the unit with its cost " +
    "centre, or of that of the professionals with it; else its row has no unit. A unit to which no cost centre " +
    "leads has `null`; `totais` adds what there is. Ledger entries are made from payments and are not " +
    "subtracted again. Rows add up, except `margem`, and `resultado` where it is `null`. With `comparar`, " +
    "the range must be over.",
  row: "A row of `faturamento`, or a payment.",
  range: "`data_hora` of sales and the date of payments",
  dateParameter: withDefault(
    oneOf(
      ["vencimento", "pagamento"],
      "The date of payments: `data_vencimento` (due, paid or not) or `data_pagamento` (paid).",
    ),
    "vencimento",
  ),
  facts: f,
  dates: { vencimento: [visits, lines, payments(p.due)], pagamento: [visits, lines, payments(p.paid)] },
  unitParameter: unit("the result of", [t.estabelecimento_id, vendasProduto.estabelecimento_id]),
  dimensions: {
    ...calendar,
    unidade: unidade(
      f.estabelecimento_id,
      string("101", "`salon_id` of the business unit; `null` for payments of no unit").nullable(),
    ),
  },
  measures: {
    faturamento: summed("Revenue, as in `faturamento`, in reais", 12340.5, f.valor),
    despesas: {
      ...maybe(`Payments, in reais; ${UNKNOWN}`, 9800, (context) => sql`round(${bills(context)}, 2)`),
      empty: withoutRows,
    },
    resultado: {
      ...maybe(
        `\`faturamento\` - \`despesas\`, in reais; ${UNKNOWN}`,
        2540.5,
        (context) => sql`round(${profit(context)}, 2)`,
      ),
      empty: withoutRows,
    },
    margem: maybe(
      "`resultado` / `faturamento`; `null` if either is missing or revenue is 0",
      0.2059,
      (context) => sql`round((${profit(context)}) / nullif(sum(${f.valor}), 0), 4)`,
    ),
  },
  filters: {},
  needs: "payments",
  isComparedWhenOver: true,
};
