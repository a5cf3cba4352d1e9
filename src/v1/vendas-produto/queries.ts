import { sql } from "drizzle-orm";
import { page } from "../../db/bodies.ts";
import { byTime } from "../../db/lists.ts";
import { selectionOf } from "../../db/selection.ts";
import { estabelecimentos } from "../estabelecimentos/table.ts";
import { type ListVendasProduto, VendaProduto, type VendaProdutoPage } from "./schemas.ts";
import { placeInTime, vendasProduto as t, vendasProdutoRollup } from "./table.ts";

export const venda = selectionOf(t, VendaProduto, {
  unidade_nome: sql`(select ${estabelecimentos.nome} from ${estabelecimentos}
    where ${estabelecimentos.salon_id} = ${t.estabelecimento_id})`,
});

/** Latest line first, those without a date last (L1). The range is over `data_hora` (L2). */
export const listVendasProduto = page<typeof ListVendasProduto, typeof VendaProdutoPage>(
  venda,
  ({ estabelecimento_id, origem, ...range }) =>
    byTime(t, placeInTime(t.data_hora), {
      rollup: vendasProdutoRollup,
      filters: { estabelecimento_id, origem },
      range,
    }),
);
