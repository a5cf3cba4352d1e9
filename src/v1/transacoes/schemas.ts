import { z } from "@hono/zod-openapi";
import { pageOf, paging } from "../../http/pages.ts";
import { dateRange, queryOf, trueOrFalse } from "../../http/params.ts";
import { boolean, instant, int, payload, reais, record, string, synced } from "../fields.ts";
import { unit } from "../parameters.ts";

export const Servico = z
  .looseObject({
    idProfissionalQueRealizouServico: int(
      5001,
      "Who did it, by identifier in the salon system; may be missing",
    )
      .nullable()
      .optional(),
    profissional_nome: string(
      "Ana Almeida",
      "From the professionals mapping: of several matches the one of the same business unit, then active, then of " +
        "the lowest id. `null` when not mapped.",
    ).nullable(),
    erp_centro_custo_id: string("80001", "Same lookup; `null` when not mapped").nullable(),
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

export const Transacao = record("Transacao", {
  salon_id: string("T1", "Identifier in the salon system; the path id"),
  estabelecimento_id: string("101"),
  total: reais().openapi({
    description:
      "The whole visit in reais, services and products, numeric text with two decimals. `valor_total` of the reports is its sum.",
  }),
  data_hora: instant(),
  cliente_salon_id: string("C1").nullable(),
  cliente_nome: string("Bruna Barbosa").nullable(),
  forma_pagamento_principal: string("Pix").nullable(),
  valor_pagamento: reais().nullable(),
  parcelas: int(1, "Instalments").nullable(),
  qtd_servicos: int(1).nullable(),
  servicos: z.array(Servico).nullable(),
  sent_to_erp: boolean(true, "Whether sent to the ERP"),
  synced_at: synced(),
});

export const TransacaoDetalhada = record("TransacaoDetalhada", {
  id: int(1, "Not the path id: that is `salon_id`"),
  ...Transacao.shape,
  erp_recebimento_id: string("R1").nullable(),
  sent_at: instant().nullable(),
  raw_data: payload("The complete object returned by the salon system, digit for digit", {
    id: 1,
    total: 123.4,
  }),
});

export const TransacaoPage = pageOf(Transacao).openapi("TransacaoPage");

export const ListTransacoes = queryOf({
  ...paging,
  ...dateRange("data_hora"),
  estabelecimento_id: unit("visits"),
  sent_to_erp: trueOrFalse("Only visits that were sent to the ERP, or only those that were not.").optional(),
});
