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
  summary: `List changes of ${records}`,
  description:
    `For programs that keep a copy. Returns the ${records} that were inserted, updated or deleted since \`after\`, each ` +
    "once and in its current state. Without `after` it returns all of them, so one loop makes the copy and keeps it up " +
    "to date. No change is skipped, even if loaders commit in another order. A record is returned again only after " +
    `another write. To look up single records, use /v1/${name}.` +
    (lookedUp
      ? ` ${lookedUp} looked up for each response. If only the looked-up values change, the record is not returned again.`
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
