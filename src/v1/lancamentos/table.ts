import { bigint, boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { flag, id, instant, payload } from "../../db/columns.ts";
import { rollupTable } from "../../db/rollup-table.ts";

/** Commissions and debits registered in the salon system, each originating from an ERP payment. */
export const lancamentos = pgTable(
  "lancamentos",
  {
    id: id(),
    salon_id: text().notNull().unique(),
    estabelecimento_id: text().notNull(),
    raw_data: payload(),
    synced_at: instant().notNull().defaultNow(),
    sent_to_salon: flag(),
    sent_at: instant(),
  },
  (t) => [
    // The list's order is the primary key; these are the same order under each filter.
    index("lancamentos_unit").on(t.estabelecimento_id, t.id),
    index("lancamentos_sent").on(t.sent_to_salon, t.id),
    index("lancamentos_unit_sent").on(t.estabelecimento_id, t.sent_to_salon, t.id),
    // A range over another column than the order: a block of ids is walked without its rows.
    index("lancamentos_id_range").on(t.id, t.synced_at, t.estabelecimento_id, t.sent_to_salon),
    // The rows at the ends of a range.
    index("lancamentos_synced").on(t.synced_at, t.id),
  ],
);

/** How many entries there are, by `synced_at` and by block of ids: totals, and where a page begins. */
export const lancamentosRollup = rollupTable("lancamentos_rollup", {
  estabelecimento_id: text(),
  sent_to_salon: boolean(),
  block: bigint({ mode: "number" }),
});
