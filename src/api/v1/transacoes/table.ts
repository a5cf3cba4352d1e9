import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, numeric, pgTable, smallint, text } from "drizzle-orm/pg-core";
import {
  flagColumn,
  idColumn,
  instantColumn,
  moneyColumn,
  payloadColumn,
} from "../../../platform/db/columns.ts";
import { rollupTable } from "../../../platform/db/rollup.ts";

export const transacoes = pgTable(
  "transacoes",
  {
    id: idColumn(),
    salon_id: text().notNull().unique(),
    estabelecimento_id: text().notNull(),
    total: moneyColumn().notNull(),
    data_hora: instantColumn().notNull(),
    cliente_salon_id: text(),
    cliente_nome: text(),
    forma_pagamento_principal: text(),
    valor_pagamento: moneyColumn(),
    parcelas: integer(),
    qtd_servicos: integer(),
    servicos: jsonb(),
    sent_to_erp: flagColumn(),
    erp_recebimento_id: text(),
    sent_at: instantColumn(),
    raw_data: payloadColumn(),
    synced_at: instantColumn().notNull().defaultNow(),
  },
  (t) => [
    // A single NaN would turn every sum that includes it into NaN.
    check("transacoes_total_is_a_number", sql`${t.total} <> 'NaN'`),
    // For the list, unfiltered and with each filter.
    index("transacoes_latest").on(
      t.data_hora,
      t.id,
      t.estabelecimento_id,
      t.sent_to_erp,
      t.total,
      t.cliente_salon_id,
    ),
    index("transacoes_unit_latest").on(t.estabelecimento_id, t.data_hora, t.id),
    index("transacoes_sent_latest").on(t.sent_to_erp, t.data_hora, t.id),
    index("transacoes_unit_sent_latest").on(t.estabelecimento_id, t.sent_to_erp, t.data_hora, t.id),
    index("transacoes_client_latest").on(
      t.cliente_salon_id,
      t.data_hora,
      t.id,
      t.estabelecimento_id,
      t.sent_to_erp,
    ),
  ],
);

/** Visits by unit and send status, for the totals of the list and for reports. */
export const transacoesRollup = rollupTable(
  "transacoes_rollup",
  { estabelecimento_id: text(), sent_to_erp: boolean() },
  { total: numeric().notNull() },
);

/** Visits by client, all time only: the total of the list by client. */
export const transacoesClienteRollup = rollupTable("transacoes_cliente_rollup", {
  cliente_salon_id: text(),
  estabelecimento_id: text(),
});

/** Visits by weekday (1 is Monday) and hour in Brasília. */
export const transacoesHorarioRollup = rollupTable(
  "transacoes_horario_rollup",
  { estabelecimento_id: text(), dia_semana: smallint(), hora: smallint() },
  { total: numeric().notNull() },
);

const serviceMeasures = { cortesias: numeric().notNull(), valor: numeric().notNull() };

/** Services by the `salon_id` of their professional. */
export const servicosProfissionalRollup = rollupTable(
  "servicos_profissional_rollup",
  { estabelecimento_id: text(), profissional: text() },
  serviceMeasures,
);

/** Services by name. */
export const servicosNomeRollup = rollupTable(
  "servicos_nome_rollup",
  { estabelecimento_id: text(), servico: text() },
  serviceMeasures,
);

/** Visits by professional. A visit counts once for each of its professionals, or once for null. */
export const transacoesProfissionalRollup = rollupTable(
  "transacoes_profissional_rollup",
  { estabelecimento_id: text(), profissional: text() },
  { total: numeric().notNull() },
);

/** Visits by payment form and send status. */
export const transacoesFormaRollup = rollupTable(
  "transacoes_forma_rollup",
  { estabelecimento_id: text(), forma_pagamento: text(), sent_to_erp: boolean() },
  { total: numeric().notNull() },
);
