import { withMetadata } from "../../../core/schema-metadata.ts";
import { personal } from "../../../platform/db/personal-data.ts";
import { cursorParams, pageOrCursorOf } from "../../../platform/http/page-schemas.ts";
import {
  dateRange,
  decimal,
  fieldsParam,
  humanText,
  oneOf,
  querySchema,
  trueOrFalse,
  withDefault,
} from "../../../platform/http/params.ts";
import { boolean, day, instant, int, payload, reais, record, string, syncedAt } from "../fields.ts";
import { paymentFilters, unit } from "../parameters.ts";
import { profissionais } from "../profissionais/table.ts";
import { pagamentosErp } from "./table.ts";

export const PagamentoErp = record("PagamentoErp", {
  id: int(1, "Id for the cursor `after_id`. The path id is `erp_id`"),
  erp_id: int(900003, "Path id; id in the ERP"),
  id_centro_custo: string("7001", "Cost centre").nullable(),
  situacao: int(2, "1 = pending, 2 = paid"),
  pago: boolean(true, "Whether `situacao` is 2"),
  nome_conta_classificacao: string("Aluguel", "Account classification").nullable(),
  id_plano_conta_classificacao: int(307).nullable(),
  valor: reais("4500.00").nullable(),
  data_vencimento: day().openapi({ description: "Due date" }).nullable(),
  data_pagamento: day().openapi({ description: "Payment date" }).nullable(),
  descricao: personal(string("Aluguel ref. 11/2026").nullable()),
  raw_data: personal(
    payload("The complete object from the ERP. Numbers keep all their digits", {
      Id: 900003,
      Situacao: 2,
    }),
  ),
  synced_at: syncedAt(),
  updated_at: instant(),
});

export const PagamentoErpPage = pageOrCursorOf(PagamentoErp).openapi("PagamentoErpPage");

const parameters = querySchema({
  ...cursorParams,
  ...fieldsParam(PagamentoErp),
  data: withDefault(
    oneOf(
      ["vencimento", "pagamento"],
      "The date of the range, in Brasília: `data_vencimento` (due) or `data_pagamento` (paid). Payments " +
        "without it match none.",
    ),
    "vencimento",
  ),
  ...dateRange("The date that `data` names", { mayLieAhead: true }),
  ordem: oneOf(
    ["id", "vencimento"],
    "`id`: highest first (the default). `vencimento`: earliest due date first, payments without one " +
      "last. Omit it with `after_id`.",
  ).optional(),
  ...paymentFilters,
  da_unidade: unit("payments that `GET /v1/relatorios/resultado` counts for", [
    profissionais.salon_estabelecimento_id,
  ]),
  sem_unidade: trueOrFalse(
    "Only payments that `GET /v1/relatorios/resultado` counts for no unit (`true`), or for one (`false`).",
  ).optional(),
  nome_conta_classificacao: withMetadata(
    humanText({
      max: 100,
      example: "Aluguel",
      description:
        "Only payments with exactly this account classification. `GET /v1/relatorios/pagamentos` with " +
        "`por=conta` returns the names.",
    }).optional(),
    { sources: [{ value: pagamentosErp.nome_conta_classificacao }] },
  ),
  valor_min: decimal({
    example: 1500.5,
    description: "Only payments of at least this `valor`.",
  }).optional(),
});

export const ListPagamentosErp = parameters.refine((q) => !("ordem" in q && "after_id" in q), {
  path: ["ordem"],
  error:
    "must not be given together with `after_id`, which always returns the lowest `id` first. Omit one of them",
  when: () => true,
});
