import {
  CALENDAR,
  CYCLE_FILTERS,
  CYCLES,
  column,
  count,
  equal,
  finite,
  money,
  OF_INSTANTS,
  type PlainSource,
  type Reading,
  TZ,
  UNIT,
} from "../plain-source.ts";

const TAKEN = "forma_pagamento is not distinct from 'Descontar do Profissional'";
const VALUE = finite("valor_total");

/** What customers paid for a line: in a salon, what is not taken is part of the visit. */
const PAID = `case origem when 'salao' then case when ${TAKEN} then -(${VALUE}) else 0 end
  else case when ${TAKEN} then 0 else ${VALUE} end end`;

/** The goals of the months that the range touches. */
const goals = ({ from, to }: Reading) => {
  const month = (end: string) => `date_trunc('month', ${end} at time zone ${TZ})::date`;
  const conditions = [
    ...(from ? [`mes >= ${month(from)}`] : []),
    ...(to ? [`mes <= ${month(to)}`] : []),
    "true",
  ];
  // The range does not cut a month, so that a goal is exempt from it.
  return `union all
    select mes::timestamp at time zone ${TZ}, estabelecimento_id, null, 0, 0, 0, 0, valor, true
    from metas where ${conditions.join(" and ")}`;
};

export const faturamento: PlainSource = {
  rows: (reading) => `
    select data_hora as at, estabelecimento_id, 'salao' as origem, 1 as visit, total as paid, total as paid_in_salons,
      0 as products, null::numeric as goal, false as is_exempt
    from transacoes
    union all
    select data_hora, estabelecimento_id, origem, 0, ${PAID}, case origem when 'salao' then ${PAID} else 0 end,
      case when ${TAKEN} then 0 else ${VALUE} end, null, false
    from vendas_produto ${reading.medidas.includes("meta") ? goals(reading) : ""}`,
  ...OF_INSTANTS,
  dimensions: { ...CALENDAR, ...CYCLES, unidade: UNIT, origem: column("origem") },
  measures: {
    valor_total: money("paid"),
    valor_servicos: money("paid - products"),
    valor_produtos: money("products"),
    visitas: count("visit = 1"),
    ticket_medio: { sql: "round(sum(paid_in_salons) / nullif(sum(visit), 0), 2)", empty: "null" },
    meta: { sql: "sum(goal)", empty: "null", isExtra: true, isOfGoals: true },
    valor_com_meta: {
      ...money(
        "paid",
        "exists (select from metas g where g.estabelecimento_id = source.estabelecimento_id and g.mes = date_trunc('month', local)::date)",
      ),
      isExtra: true,
      isOfGoals: true,
    },
  },
  filters: { ...CYCLE_FILTERS, origem: equal("origem", ["salao", "loja"]) },
};
