import { index, pgTable, text, unique } from "drizzle-orm/pg-core";
import { idColumn, instantColumn, payloadColumn } from "../../../platform/db/columns.ts";
import { indexedLetters } from "../../../platform/db/name-order.ts";

/** The product catalogue: one row per product and unit, synchronised weekly. */
export const produtos = pgTable(
  "produtos",
  {
    id: idColumn(),
    salon_id: text().notNull(),
    estabelecimento_id: text().notNull(),
    nome: text(),
    raw_data: payloadColumn(),
    synced_at: instantColumn().notNull().defaultNow(),
  },
  (t) => [
    unique("produtos_unit_product").on(t.estabelecimento_id, t.salon_id),
    // For the list, with and without a unit. A name search scans in this order until the page is full. The
    // columns after the letters allow index-only scans.
    index("produtos_sorted").on(indexedLetters(t.nome), t.nome, t.estabelecimento_id, t.salon_id, t.id),
    index("produtos_unit_sorted").on(t.estabelecimento_id, indexedLetters(t.nome), t.nome, t.salon_id, t.id),
    // For `/v1/frescor`: the last synchronisation of each unit.
    index("produtos_unit_synced").on(t.estabelecimento_id, t.synced_at),
  ],
);
