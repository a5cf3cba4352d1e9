import { z } from "@hono/zod-openapi";
import { FeedPagination, MARKER, sizing } from "../../http/pages.ts";
import { queryOf, text } from "../../http/params.ts";
import { Lancamento } from "../lancamentos/schemas.ts";
import { PagamentoErp } from "../pagamentos-erp/schemas.ts";
import { Transacao } from "../transacoes/schemas.ts";
import { VendaProduto } from "../vendas-produto/schemas.ts";

/** One change: a record was written or removed (C1). */
const changeOf = <Registro extends z.ZodType>(registro: Registro) =>
  z.object({
    id: z.int().openapi({
      description: "The record's row, by which to find your copy of it; not the id of a path",
      example: 1,
    }),
    removido: z.boolean().openapi({ description: "Whether the record is gone", example: false }),
    registro: z
      .union([registro, z.null()])
      .openapi({ description: "The record as its list shows it, as it is now; `null` when it is gone" }),
  });

/** @param name the OpenAPI component name of one change */
const changesOf = <Registro extends z.ZodType>(name: string, registro: Registro) =>
  z
    .object({ data: z.array(changeOf(registro).openapi(name)), pagination: FeedPagination })
    .openapi(`${name}Page`);

export const TransacaoAlteradaPage = changesOf("TransacaoAlterada", Transacao);
export const LancamentoAlteradoPage = changesOf("LancamentoAlterado", Lancamento);
export const PagamentoErpAlteradoPage = changesOf("PagamentoErpAlterado", PagamentoErp);
export const VendaProdutoAlteradaPage = changesOf("VendaProdutoAlterada", VendaProduto);

/** Query parameters of a feed. A marker of another feed is a 400 (C4). @param feed the first part of its markers */
export const followingOf = (feed: string) => {
  const marker = new RegExp(`^${feed}\\.([0-9a-f]{12})\\.(\\d{1,18})\\.(\\d{1,18})$`);
  const example = `${feed}.5f3a9c0d1e2b.1200.1250`;
  const after = text({
    max: 200,
    example,
    description:
      "Only what was written or removed since this marker was given: `next_after` of an earlier answer, as it is. Left " +
      "out, all records, the one written longest ago first.",
  })
    .transform((value, context) => {
      const [, epoch, begun, position] = marker.exec(value) ?? [];
      if (epoch !== undefined && begun !== undefined && position !== undefined)
        return { epoch, begun, position };
      const message = `must be a \`next_after\` of this feed, for example ${example}; leave it out to begin`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .openapi({ pattern: MARKER });
  return queryOf({ after: after.optional(), ...sizing });
};
