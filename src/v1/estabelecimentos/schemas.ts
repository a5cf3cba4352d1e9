import { z } from "@hono/zod-openapi";
import { query, trueOrFalse } from "../../http/params.ts";
import { instant } from "../fields.ts";

export const Estabelecimento = z
  .object({
    id: z.int().openapi({ description: "The path id", example: 1 }),
    nome: z.string().openapi({ example: "Salão Jardins" }),
    salon_id: z.string().nullable().openapi({
      description: "Identifier in the salon system: `estabelecimento_id` of the other resources",
      example: "101",
    }),
    erp_id: z.string().nullable().openapi({ example: "ERP-1" }),
    erp_centro_custo_id: z.int().nullable().openapi({ example: 7001 }),
    ativo: z.boolean().openapi({ example: true }),
    created_at: instant(),
  })
  .openapi("Estabelecimento");
export type Estabelecimento = z.output<typeof Estabelecimento>;

export const EstabelecimentoList = z
  .object({ data: z.array(Estabelecimento) })
  .openapi("EstabelecimentoList");
export type EstabelecimentoList = z.output<typeof EstabelecimentoList>;

export const ListEstabelecimentos = query({
  ativo: trueOrFalse("Only active business units, or only inactive ones.").optional(),
});
export type ListEstabelecimentos = z.output<typeof ListEstabelecimentos>;
