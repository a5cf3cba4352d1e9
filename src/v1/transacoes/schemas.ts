import { z } from "@hono/zod-openapi";
import { pageOf, paging } from "../../http/pages.ts";
import { dateRange, query, trueOrFalse } from "../../http/params.ts";
import { instant, payload, reais, synced } from "../fields.ts";
import { unit } from "../parameters.ts";

export const Servico = z
  .looseObject({
    idProfissionalQueRealizouServico: z.int().nullable().optional().openapi({
      description: "Who did it, by identifier in the salon system; may be missing",
      example: 5001,
    }),
    profissional_nome: z
      .string()
      .nullable()
      .openapi({
        description:
          "From the professionals mapping: of several matches the one of the same business unit, then active, then of " +
          "the lowest id. `null` when not mapped.",
        example: "Ana Almeida",
      }),
    erp_centro_custo_id: z
      .string()
      .nullable()
      .openapi({ description: "Same lookup; `null` when not mapped", example: "80001" }),
  })
  .openapi("Servico", {
    description:
      "A service as returned by the salon system. The three keys named here are this service's to tell of; all others are " +
      "the salon system's own, as a rule `nome` and `valor` (a number, in reais). Whatever odd JSON it returns passes " +
      "through as it is. What services cost is part of the visit's `total` already: do not add it.",
    example: {
      idProfissionalQueRealizouServico: 5001,
      nome: "Escova",
      valor: 123.4,
      profissional_nome: "Ana Almeida",
      erp_centro_custo_id: "80001",
    },
  });

const fields = {
  salon_id: z.string().openapi({ description: "Identifier in the salon system; the path id", example: "T1" }),
  estabelecimento_id: z.string().openapi({ example: "101" }),
  total: reais().openapi({
    description:
      "The whole visit in reais, services and products, numeric text with two decimals. `valor_total` of the reports is its sum.",
  }),
  data_hora: instant(),
  cliente_salon_id: z.string().nullable().openapi({ example: "C1" }),
  cliente_nome: z.string().nullable().openapi({ example: "Bruna Barbosa" }),
  forma_pagamento_principal: z.string().nullable().openapi({ example: "Pix" }),
  valor_pagamento: reais().nullable(),
  parcelas: z.int().nullable().openapi({ description: "Instalments", example: 1 }),
  qtd_servicos: z.int().nullable().openapi({ example: 1 }),
  servicos: z.array(Servico).nullable(),
  sent_to_erp: z.boolean().openapi({ description: "Whether sent to the ERP", example: true }),
  synced_at: synced(),
};

export const Transacao = z.object(fields).openapi("Transacao");
export type Transacao = z.output<typeof Transacao>;

export const TransacaoDetalhada = z
  .object({
    id: z.int().openapi({ description: "Not the path id: that is `salon_id`", example: 1 }),
    ...fields,
    erp_recebimento_id: z.string().nullable().openapi({ example: "R1" }),
    sent_at: instant().nullable(),
    raw_data: payload("The complete object returned by the salon system, digit for digit", {
      id: 1,
      total: 123.4,
    }),
  })
  .openapi("TransacaoDetalhada");
export type TransacaoDetalhada = z.output<typeof TransacaoDetalhada>;

export const TransacaoPage = pageOf(Transacao).openapi("TransacaoPage");
export type TransacaoPage = z.output<typeof TransacaoPage>;

export const ListTransacoes = query({
  ...paging,
  ...dateRange("data_hora"),
  estabelecimento_id: unit("visits"),
  sent_to_erp: trueOrFalse("Only visits that were sent to the ERP, or only those that were not.").optional(),
});
export type ListTransacoes = z.output<typeof ListTransacoes>;
