import { sql } from "drizzle-orm";
import { byOwnIndex, byTime } from "../../../platform/db/lists.ts";
import { listOf } from "../../../platform/db/pagination.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { estabelecimentos } from "../estabelecimentos/table.ts";
import { vendasFacts } from "../facts/table.ts";
import { type ListVendasProduto, VendaProduto, type VendaProdutoPage } from "./schemas.ts";
import {
  sortTime,
  vendasProduto as t,
  vendasClienteRollup,
  vendasPorUnidadeRollup,
  vendasProdutoRollup,
} from "./table.ts";

export const venda = selectionOf(
  t,
  VendaProduto,
  {
    unidade_nome: sql`(
      select ${estabelecimentos.nome}
      from ${estabelecimentos}
      where ${estabelecimentos.salon_id} = ${t.estabelecimento_id}
    )`,
  },
  { unit: t.estabelecimento_id },
);

/** Latest line first, lines without a date last (L1). The range filters `data_hora` (L2). */
export const listVendasProduto = listOf<typeof ListVendasProduto, typeof VendaProdutoPage>(
  venda,
  ({ cliente_id, produto_id, origem, ...range }, { units }) => {
    const filters = { cliente_id, produto_id, estabelecimento_id: units, origem };
    const query = { filters, range, facts: vendasFacts };
    const at = sortTime(t.data_hora);
    if (!cliente_id && !produto_id) return byTime(t, at, { rollup: vendasProdutoRollup, ...query });
    const totals = cliente_id ? vendasClienteRollup : vendasPorUnidadeRollup;
    return byOwnIndex(t, at, query, cliente_id && produto_id ? undefined : totals);
  },
);
