import { personal } from "../../../platform/db/personal-data.ts";
import { cursorParams, pageOrCursorOf } from "../../../platform/http/page-schemas.ts";
import { dateRange, fieldsParam, querySchema, trueOrFalse } from "../../../platform/http/params.ts";
import { boolean, instant, int, payload, record, string, syncedAt } from "../fields.ts";
import { unit } from "../parameters.ts";
import { lancamentos } from "./table.ts";

export const Lancamento = record("Lancamento", {
  id: int(1, "Id for the cursor `after_id`. The path id is `salon_id`"),
  salon_id: string("L1", "Path id; id in the salon system"),
  estabelecimento_id: string("101"),
  raw_data: personal(
    payload("The complete entry. Numbers keep all their digits", {
      Pessoa: "Ana Almeida",
      CentroCusto: "80001",
      ValorBruto: 123.4,
      DataVencimento: "2026-11-30",
    }),
  ),
  synced_at: syncedAt(),
  sent_to_salon: boolean(true),
  sent_at: instant("2026-11-21T12:05:00+00:00").nullable(),
});

export const LancamentoPage = pageOrCursorOf(Lancamento).openapi("LancamentoPage");

export const ListLancamentos = querySchema({
  ...cursorParams,
  ...fieldsParam(Lancamento),
  ...dateRange("`synced_at`"),
  estabelecimento_id: unit("entries of", [lancamentos.estabelecimento_id]),
  sent_to_salon: trueOrFalse(
    "Only entries sent to the salon system (`true`) or not yet sent (`false`).",
  ).optional(),
});
