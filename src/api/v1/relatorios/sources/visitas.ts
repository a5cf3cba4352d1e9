import { type SQL, sql } from "drizzle-orm";
import { matchFilters, whereClause } from "../../../../platform/db/conditions.ts";
import type { Scope } from "../../../../platform/db/scope.ts";
import { dateTime, humanText, integer, trueOrFalse } from "../../../../platform/http/params.ts";
import { visitasFacts as f } from "../../facts/table.ts";
import { boolean, int, string } from "../../fields.ts";
import { clienteFilter, unit } from "../../parameters.ts";
import {
  transacoes as t,
  transacoesFormaRollup,
  transacoesHorarioRollup,
  transacoesRollup,
} from "../../transacoes/table.ts";
import {
  atLeast,
  average,
  calendar,
  cliente,
  counted,
  cycle,
  cycleFilters,
  different,
  equal,
  equalText,
  extreme,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { RangeContext, Source } from "../source.ts";
import { taxasCartao } from "../table.ts";

/**
 * Whether a visit is the first of its client, in the units that are read. Few clients have most of the visits
 * of a range.
 */
const isFirst = ({ scope: { units }, inRange }: RangeContext) => {
  const isOfUnits = matchFilters({ estabelecimento_id: units });
  const clients = sql`
    select cliente_salon_id
    from ${f}
    ${whereClause(inRange)}
    group by cliente_salon_id
    order by cliente_salon_id`;
  const order = sql`at, id`; // mistake: first-by-id
  const firstVisit = sql`
    select id
    from ${f} as earlier
    ${whereClause(sql`earlier.cliente_salon_id = clients.cliente_salon_id`, isOfUnits)}
    order by ${order}
    limit 1`;
  return sql`${f.id} in (
    select first.id
    from (${clients}) as clients
      cross join lateral (${firstVisit}) as first
  )`;
};

const hasNoVisitSince = (instant: SQL, { ownUnits }: Scope) => {
  const isLater = sql`later.at >= ${instant}::timestamptz`;
  const isOfUnits = matchFilters({ estabelecimento_id: ownUnits });
  return sql`(${f.cliente_salon_id} is not null and not exists (
    select
    from ${f} as later
    ${whereClause(sql`later.cliente_salon_id = ${f.cliente_salon_id}`, isLater, isOfUnits)}
  ))`;
};

/** One object of all fees: a subquery for each payment method would run for each row. A fee of NaN is no fee (R20). */
const fees = sql`
  select jsonb_object_agg(${taxasCartao.forma_pagamento}, ${taxasCartao.taxa_cobrada_profissional})
  from ${taxasCartao}
  where ${taxasCartao.taxa_cobrada_profissional} <> 'NaN'`;
const fee = sql`((${fees}) ->> ${f.forma_pagamento})::numeric`;

const isPending = sql`not ${f.sent_to_erp}`;

export const visitas: Source<"visitas"> = {
  name: "visitas",
  summary: "Visits, by what you choose",
  description:
    "Counts and adds up visits to salons, each with all its services and products. Stores have none. " +
    "`valor_total` includes what professionals took; for what customers paid, use " +
    "`GET /v1/relatorios/faturamento`. A card payment in instalments counts in full on the day of the " +
    "visit. `taxas` are card fees in reais. `clientes_novos` came for the first time ever, to the unit asked " +
    "for or else to yours; `primeira_visita` is the first in the range. Rows add up, except averages and `clientes`.",
  range: "`data_hora`",
  facts: f,
  dates: {
    data_hora: [
      {
        facts: f,
        at: f.at,
        day: f.day,
        rollups: [transacoesRollup, transacoesFormaRollup, transacoesHorarioRollup],
      },
    ],
  },
  unitParameter: unit("visits of", [t.estabelecimento_id]),
  dimensions: {
    ...calendar,
    ...cycle(f),
    unidade: unidade(f.estabelecimento_id),
    forma_pagamento: simple(
      undefined,
      f.forma_pagamento,
      string("Pix", "Payment method; `null` for visits without one").nullable(),
    ),
    parcelas: simple("instalments", f.parcelas, int(3, "Number of instalments").nullable()),
    enviada: simple(
      "sent to the ERP or not",
      f.sent_to_erp,
      boolean(true, "Whether the visits were sent to the ERP"),
    ),
    cliente: cliente({ key: f.cliente_salon_id, row: "visit", table: t, at: sql`data_hora` }),
  },
  measures: {
    visitas: counted("Number of rows of `transacoes`, also what a professional took for R$ 0", 100),
    valor_total: summed("Sum of `total` of these visits, in reais", 12340.5, f.total),
    ticket_medio: average("`valor_total` / `visitas`", 123.41, f.total, sql`records`),
    enviadas: counted("Number of visits sent to the ERP", 90, sql`${f.sent_to_erp}`),
    pendentes: counted("Number of visits not yet sent to the ERP", 10, isPending),
    valor_pendente: summed("Sum of `total` of the visits not yet sent, in reais", 1200, f.total, isPending),
    taxas: summed(
      "Card fees in reais: `total` × the fee of the payment method, 0 for methods without a fee",
      310.2,
      sql`${f.total} * ${fee}`,
    ),
    clientes: {
      ...different(
        "Number of different clients. Counts of several rows do not add up",
        80,
        sql`${f.cliente_salon_id} collate "C"`,
      ),
      linksVisits: true,
    },
    clientes_novos: {
      ...counted("Number of clients whose first visit of all time is among these visits", 12),
      sql: (context) => sql`coalesce(sum(records) filter (where ${isFirst(context)}), 0)`,
      isDefault: false,
      linksVisits: true,
    },
    primeira_visita: extreme("Time of the first of these visits", "min", f.at),
    ultima_visita: extreme("Time of the last of these visits", "max", f.at),
  },
  filters: {
    ...cycleFilters(f),
    sent_to_erp: equal(
      trueOrFalse("Only visits sent to the ERP (`true`) or not yet sent (`false`).").optional(),
      f.sent_to_erp,
    ),
    forma_pagamento: equalText(
      humanText({
        max: 100,
        example: "Pix",
        description: "Only visits with exactly this payment method.",
      }).optional(),
      f.forma_pagamento,
    ),
    parcelas_min: atLeast(
      integer({
        min: 1,
        max: 1000,
        example: 3,
        description: "Only visits paid in at least this number of instalments.",
      }).optional(),
      f.parcelas,
    ),
    cliente_salon_id: equal(clienteFilter("visits"), f.cliente_salon_id),
    visitas_min: {
      parameter: integer({
        min: 1,
        max: 100_000,
        example: 3,
        description: "Only rows with at least this number of visits.",
      }).optional(),
      needs: "cliente",
      having: (value) => sql`sum(records) >= ${value}`,
    },
    sem_visita_desde: {
      parameter: dateTime(
        "Only clients without a visit from this time on, in the units you may read.",
      ).optional(),
      needs: "cliente",
      condition: hasNoVisitSince,
    },
  },
};
