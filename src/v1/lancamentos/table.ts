import { jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { flag, id, instant } from "../../db/columns.ts";

/** Commissions and debits registered in the salon system, each originating from an ERP payment. */
export const lancamentos = pgTable("lancamentos", {
  id: id(),
  salon_id: text().notNull().unique(),
  estabelecimento_id: text().notNull(),
  raw_data: jsonb().notNull(),
  synced_at: instant().notNull().defaultNow(),
  sent_to_salon: flag(),
  sent_at: instant(),
});
