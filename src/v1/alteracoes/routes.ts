import type { z } from "@hono/zod-openapi";
import { json } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { readRoute } from "../read-route.ts";
import { followLancamentos, followPagamentosErp, followTransacoes, followVendasProduto } from "./queries.ts";
import {
  followingOf,
  LancamentoAlteradoPage,
  PagamentoErpAlteradoPage,
  TransacaoAlteradaPage,
  VendaProdutoAlteradaPage,
} from "./schemas.ts";

/**
 * @param records plural noun for the records of the list
 * @param lookedUp subject and verb of a sentence about the fields that come from other tables
 */
const feed = <const Name extends string, Page extends z.ZodType>(
  name: Name,
  page: Page,
  records: string,
  lookedUp?: string,
) => ({
  path: `/${name}` as const,
  request: { query: followingOf(name) },
  answer: json(page, "One page"),
  refusals: [410 as const],
  summary: `Follow ${records}`,
  description:
    `All ${records} that were written or removed since \`after\`, each once and as it is now; without \`after\`, all ` +
    "there are: one loop makes a whole copy and then keeps it. Nothing is skipped, in whatever order loaders commit, and " +
    "a record comes again only when it was written again. It is for programs that keep a copy: to look something up, ask " +
    `/v1/${name}.` +
    (lookedUp
      ? ` ${lookedUp} looked up when you ask; a change of what they are looked up in does not bring a record again.`
      : ""),
});

export const alteracoesRoutes = createRouter().openapiRoutes([
  readRoute({
    ...feed("transacoes", TransacaoAlteradaPage, "visits", "Names and cost centres in `servicos` are"),
    operationId: "followTransacoes",
    read: followTransacoes,
  }),
  readRoute({
    ...feed("lancamentos", LancamentoAlteradoPage, "ledger entries"),
    operationId: "followLancamentos",
    read: followLancamentos,
  }),
  readRoute({
    ...feed("pagamentos-erp", PagamentoErpAlteradoPage, "ERP payments"),
    operationId: "followPagamentosErp",
    read: followPagamentosErp,
  }),
  readRoute({
    ...feed("vendas-produto", VendaProdutoAlteradaPage, "product sales lines", "`unidade_nome` is"),
    operationId: "followVendasProduto",
    read: followVendasProduto,
  }),
]);
