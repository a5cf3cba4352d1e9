import type { z } from "@hono/zod-openapi";
import { jsonResponse } from "../../../platform/http/responses.ts";
import { createRouter } from "../../../platform/http/router.ts";
import { Lancamento } from "../lancamentos/schemas.ts";
import { PagamentoErp } from "../pagamentos-erp/schemas.ts";
import { readRoute } from "../read-route.ts";
import { Transacao } from "../transacoes/schemas.ts";
import { VendaProduto } from "../vendas-produto/schemas.ts";
import { followLancamentos, followPagamentosErp, followTransacoes, followVendasProduto } from "./queries.ts";
import {
  feedQuery,
  LancamentoAlteradoPage,
  PagamentoErpAlteradoPage,
  TransacaoAlteradaPage,
  VendaProdutoAlteradaPage,
} from "./schemas.ts";

interface FeedNouns {
  /** The records of the list, in the plural. */
  records: string;
  /** Fields that come from other tables; completes "… looked up for each response." */
  lookedUp?: string;
}

const feedRoute = <const Name extends string, Page extends z.ZodType>(
  name: Name,
  record: z.ZodObject,
  page: Page,
  { records, lookedUp }: FeedNouns,
) => ({
  path: `/${name}` as const,
  request: { query: feedQuery(name, record) },
  response: jsonResponse(page, "One page"),
  extraStatuses: [410 as const],
  summary: `List changes to ${records}`,
  description:
    `For programs that keep a copy. Returns the ${records} that were inserted, updated or deleted since ` +
    "`after`, each once and in its current state. Without `after` it returns all records, so one loop " +
    "makes the copy and keeps it up to date. No change is skipped, regardless of the order in which " +
    "concurrent writes commit. A record is returned again only after another write. To read records " +
    `without keeping a copy, use \`GET /v1/${name}\`.` +
    (lookedUp
      ? ` ${lookedUp} looked up for each response. If only the looked-up values change, the record is not ` +
        "returned again."
      : ""),
});

export const alteracoesRoutes = createRouter().openapiRoutes([
  readRoute({
    ...feedRoute("transacoes", Transacao, TransacaoAlteradaPage, {
      records: "visits",
      lookedUp: "Names and cost centres in `servicos` are",
    }),
    operationId: "followTransacoes",
    read: followTransacoes,
  }),
  readRoute({
    ...feedRoute("lancamentos", Lancamento, LancamentoAlteradoPage, { records: "ledger entries" }),
    operationId: "followLancamentos",
    read: followLancamentos,
  }),
  readRoute({
    ...feedRoute("pagamentos-erp", PagamentoErp, PagamentoErpAlteradoPage, { records: "ERP payments" }),
    operationId: "followPagamentosErp",
    needs: "payments",
    read: followPagamentosErp,
  }),
  readRoute({
    ...feedRoute("vendas-produto", VendaProduto, VendaProdutoAlteradaPage, {
      records: "product sales lines",
      lookedUp: "`unidade_nome` is",
    }),
    operationId: "followVendasProduto",
    read: followVendasProduto,
  }),
]);
