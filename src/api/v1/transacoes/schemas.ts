import { z } from "@hono/zod-openapi";
import { personal } from "../../../platform/db/personal-data.ts";
import { pageOf, pageParams } from "../../../platform/http/page-schemas.ts";
import { dateRange, fieldsParam, querySchema, trueOrFalse } from "../../../platform/http/params.ts";
import { boolean, instant, int, irregular, payload, reais, record, string, syncedAt } from "../fields.ts";
import { clienteFilter, unit } from "../parameters.ts";
import { transacoes } from "./table.ts";

const Servico = z
  .looseObject({
    idProfissionalQueRealizouServico: int(
      5001,
      "The professional's id in the salon system; may be missing, or text in irregular data",
    )
      .nullable()
      .optional(),
    profissional_nome: string(
      "Ana Almeida",
      "Name of the professional whose `salon_id` is `idProfissionalQueRealizouServico`. If there are " +
        "several, a professional of the same business unit is preferred, then an active one, then the " +
        "lowest `id`. `null` if there is none",
    ).nullable(),
    erp_centro_custo_id: string(
      "80001",
      "Cost centre of that professional in the ERP; `null` if not mapped",
    ).nullable(),
  })
  .openapi("Servico", {
    description:
      "A service, as the salon system returned it. This API adds `profissional_nome` and " +
      "`erp_centro_custo_id`. The other keys come from the salon system, usually `nome`, `valor` (a " +
      "number, in reais) and `cortesia` (whether the service was free: its `valor` is 0). Items that are " +
      "not objects are passed through unchanged, or `null` without the right to personal data. Prices of " +
      "services are included in the visit's `total`: do not add them to it.",
    example: {
      idProfissionalQueRealizouServico: 5001,
      nome: "Escova",
      valor: 123.4,
      profissional_nome: "Ana Almeida",
      erp_centro_custo_id: "80001",
    },
  });

export const Transacao = record("Transacao", {
  salon_id: string("T1", "Path id; id in the salon system"),
  estabelecimento_id: string("101"),
  total: reais(
    "123.40",
    "Amount of the visit in reais, including services and products, as text with two decimals. Reports " +
      "add it up as `valor_total`",
  ),
  data_hora: instant(),
  cliente_salon_id: personal(string("C1").nullable()),
  cliente_nome: personal(string("Bruna Barbosa").nullable()),
  forma_pagamento_principal: string("Pix").nullable(),
  valor_pagamento: reais().nullable(),
  parcelas: int(
    1,
    "Number of instalments of a credit card payment; `null` for other payment methods",
  ).nullable(),
  qtd_servicos: int(1, "Number of services").nullable(),
  servicos: personal(
    z
      .array(Servico)
      .nullable()
      .openapi({ description: `Services of the visit. ${irregular("an object or text")}` }),
    "shortened",
  ),
  sent_to_erp: boolean(true, "Whether the visit was sent to the ERP"),
  synced_at: syncedAt(),
});

export const TransacaoDetalhada = record("TransacaoDetalhada", {
  id: int(1, "Id of the row. The path id is `salon_id`"),
  ...Transacao.shape,
  erp_recebimento_id: string("R1").nullable(),
  sent_at: instant().nullable(),
  raw_data: personal(
    payload("The complete object from the salon system. Numbers keep all their digits", {
      id: 1,
      total: 123.4,
    }),
  ),
});

export const TransacaoPage = pageOf(Transacao).openapi("TransacaoPage");

export const ListTransacoes = querySchema({
  ...pageParams,
  ...fieldsParam(Transacao),
  ...dateRange("`data_hora`"),
  estabelecimento_id: unit("visits of", [transacoes.estabelecimento_id]),
  sent_to_erp: trueOrFalse("Only visits sent to the ERP (`true`) or not yet sent (`false`).").optional(),
  cliente_salon_id: clienteFilter("visits"),
});
