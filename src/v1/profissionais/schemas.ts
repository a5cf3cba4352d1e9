import { z } from "@hono/zod-openapi";
import { pageOf, paging } from "../../http/pages.ts";
import { query, trueOrFalse } from "../../http/params.ts";
import { instant } from "../fields.ts";
import { unit } from "../parameters.ts";

export const Profissional = z
  .object({
    id: z.int().openapi({ description: "The path id", example: 1 }),
    nome: z.string().openapi({ example: "Ana Almeida" }),
    salon_id: z
      .string()
      .nullable()
      .openapi({ description: "Identifier in the salon system", example: "5001" }),
    salon_estabelecimento_id: z.string().nullable().openapi({
      description: "The home unit, where the professional is registered; services at other units are common",
      example: "101",
    }),
    erp_centro_custo_id: z.string().nullable().openapi({ example: "80001" }),
    erp_unidade_negocio_id: z.string().nullable().openapi({ example: "UN-1" }),
    cpf: z.string().nullable().openapi({ description: "National taxpayer number", example: "00000000000" }),
    ativo: z.boolean().openapi({ example: true }),
    created_at: instant(),
    updated_at: instant(),
  })
  .openapi("Profissional");
export type Profissional = z.output<typeof Profissional>;

export const ProfissionalPage = pageOf(Profissional).openapi("ProfissionalPage");
export type ProfissionalPage = z.output<typeof ProfissionalPage>;

export const ListProfissionais = query({
  ...paging,
  ativo: trueOrFalse("Only active professionals, or only inactive ones.").optional(),
  estabelecimento_id: unit(
    "professionals",
    ", by `salon_estabelecimento_id`: their home unit, not where they work",
  ),
});
export type ListProfissionais = z.output<typeof ListProfissionais>;
