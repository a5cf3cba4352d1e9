import { CLIENTS } from "../../clients.ts";
import {
  CALENDAR,
  CYCLE_FILTERS,
  CYCLES,
  column,
  count,
  equal,
  inUnits,
  money,
  OF_INSTANTS,
  type PlainSource,
  UNIT,
  written,
} from "../plain-source.ts";

/** A visit is the first of its client if none has an earlier time or, at the same time, a lower id. */
const isFirst = (units: readonly string[] | null) => `cliente_salon_id is not null and not exists (
  select from transacoes e where e.cliente_salon_id = v.cliente_salon_id and ${inUnits(units, "e.estabelecimento_id")}
    and (e.data_hora < v.data_hora or (e.data_hora = v.data_hora and e.id < v.id)))`;

const FEE =
  "(select taxa_cobrada_profissional from taxas_cartao f where f.forma_pagamento = v.forma_pagamento_principal)";

export const visitas: PlainSource = {
  rows: ({ units }) => `
    select data_hora as at, estabelecimento_id, substr(forma_pagamento_principal, 1, 200) as forma_pagamento, parcelas,
      sent_to_erp, cliente_salon_id, total, total * coalesce(${FEE}, 0) as fee, ${isFirst(units)} as is_first
    from transacoes v`,
  ...OF_INSTANTS,
  dimensions: {
    ...CALENDAR,
    ...CYCLES,
    unidade: UNIT,
    forma_pagamento: column("forma_pagamento"),
    parcelas: column("parcelas"),
    enviada: column("sent_to_erp"),
    cliente: {
      ...column("cliente_salon_id"),
      labels: {
        cliente_nome: ({ ownUnits }) => `(
          select cliente_nome from transacoes n where n.cliente_salon_id = answer.cliente_salon_id
            and ${inUnits(ownUnits, "n.estabelecimento_id")} order by data_hora desc, id desc limit 1)`,
      },
      isPersonal: true,
    },
  },
  measures: {
    visitas: count(),
    valor_total: money("total"),
    ticket_medio: { sql: "round(sum(total) / count(*), 2)", empty: "null" },
    enviadas: count("sent_to_erp"),
    pendentes: count("not sent_to_erp"),
    valor_pendente: money("total", "not sent_to_erp"),
    taxas: money("fee"),
    clientes: { sql: "count(distinct cliente_salon_id)", empty: "0", isExtra: true, linksVisits: true },
    clientes_novos: { ...count("is_first"), isExtra: true, linksVisits: true },
    primeira_visita: {
      sql: "min(at) filter (where isfinite(at))",
      empty: "null",
      isExtra: true,
      isDate: true,
    },
    ultima_visita: { sql: "max(at) filter (where isfinite(at))", empty: "null", isExtra: true, isDate: true },
  },
  filters: {
    ...CYCLE_FILTERS,
    sent_to_erp: equal("sent_to_erp", ["true", "false"]),
    forma_pagamento: written("forma_pagamento", ["Pix", "Açaí’s", "Açaí’s".normalize("NFD"), "Cheque"]),
    parcelas_min: { values: ["1", "2", "7"], condition: (value) => `parcelas >= ${value}` },
    cliente_salon_id: { ...equal("cliente_salon_id", [...CLIENTS, "C9"]), isPersonal: true },
    // Rows of the answer, not rows of the source: see expected-rows.ts.
    visitas_min: { values: ["1", "2", "3"], condition: () => "true", needsClient: true },
    sem_visita_desde: {
      values: ["2018-11-04T03:00:00Z", "2024-12-31T03:00:00.000001Z", "2100-01-01T00:00:00Z"],
      condition: (value, { ownUnits }) => `cliente_salon_id is not null and cliente_salon_id not in (
        select cliente_salon_id from transacoes l where cliente_salon_id is not null
          and l.data_hora >= timestamptz '${value}' and ${inUnits(ownUnits, "l.estabelecimento_id")})`,
      needsClient: true,
    },
  },
};
