import type { z } from "@hono/zod-openapi";
import { changes } from "../../db/changes.ts";
import { lancamento } from "../lancamentos/queries.ts";
import { pagamento } from "../pagamentos-erp/queries.ts";
import { transacao } from "../transacoes/queries.ts";
import { venda } from "../vendas-produto/queries.ts";
import type { Lancamentos, PagamentosErp, Transacoes, VendasProduto } from "./schemas.ts";

/** What was written or removed since a marker, in the order of its last change (C2). */
export const followTransacoes = changes<z.output<typeof Transacoes>>("transacoes", transacao);
export const followLancamentos = changes<z.output<typeof Lancamentos>>("lancamentos", lancamento);
export const followPagamentosErp = changes<z.output<typeof PagamentosErp>>("pagamentos-erp", pagamento);
export const followVendasProduto = changes<z.output<typeof VendasProduto>>("vendas-produto", venda);
