import { sql } from "drizzle-orm";
import { check, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { flag, id, instant, money } from "../../db/columns.ts";

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
    raw_data: jsonb().notNull(),
    synced_at: instant().notNull().defaultNow(),
  },
  // A NaN would poison every report total it takes part in.
  (t) => [check("transacoes_total_is_a_number", sql`${t.total} <> 'NaN'`)],
);
