import { type SQL, sql } from "drizzle-orm";
import { rowsReport } from "../../db/reports.ts";
import { partialSums, type Range } from "../../db/rollup.ts";
import type { Scope } from "../../db/scope.ts";
import { vendasPorProdutoRollup, vendasPorUnidadeRollup } from "../vendas-produto/table.ts";
import { VendaPorProduto, type VendasPorProduto, type VendasPorProdutoFilters } from "./schemas.ts";

interface Sales extends Range {
  origem?: SQL | undefined;
  limite: SQL;
}

/** One row per product id and name, highest sum first. What professionals took is summed separately (R6). */
export const salesByProduct = ({ origem, limite, ...range }: Sales, { units }: Scope): SQL => {
  const rollup = units.value ? vendasPorUnidadeRollup : vendasPorProdutoRollup;
  const lines = partialSums(
    { rollup, filters: { estabelecimento_id: units, origem }, range },
    ["produto_id", "produto_nome"],
    ["records", "quantidade", "valor_total", "quantidade_profissional", "valor_profissional"],
  );
  return sql`select produto_id, produto_nome,
      trim_scale(sum(quantidade)) as quantidade, round(sum(valor_total), 2) as valor_total,
      trim_scale(sum(quantidade_profissional)) as quantidade_profissional,
      round(sum(valor_profissional), 2) as valor_profissional
    from (${lines}) as lines group by produto_id, produto_nome having sum(records) > 0
    order by valor_total desc, produto_id, produto_nome limit ${limite}`;
};

export const vendasPorProduto = rowsReport<VendasPorProdutoFilters, VendasPorProduto>(
  VendaPorProduto,
  salesByProduct,
);
