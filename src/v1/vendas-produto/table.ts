import { sql } from "drizzle-orm";
import { check, numeric, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant, money } from "../../db/columns.ts";

export const ORIGENS = ["salao", "loja"] as const;

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
  (t) => [check("vendas_produto_origem", sql`${t.origem} in ('salao', 'loja')`)],
);
