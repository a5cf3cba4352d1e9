import { sql } from "drizzle-orm";
import { check, date, numeric, pgTable, text, unique } from "drizzle-orm/pg-core";
import { idColumn, moneyColumn } from "../../../platform/db/columns.ts";

/** Card fees charged to professionals, by payment method: 0.0299 means 2.99 percent. */
export const taxasCartao = pgTable("taxas_cartao", {
  id: idColumn(),
  forma_pagamento: text().notNull().unique(),
  taxa_cobrada_profissional: numeric({ precision: 8, scale: 6 }).notNull(),
});

/** The goals of units: what customers should pay in a month (B1). */
export const metas = pgTable(
  "metas",
  {
    id: idColumn(),
    estabelecimento_id: text().notNull(),
    /** The first day of the month. */
    mes: date({ mode: "string" }).notNull(),
    valor: moneyColumn().notNull(),
  },
  (t) => [
    unique("metas_unit_month").on(t.estabelecimento_id, t.mes),
    check(
      "metas_month",
      sql`isfinite(${t.mes}) and ${t.mes} = date_trunc('month', ${t.mes}::timestamp)::date`,
    ),
    check("metas_value", sql`${t.valor} >= 0 and ${t.valor} < 'Infinity'`),
  ],
);
