import type { z } from "@hono/zod-openapi";
import { changeFeed } from "../../../platform/db/changes.ts";
import { lancamento } from "../lancamentos/queries.ts";
import { pagamento } from "../pagamentos-erp/queries.ts";
import { transacao } from "../transacoes/queries.ts";
import { venda } from "../vendas-produto/queries.ts";
import type {
  LancamentoAlteradoPage,
  PagamentoErpAlteradoPage,
  TransacaoAlteradaPage,
  VendaProdutoAlteradaPage,
} from "./schemas.ts";

/** Records written or removed since a marker, ordered by last change (C2). */
export const followTransacoes = changeFeed<z.output<typeof TransacaoAlteradaPage>>("transacoes", transacao);
export const followLancamentos = changeFeed<z.output<typeof LancamentoAlteradoPage>>(
  "lancamentos",
  lancamento,
);
export const followPagamentosErp = changeFeed<z.output<typeof PagamentoErpAlteradoPage>>(
  "pagamentos-erp",
  pagamento,
);
export const followVendasProduto = changeFeed<z.output<typeof VendaProdutoAlteradaPage>>(
  "vendas-produto",
  venda,
);
