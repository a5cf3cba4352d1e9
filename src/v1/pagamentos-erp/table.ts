import { sql } from "drizzle-orm";
import { bigint, check, date, index, numeric, pgTable, smallint, text } from "drizzle-orm/pg-core";
import { idColumn, instantColumn, moneyColumn, payloadColumn } from "../../db/columns.ts";
import { rollupTable } from "../../db/rollup-table.ts";

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
  ],
);

/** Counts by `data_vencimento` and by block of ids: for totals, and to find the start of a page. */
export const pagamentosErpRollup = rollupTable("pagamentos_erp_rollup", {
  situacao: smallint(),
  id_centro_custo: text(),
  nome_conta_classificacao: text(),
  block: bigint({ mode: "number" }),
});

/** Sums by `data_vencimento` for the report by cost centre. Without the accounts, it has few rows. */
export const pagamentosPorCentroRollup = rollupTable(
  "pagamentos_por_centro_rollup",
  { id_centro_custo: text(), situacao: smallint() },
  { valor: numeric().notNull(), sem_valor: numeric().notNull() },
);

const accountRollup = (name: string) =>
  rollupTable(
    name,
    {
      dimension: text({ enum: ["all", "centre"] }),
      id_centro_custo: text(),
      situacao: smallint(),
      nome_conta_classificacao: text(),
    },
    { valor: numeric().notNull() },
  );

/** Each payment is in two rows: in that of its cost centre (`centre`) and in that of all of them (`all`). */
export const pagamentosPorVencimentoRollup = accountRollup("pagamentos_por_vencimento_rollup");
export const pagamentosPorPagamentoRollup = accountRollup("pagamentos_por_pagamento_rollup");
