import { createRoute, type z } from "@hono/zod-openapi";
import { bearer } from "../../auth/bearer.ts";
import { changes } from "../../db/changes.ts";
import type { Selection } from "../../db/selection.ts";
import { errors, json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { lancamento } from "../lancamentos/queries.ts";
import { Lancamento } from "../lancamentos/schemas.ts";
import { pagamento } from "../pagamentos-erp/queries.ts";
import { PagamentoErp } from "../pagamentos-erp/schemas.ts";
import { transacao } from "../transacoes/queries.ts";
import { Transacao } from "../transacoes/schemas.ts";
import { venda } from "../vendas-produto/queries.ts";
import { VendaProduto } from "../vendas-produto/schemas.ts";
import { alteracoesPageOf, followingOf } from "./schemas.ts";

/** The feed of one list: its route, and what answers it. */
const feedOf = <const Name extends string, Registro extends z.ZodType>(feed: {
  /** The list's own segment. */
  name: Name;
  operationId: string;
  /** What the list holds. */
  records: string;
  schema: Registro;
  /** The component's name of one change. */
  component: string;
  selection: Selection<z.output<Registro>>;
  /** What of a record is looked up elsewhere. */
  lookedUp?: string;
}) => {
  const Page = alteracoesPageOf(feed.component, feed.schema);
  const route = createRoute({
    ...bearer({ query: followingOf(feed.name) }),
    method: "get",
    path: `/${feed.name}`,
    operationId: feed.operationId,
    summary: `Follow ${feed.records}`,
    description:
      `Each of the ${feed.records} that was written or removed since \`after\`, once, as it is now; without \`after\`, all ` +
      "there are: one loop makes a whole copy and then keeps it. Nothing is skipped, in whatever order loaders commit, and " +
      "nothing comes again unless it is written again. " +
      (feed.lookedUp
        ? `${feed.lookedUp} as of delivery: a change there alone makes nothing appear here.`
        : ""),
    responses: { 200: json(Page, "One page"), ...errors(400, 401, 405, 410, 429, 503) },
  });
  const read = changes<z.output<Registro>, z.output<typeof Page>>(feed);
  return { route, read };
};

const visits = feedOf({
  name: "transacoes",
  operationId: "followTransacoes",
  records: "visits",
  schema: Transacao,
  component: "TransacaoAlterada",
  selection: transacao,
  lookedUp: "Names and cost centres in `servicos` are",
});
const entries = feedOf({
  name: "lancamentos",
  operationId: "followLancamentos",
  records: "ledger entries",
  schema: Lancamento,
  component: "LancamentoAlterado",
  selection: lancamento,
});
const payments = feedOf({
  name: "pagamentos-erp",
  operationId: "followPagamentosErp",
  records: "ERP payments",
  schema: PagamentoErp,
  component: "PagamentoErpAlterado",
  selection: pagamento,
});
const lines = feedOf({
  name: "vendas-produto",
  operationId: "followVendasProduto",
  records: "product sales lines",
  schema: VendaProduto,
  component: "VendaProdutoAlterada",
  selection: venda,
  lookedUp: "`unidade_nome` is",
});

export const alteracoes = createRouter()
  .openapi(visits.route, async (c) => jsonText(c, await visits.read(c.var.db, c.req.valid("query"))))
  .openapi(entries.route, async (c) => jsonText(c, await entries.read(c.var.db, c.req.valid("query"))))
  .openapi(payments.route, async (c) => jsonText(c, await payments.read(c.var.db, c.req.valid("query"))))
  .openapi(lines.route, async (c) => jsonText(c, await lines.read(c.var.db, c.req.valid("query"))));
