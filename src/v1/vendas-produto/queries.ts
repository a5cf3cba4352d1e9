import { sql } from "drizzle-orm";
import { byTime } from "../../db/lists.ts";
import { listByPage } from "../../db/pages.ts";
import { selectionOf } from "../../db/selection.ts";
import { estabelecimentos } from "../estabelecimentos/table.ts";
import { type ListVendasProduto, VendaProduto, type VendaProdutoPage } from "./schemas.ts";
import { sortTime, vendasProduto as t, vendasProdutoRollup } from "./table.ts";

export const venda = selectionOf(
  t,
  VendaProduto,
  {
    unidade_nome: sql`(select ${estabelecimentos.nome} from ${estabelecimentos}
    where ${estabelecimentos.salon_id} = ${t.estabelecimento_id})`,
  },
  { unit: t.estabelecimento_id },
);

/** Latest line first, lines without a date last (L1). The range filters `data_hora` (L2). */
export const listVendasProduto = listByPage<typeof ListVendasProduto, typeof VendaProdutoPage>(
  venda,
  ({ origem, ...range }, { units }) =>
    byTime(t, sortTime(t.data_hora), {
      rollup: vendasProdutoRollup,
      filters: { estabelecimento_id: units, origem },
      range,
    }),
);
