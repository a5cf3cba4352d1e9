import { z } from "@hono/zod-openapi";
import { FeedPagination, MARKER, sizeParams } from "../../../platform/http/page-schemas.ts";
import { fieldsParam, querySchema, text } from "../../../platform/http/params.ts";
import { Lancamento } from "../lancamentos/schemas.ts";
import { PagamentoErp } from "../pagamentos-erp/schemas.ts";
import { Transacao } from "../transacoes/schemas.ts";
import { VendaProduto } from "../vendas-produto/schemas.ts";

/** One change: a record was written or removed (C1). */
const changeOf = <Registro extends z.ZodType>(registro: Registro) =>
  z.object({
    id: z.int().openapi({
      description: "Id of the row. Use it to find the record in your copy. It is not a path id",
      example: 1,
    }),
    removido: z
      .boolean()
      .openapi({ description: "Whether the record was deleted, or is not in your units", example: false }),
    registro: z
      .union([registro, z.null()])
      .openapi({ description: "The current record, as its list returns it; `null` if `removido`" }),
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

/** Query parameters of a feed. A marker of another feed is a 400 (C4). @param feed start of its markers */
export const feedQuery = (feed: string, record: z.ZodObject) => {
  const marker = new RegExp(`^${feed}\\.([0-9a-f]{12}(?:-[0-9a-f]{16})?)\\.(\\d{1,18})\\.(\\d{1,18})$`);
  const example = `${feed}.5f3a9c0d1e2b.1200.1250`;
  const after = text({
    max: 200,
    example,
    description:
      "Only changes since this marker. Send the `next_after` of an earlier page, unchanged. If omitted, all records " +
      "are returned, the least recently written first.",
  })
    .transform((value, context) => {
      const [, epoch, copyStart, position] = marker.exec(value) ?? [];
      if (epoch !== undefined && copyStart !== undefined && position !== undefined)
        return { epoch, copyStart, position };
      const message = `must be a \`next_after\` of this feed, for example ${example}; omit it to start`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .openapi({ pattern: MARKER });
  return querySchema({ after: after.optional(), ...sizeParams, ...fieldsParam(record) });
};
