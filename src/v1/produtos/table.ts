import { index, pgTable, text, unique } from "drizzle-orm/pg-core";
import { id, instant, payload } from "../../db/columns.ts";

/** The product catalogue, one entry per product and unit, synchronised weekly. */
export const produtos = pgTable(
  "produtos",
  {
    id: id(),
    salon_id: text().notNull(),
    estabelecimento_id: text().notNull(),
    nome: text(),
    raw_data: payload(),
    synced_at: instant().notNull().defaultNow(),
  },
  (t) => [
    unique("produtos_unit_product").on(t.estabelecimento_id, t.salon_id),
    // The list's order, alone and within a unit; a search by name walks it and stops when the page is full.
    index("produtos_name").on(t.nome, t.estabelecimento_id, t.salon_id),
    index("produtos_unit_name").on(t.estabelecimento_id, t.nome, t.salon_id),
    // When each unit's catalogue was last synchronised.
    index("produtos_unit_synced").on(t.estabelecimento_id, t.synced_at),
  ],
);
