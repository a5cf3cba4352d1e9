import { sql } from "drizzle-orm";
import { check, index, numeric, pgTable, text } from "drizzle-orm/pg-core";
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
  (t) => [
    check("vendas_produto_origem", sql`${t.origem} in ('salao', 'loja')`),
    // The list's order, alone and under each filter; lines without a date come last.
    index("vendas_produto_latest").on(t.data_hora.desc().nullsLast(), t.id.desc().nullsFirst()),
    index("vendas_produto_unit_latest").on(
      t.estabelecimento_id,
      t.data_hora.desc().nullsLast(),
      t.id.desc().nullsFirst(),
    ),
    index("vendas_produto_origin_latest").on(
      t.origem,
      t.data_hora.desc().nullsLast(),
      t.id.desc().nullsFirst(),
    ),
  ],
);
