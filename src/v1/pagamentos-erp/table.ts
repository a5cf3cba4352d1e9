import { sql } from "drizzle-orm";
import { bigint, check, date, index, numeric, pgTable, smallint, text } from "drizzle-orm/pg-core";
import { id, instant, money, payload } from "../../db/columns.ts";
import { rollupTable } from "../../db/rollup-table.ts";

/** Every ERP payment, paid or pending, of any category and cost centre. `pago` is computed, never stored. */
export const pagamentosErp = pgTable(
  "pagamentos_erp",
  {
    id: id(),
    erp_id: bigint({ mode: "number" }).notNull().unique(),
    id_centro_custo: text(),
    situacao: smallint().notNull(),
    nome_conta_classificacao: text(),
    id_plano_conta_classificacao: bigint({ mode: "number" }),
    valor: money(),
    data_vencimento: date({ mode: "string" }),
    data_pagamento: date({ mode: "string" }),
    descricao: text(),
    raw_data: payload(),
    synced_at: instant().notNull().defaultNow(),
    updated_at: instant().notNull().defaultNow(),
  },
  (t) => [
    check("pagamentos_erp_situacao", sql`${t.situacao} in (1, 2)`),
    // The list's order is the primary key; these are the same order under each filter.
    index("pagamentos_erp_situation").on(t.situacao, t.id),
    index("pagamentos_erp_cost_centre").on(t.id_centro_custo, t.id),
    index("pagamentos_erp_account").on(t.nome_conta_classificacao, t.id),
    // A range over another column than the order: a block of ids is walked without its rows.
    index("pagamentos_erp_id_range").on(
      t.id,
      t.data_vencimento,
      t.situacao,
      t.id_centro_custo,
      t.nome_conta_classificacao,
    ),
  ],
);

/** How many payments there are, by `data_vencimento` and by block of ids: totals, and where a page begins. */
export const pagamentosErpRollup = rollupTable("pagamentos_erp_rollup", {
  situacao: smallint(),
  id_centro_custo: text(),
  nome_conta_classificacao: text(),
  block: bigint({ mode: "number" }),
});

const byAccount = (name: string) =>
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

/**
 * Payments by account, by the day they are due or were paid: for the report. Each payment counts in the row of its cost
 * centre, and in one of all of them, whose `dimension` is `all`.
 */
export const pagamentosPorVencimentoRollup = byAccount("pagamentos_por_vencimento_rollup");
export const pagamentosPorPagamentoRollup = byAccount("pagamentos_por_pagamento_rollup");
