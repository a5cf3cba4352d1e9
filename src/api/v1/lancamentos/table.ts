import { bigint, boolean, index, pgTable, text } from "drizzle-orm/pg-core";
import { flagColumn, idColumn, instantColumn, payloadColumn } from "../../../platform/db/columns.ts";
import { rollupTable } from "../../../platform/db/rollup.ts";

/** Commissions and debits registered in the salon system, each originating from an ERP payment. */
export const lancamentos = pgTable(
  "lancamentos",
  {
    id: idColumn(),
    salon_id: text().notNull().unique(),
    estabelecimento_id: text().notNull(),
    raw_data: payloadColumn(),
    synced_at: instantColumn().notNull().defaultNow(),
    sent_to_salon: flagColumn(),
    sent_at: instantColumn(),
  },
  (t) => [
    // For the list with each filter. Unfiltered, it uses the primary key.
    index("lancamentos_unit").on(t.estabelecimento_id, t.id),
    index("lancamentos_sent").on(t.sent_to_salon, t.id),
    index("lancamentos_unit_sent").on(t.estabelecimento_id, t.sent_to_salon, t.id),
    // For a range filter in `id` order: an index-only scan of a block of ids.
    index("lancamentos_id_range").on(t.id, t.synced_at, t.estabelecimento_id, t.sent_to_salon),
    // For the single rows at both ends of a range.
    index("lancamentos_synced").on(t.synced_at, t.id),
  ],
);

/** Counts by `synced_at` and by block of ids: for totals, and to find the start of a page. */
export const lancamentosRollup = rollupTable("lancamentos_rollup", {
  estabelecimento_id: text(),
  sent_to_salon: boolean(),
  block: bigint({ mode: "number" }),
});
