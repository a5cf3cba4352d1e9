import type { z } from "@hono/zod-openapi";
import { reading } from "../../auth/bearer.ts";
import { json, jsonText } from "../../http/responses.ts";
import { createRouter } from "../../http/router.ts";
import { followLancamentos, followPagamentosErp, followTransacoes, followVendasProduto } from "./queries.ts";
import {
  followingOf,
  LancamentoAlteradoPage,
  PagamentoErpAlteradoPage,
  TransacaoAlteradaPage,
  VendaProdutoAlteradaPage,
} from "./schemas.ts";

/**
 * The feed of one list.
 * @param records what the list holds
 * @param lookedUp what of a record is looked up elsewhere, as the beginning of a sentence
 */
const feedOf = <const Name extends string, Page extends z.ZodType>(
  name: Name,
  Page: Page,
  operationId: string,
  records: string,
  lookedUp?: string,
) =>
  reading(
    `/${name}`,
    { query: followingOf(name) },
    json(Page, "One page"),
    {
      operationId,
      summary: `Follow ${records}`,
      description:
        `All ${records} that were written or removed since \`after\`, each once and as it is now; without \`after\`, all ` +
        "there are: one loop makes a whole copy and then keeps it. Nothing is skipped, in whatever order loaders commit, and " +
        "a record comes again only when it was written again. It is for programs that keep a copy: to look something up, ask " +
        `/v1/${name}.` +
        (lookedUp
          ? ` ${lookedUp} looked up when you ask; a change of what they are looked up in does not bring a record again.`
          : ""),
    },
    410,
  );

const visits = feedOf(
  "transacoes",
  TransacaoAlteradaPage,
  "followTransacoes",
  "visits",
  "Names and cost centres in `servicos` are",
);
const entries = feedOf("lancamentos", LancamentoAlteradoPage, "followLancamentos", "ledger entries");
const payments = feedOf("pagamentos-erp", PagamentoErpAlteradoPage, "followPagamentosErp", "ERP payments");
const lines = feedOf(
  "vendas-produto",
  VendaProdutoAlteradaPage,
  "followVendasProduto",
  "product sales lines",
  "`unidade_nome` is",
);

export const alteracoes = createRouter()
  .openapi(visits, async (c) => jsonText(c, await followTransacoes(c.var.db, c.req.valid("query"))))
  .openapi(entries, async (c) => jsonText(c, await followLancamentos(c.var.db, c.req.valid("query"))))
  .openapi(payments, async (c) => jsonText(c, await followPagamentosErp(c.var.db, c.req.valid("query"))))
  .openapi(lines, async (c) => jsonText(c, await followVendasProduto(c.var.db, c.req.valid("query"))));
