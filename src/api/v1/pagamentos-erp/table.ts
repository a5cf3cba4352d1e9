import { sql } from "drizzle-orm";
import { bigint, check, date, index, pgTable, smallint, text } from "drizzle-orm/pg-core";
import { idColumn, instantColumn, moneyColumn, payloadColumn } from "../../../platform/db/columns.ts";
import { rollupTable } from "../../../platform/db/rollup.ts";

/** All ERP payments, paid and pending. `pago` is computed from `situacao` and not stored. */
export const pagamentosErp = pgTable(
  "pagamentos_erp",
  {
    id: idColumn(),
    erp_id: bigint({ mode: "number" }).notNull().unique(),
    id_centro_custo: text(),
    situacao: smallint().notNull(),
    nome_conta_classificacao: text(),
    id_plano_conta_classificacao: bigint({ mode: "number" }),
    valor: moneyColumn(),
    data_vencimento: date({ mode: "string" }),
    data_pagamento: date({ mode: "string" }),
    descricao: text(),
    raw_data: payloadColumn(),
    synced_at: instantColumn().notNull().defaultNow(),
    updated_at: instantColumn().notNull().defaultNow(),
  },
  (t) => [
    check("pagamentos_erp_situacao", sql`${t.situacao} in (1, 2)`),
    // For the list with each filter. Unfiltered, it uses the primary key.
    index("pagamentos_erp_situation").on(t.situacao, t.id),
    index("pagamentos_erp_cost_centre").on(t.id_centro_custo, t.id),
    index("pagamentos_erp_account").on(t.nome_conta_classificacao, t.id),
    // For a range filter in `id` order: an index-only scan of a block of ids.
    index("pagamentos_erp_id_range").on(
      t.id,
      t.data_vencimento,
      t.situacao,
      t.id_centro_custo,
      t.nome_conta_classificacao,
    ),
    // For the order by due date, and for ranges of either date (L10).
    index("pagamentos_erp_due").on(t.data_vencimento, t.id),
    index("pagamentos_erp_paid").on(t.data_pagamento, t.id),
  ],
);

/** Counts by `data_vencimento` and by block of ids: for totals, and to find the start of a page. */
export const pagamentosErpRollup = rollupTable("pagamentos_erp_rollup", {
  situacao: smallint(),
  id_centro_custo: text(),
  nome_conta_classificacao: text(),
  block: bigint({ mode: "number" }),
});
