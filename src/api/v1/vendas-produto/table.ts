import { type Column, type SQL, sql } from "drizzle-orm";
import { check, index, numeric, pgTable, text } from "drizzle-orm/pg-core";
import { idColumn, instantColumn, moneyColumn } from "../../../platform/db/columns.ts";
import { rollupTable } from "../../../platform/db/rollup.ts";

export const ORIGENS = ["salao", "loja"] as const;

/** The sort key: a line without a date sorts as the oldest. */
export const sortTime = (dataHora: Column): SQL => sql`coalesce(${dataHora}, '-infinity')`;

/** What identifies a product in reports: the text is cut (R20). */
export const productKey = (id: Column): SQL => sql`left(${id}, 200)`;

/** Whether a professional took the product. Such a line is not a sale to a customer. */
export const isTaken = (method: Column): SQL =>
  sql`${method} is not distinct from 'Descontar do Profissional'`;

export const vendasProduto = pgTable(
  "vendas_produto",
  {
    id: idColumn(),
    origem: text({ enum: ORIGENS }).notNull(),
    transacao_id: text().notNull(),
    estabelecimento_id: text().notNull(),
    data_hora: instantColumn(),
    cliente_id: text(),
    cliente_nome: text(),
    produto_id: text(),
    produto_nome: text(),
    quantidade: numeric(),
    valor_unitario: moneyColumn(),
    valor_total: moneyColumn(),
    profissional_id: text(),
    forma_pagamento: text(),
  },
  (t) => [
    check("vendas_produto_origem", sql`${t.origem} in ('salao', 'loja')`),
    // For the list, unfiltered and with each filter (L1). `data_hora` allows index-only scans: they need the
    // column itself, not only the expression.
    index("vendas_produto_latest").on(sortTime(t.data_hora), t.id, t.data_hora),
    index("vendas_produto_unit_latest").on(
      t.estabelecimento_id,
      sortTime(t.data_hora),
      t.id,
      t.data_hora,
      t.origem,
    ),
    index("vendas_produto_origin_latest").on(t.origem, sortTime(t.data_hora), t.id, t.data_hora),
    index("vendas_produto_client_latest").on(
      t.cliente_id,
      sortTime(t.data_hora),
      t.id,
      t.data_hora,
      t.estabelecimento_id,
      t.origem,
    ),
    // For the newest name of a product in each unit (R20).
    index("vendas_produto_product_names").on(
      productKey(t.produto_id),
      t.estabelecimento_id,
      sortTime(t.data_hora),
      t.id,
    ),
    index("vendas_produto_product_latest").on(
      t.produto_id,
      sortTime(t.data_hora),
      t.id,
      t.data_hora,
      t.estabelecimento_id,
      t.origem,
    ),
  ],
);

const measures = {
  quantidade: numeric().notNull(),
  valor_total: numeric().notNull(),
  quantidade_profissional: numeric().notNull(),
  valor_profissional: numeric().notNull(),
  sem_quantidade: numeric().notNull(),
};

/** Lines by unit, for the totals of the list and for sales by unit. */
export const vendasProdutoRollup = rollupTable(
  "vendas_produto_rollup",
  { estabelecimento_id: text(), origem: text() },
  measures,
);

/** Lines by client, all time only: the total of the list by client. */
export const vendasClienteRollup = rollupTable("vendas_cliente_rollup", {
  cliente_id: text(),
  estabelecimento_id: text(),
  origem: text(),
});

/** Lines by product, for the totals of the list, for sales by product and for its names. */
export const vendasPorUnidadeRollup = rollupTable(
  "vendas_por_unidade_rollup",
  { estabelecimento_id: text(), origem: text(), produto_id: text(), produto_nome: text() },
  measures,
);
