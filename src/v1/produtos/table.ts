import { jsonb, pgTable, text, unique } from "drizzle-orm/pg-core";
import { id, instant } from "../../db/columns.ts";

/** The product catalogue, one entry per product and unit, synchronised weekly. */
export const produtos = pgTable(
  "produtos",
  {
    id: id(),
    salon_id: text().notNull(),
    estabelecimento_id: text().notNull(),
    nome: text(),
    raw_data: jsonb().notNull(),
    synced_at: instant().notNull().defaultNow(),
  },
  (t) => [unique("produtos_unit_product").on(t.estabelecimento_id, t.salon_id)],
);
