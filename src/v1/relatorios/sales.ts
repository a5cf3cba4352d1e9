import { type SQL, sql } from "drizzle-orm";
import { rowsReport } from "../../db/reports.ts";
import { partialSums, type Range } from "../../db/rollup.ts";
import type { Scope } from "../../db/scope.ts";
import { estabelecimentos as e } from "../estabelecimentos/table.ts";
import {
  vendasPorProdutoRollup,
  vendasPorUnidadeRollup,
  vendasProdutoRollup,
} from "../vendas-produto/table.ts";
import {
  VendaPorEstabelecimento,
  VendaPorProduto,
  type VendasPorEstabelecimento,
  type VendasPorEstabelecimentoFilters,
  type VendasPorProduto,
  type VendasPorProdutoFilters,
} from "./sales-schemas.ts";

const MEASURES = ["records", "quantidade", "valor_total", "quantidade_profissional", "valor_profissional"];

const soldAndTaken = sql`trim_scale(sum(quantidade)) as quantidade, round(sum(valor_total), 2) as valor_total,
      trim_scale(sum(quantidade_profissional)) as quantidade_profissional,
      round(sum(valor_profissional), 2) as valor_profissional`;

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
    MEASURES,
  );
  return sql`select produto_id, produto_nome,
      ${soldAndTaken}
    from (${lines}) as lines group by produto_id, produto_nome having sum(records) > 0
    order by valor_total desc, produto_id, produto_nome limit ${limite}`;
};

/** One row per unit that has sales lines, registered or not, highest sum first (R13). */
export const vendasPorEstabelecimento = rowsReport<VendasPorEstabelecimentoFilters, VendasPorEstabelecimento>(
  VendaPorEstabelecimento,
  ({ origem, ...range }, { units }) => {
    const lines = partialSums(
      { rollup: vendasProdutoRollup, filters: { estabelecimento_id: units, origem }, range },
      ["estabelecimento_id"],
      MEASURES,
    );
    return sql`select estabelecimento_id, ${e.nome}, quantidade, valor_total, quantidade_profissional, valor_profissional
    from (
      select estabelecimento_id, ${soldAndTaken}
      from (${lines}) as lines group by estabelecimento_id having sum(records) > 0
    ) as units left join ${e} on ${e.salon_id} = estabelecimento_id
    order by valor_total desc, estabelecimento_id`;
  },
);

export const vendasPorProduto = rowsReport<VendasPorProdutoFilters, VendasPorProduto>(
  VendaPorProduto,
  salesByProduct,
);
