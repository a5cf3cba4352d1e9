import { desc, sql } from "drizzle-orm";
import { page } from "../../db/bodies.ts";
import { byTime } from "../../db/lists.ts";
import { asText } from "../../db/values.ts";
import { estabelecimentos } from "../estabelecimentos/table.ts";
import type { ListVendasProduto, VendaProdutoPage } from "./schemas.ts";
import { vendasProduto as t, vendasProdutoRollup } from "./table.ts";

const columns = {
  origem: t.origem,
  transacao_id: t.transacao_id,
  estabelecimento_id: t.estabelecimento_id,
  unidade_nome: sql`(select ${estabelecimentos.nome} from ${estabelecimentos}
    where ${estabelecimentos.salon_id} = ${t.estabelecimento_id})`,
  data_hora: t.data_hora,
  cliente_id: t.cliente_id,
  cliente_nome: t.cliente_nome,
  produto_id: t.produto_id,
  produto_nome: t.produto_nome,
  quantidade: asText(t.quantidade),
  valor_unitario: asText(t.valor_unitario),
  valor_total: asText(t.valor_total),
  profissional_id: t.profissional_id,
  forma_pagamento: t.forma_pagamento,
};

/** Latest line first, those without a date last (L1). The range is over `data_hora` (L2). */
export const listVendasProduto = page<ListVendasProduto, VendaProdutoPage>(
  ({ estabelecimento_id, origem, ...range }) => ({
    table: t,
    columns,
    order: [sql`${t.data_hora} desc nulls last`, desc(t.id)],
    find: byTime({ rollup: vendasProdutoRollup, filters: { estabelecimento_id, origem }, range }),
  }),
);
