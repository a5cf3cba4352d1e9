import { type Column, type SQL, sql } from "drizzle-orm";
import { check, index, numeric, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant, money } from "../../db/columns.ts";
import { rollupTable } from "../../db/rollup-table.ts";

export const ORIGENS = ["salao", "loja"] as const;

/** What a line is ordered by: one without a date is older than all others. */
export const placeInTime = (dataHora: Column): SQL => sql`coalesce(${dataHora}, '-infinity')`;

/** Product lines sold in a transaction; salon and store rows side by side. */
export const vendasProduto = pgTable(
  "vendas_produto",
  {
    id: id(),
    origem: text({ enum: ORIGENS }).notNull(),
    transacao_id: text().notNull(),
    estabelecimento_id: text().notNull(),
    data_hora: instant(),
    cliente_id: text(),
    cliente_nome: text(),
    produto_id: text(),
    produto_nome: text(),
    quantidade: numeric(),
    valor_unitario: money(),
    valor_total: money(),
    profissional_id: text(),
    forma_pagamento: text(),
  },
  (t) => [
    check("vendas_produto_origem", sql`${t.origem} in ('salao', 'loja')`),
    // The list's order, alone and under each filter; lines without a date come last (L1). What is skipped on the way
    // to a page is read in the index alone, which the column under the expression makes possible.
    index("vendas_produto_latest").on(placeInTime(t.data_hora), t.id, t.data_hora),
    index("vendas_produto_unit_latest").on(t.estabelecimento_id, placeInTime(t.data_hora), t.id, t.data_hora),
    index("vendas_produto_origin_latest").on(t.origem, placeInTime(t.data_hora), t.id, t.data_hora),
  ],
);

/** How many lines there are. */
export const vendasProdutoRollup = rollupTable("vendas_produto_rollup", {
  estabelecimento_id: text(),
  origem: text(),
});

const byProduct = { origem: text(), produto_id: text(), produto_nome: text() };
const sold = {
  quantidade: numeric().notNull(),
  valor_total: numeric().notNull(),
  quantidade_profissional: numeric().notNull(),
  valor_profissional: numeric().notNull(),
};

/**
 * Quantity and worth of product sales, apart from what professionals took: for the report. Of all units, and of each; texts
 * have their first 200 characters.
 */
export const vendasPorProdutoRollup = rollupTable("vendas_por_produto_rollup", byProduct, sold);
export const vendasPorUnidadeRollup = rollupTable(
  "vendas_por_unidade_rollup",
  { estabelecimento_id: text(), ...byProduct },
  sold,
);
