import { numeric, pgTable, text } from "drizzle-orm/pg-core";
import { idColumn } from "../../db/columns.ts";

/** Card fees charged to professionals, by payment method: 0.0299 means 2.99 percent. */
export const taxasCartao = pgTable("taxas_cartao", {
  id: idColumn(),
  forma_pagamento: text().notNull().unique(),
  taxa_cobrada_profissional: numeric({ precision: 8, scale: 6 }).notNull(),
});
