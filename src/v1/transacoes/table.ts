import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, numeric, pgTable, text } from "drizzle-orm/pg-core";
import { flag, id, instant, money, payload } from "../../db/columns.ts";
import { rollupTable } from "../../db/rollup-table.ts";

/** One salon visit with its payment data. */
export const transacoes = pgTable(
  "transacoes",
  {
    id: id(),
    salon_id: text().notNull().unique(),
    estabelecimento_id: text().notNull(),
    total: money().notNull(),
    data_hora: instant().notNull(),
    cliente_salon_id: text(),
    cliente_nome: text(),
    forma_pagamento_principal: text(),
    valor_pagamento: money(),
    parcelas: integer(),
    qtd_servicos: integer(),
    servicos: jsonb(),
    sent_to_erp: flag(),
    erp_recebimento_id: text(),
    sent_at: instant(),
    raw_data: payload(),
    synced_at: instant().notNull().defaultNow(),
  },
  (t) => [
    // A NaN would poison every report total it takes part in.
    check("transacoes_total_is_a_number", sql`${t.total} <> 'NaN'`),
    // The list's order, alone and under each filter.
    index("transacoes_latest").on(t.data_hora, t.id, t.estabelecimento_id, t.sent_to_erp, t.total),
    index("transacoes_unit_latest").on(t.estabelecimento_id, t.data_hora, t.id),
    index("transacoes_sent_latest").on(t.sent_to_erp, t.data_hora, t.id),
    index("transacoes_unit_sent_latest").on(t.estabelecimento_id, t.sent_to_erp, t.data_hora, t.id),
  ],
);

/** Totals and send status of visits: for the list's filters and the summary. */
export const transacoesRollup = rollupTable(
  "transacoes_rollup",
  { estabelecimento_id: text(), sent_to_erp: boolean() },
  { total: numeric().notNull() },
);

/**
 * Visits by payment form and by professional: for the reports. `dimension` is the column or key grouped by, `value`
 * what it holds. A visit counts once for each professional among its services, or once for none.
 */
export const transacoesReportRollup = rollupTable(
  "transacoes_report_rollup",
  { dimension: text({ enum: ["form", "professional"] }), estabelecimento_id: text(), value: text() },
  { total: numeric().notNull() },
);
