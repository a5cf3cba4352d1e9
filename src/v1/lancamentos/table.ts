import { index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { flag, id, instant } from "../../db/columns.ts";

/** Commissions and debits registered in the salon system, each originating from an ERP payment. */
export const lancamentos = pgTable(
  "lancamentos",
  {
    id: id(),
    salon_id: text().notNull().unique(),
    estabelecimento_id: text().notNull(),
    raw_data: jsonb().notNull(),
    synced_at: instant().notNull().defaultNow(),
    sent_to_salon: flag(),
    sent_at: instant(),
  },
  (t) => [
    // The list's order is the primary key; these are the same order under each filter.
    index("lancamentos_unit").on(t.estabelecimento_id, t.id),
    index("lancamentos_sent").on(t.sent_to_salon, t.id),
    index("lancamentos_unit_sent").on(t.estabelecimento_id, t.sent_to_salon, t.id),
    index("lancamentos_synced").on(t.synced_at, t.id),
    index("lancamentos_unit_synced").on(t.estabelecimento_id, t.synced_at, t.id),
  ],
);
