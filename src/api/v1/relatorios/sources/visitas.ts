import { sql } from "drizzle-orm";
import { boolean, pgTable } from "drizzle-orm/pg-core";
import { humanText, integer, trueOrFalse } from "../../../../platform/http/params.ts";
import { visitaColumns } from "../../facts/table.ts";
import { boolean as booleanField, int, string } from "../../fields.ts";
import { clienteFilter, unit } from "../../parameters.ts";
import {
  transacoes as t,
  transacoesFormaRollup,
  transacoesHorarioRollup,
  transacoesRollup,
} from "../../transacoes/table.ts";
import {
  byBytes,
  differentClients,
  hasNoVisitSince,
  isFirst,
  novos,
  retornoDias,
  returnOfVisits,
  semVisitaDesde,
  withReturn,
} from "../clients.ts";
import {
  atLeast,
  average,
  calendar,
  cliente,
  counted,
  cycle,
  cycleFilters,
  equal,
  equalText,
  existing,
  extreme,
  feeOf,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Source } from "../source.ts";

/** The facts, with `voltou`: whether the client came back (R26). */
const f = pgTable("visitas_facts", { ...visitaColumns, voltou: boolean() });

const isPending = sql`not ${f.sent_to_erp}`;

export const visitas: Source<"visitas"> = {
  name: "visitas",
  summary: "Visits, by what you choose",
  description:
    "Counts and adds up visits to salons, each with all its services and products. Stores have none. " +
    "`valor_total` includes what professionals took; for what customers paid, use " +
    "`GET /v1/relatorios/faturamento`. A card payment in instalments counts in full on the day of the " +
    "visit. `taxas` are card fees in reais. `clientes_novos` came for the first time ever, to the unit asked " +
    "for or else to yours; `primeira_visita` is the first in the range. A visit whose `retorno_dias` days " +
    "are not over counts neither in `decididas` nor in `voltaram`. Rows add up, except averages and `clientes`.",
  row: "A visit: a record of `transacoes`.",
  list: {
    path: "transacoes",
    tool: "listTransacoes",
    filters: ["sent_to_erp", "cliente_salon_id"],
    dates: ["data_hora"],
  },
  range: "`data_hora`",
  facts: f,
  dates: {
    data_hora: [
      {
        facts: f,
        at: f.at,
        day: f.day,
        rollups: [transacoesRollup, transacoesFormaRollup, transacoesHorarioRollup],
        rows: withReturn(f),
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
      booleanField(true, "Whether the visits were sent to the ERP"),
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
      sql`${f.total} * ${feeOf(f.forma_pagamento)}`,
    ),
    clientes: differentClients(f.cliente_salon_id),
    clientes_novos: {
      ...counted("Number of clients whose first visit of all time is among these visits", 12),
      sql: (context) => sql`coalesce(sum(records) filter (where ${isFirst(f.id, context)}), 0)`,
      isDefault: false,
      linksVisits: true,
    },
    ...returnOfVisits(f),
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
      existing(
        humanText({
          max: 100,
          example: "Pix",
          description: "Only visits with exactly this payment method.",
        }).optional(),
        transacoesFormaRollup.forma_pagamento,
        transacoesFormaRollup,
      ),
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
    cliente_salon_id: {
      parameter: clienteFilter("visits"),
      condition: (value) => sql`${byBytes(f.cliente_salon_id)} = ${value}`,
    },
    visitas_min: {
      parameter: integer({
        min: 1,
        max: 100_000,
        example: 3,
        description: "Only rows with at least this number of visits.",
      }).optional(),
      needsDimension: "cliente",
      having: (value) => sql`sum(records) >= ${value}`,
    },
    sem_visita_desde: {
      parameter: semVisitaDesde(),
      needsDimension: "cliente",
      condition: (value, { scope }) => hasNoVisitSince(f.cliente_salon_id, sql`${value}::timestamptz`, scope),
    },
    novos: novos("the first visit of each client", (_value, context) => isFirst(f.id, context)),
    retorno_dias: retornoDias,
  },
};
