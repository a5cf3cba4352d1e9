import { z } from "@hono/zod-openapi";
import { fieldsParam, querySchema, trueOrFalse } from "../../../platform/http/params.ts";
import { boolean, instant, int, record, string } from "../fields.ts";
import { bySalonId } from "../parameters.ts";

export const Estabelecimento = record("Estabelecimento", {
  id: int(1, "Path id"),
  nome: string("Salão Jardins"),
  salon_id: string("101", "Id in the salon system; `estabelecimento_id` in other resources").nullable(),
  erp_id: string("ERP-1", "Id in the ERP").nullable(),
  erp_centro_custo_id: int(7001, "Cost centre in the ERP").nullable(),
  ativo: boolean(true),
  created_at: instant(),
});

export const EstabelecimentoList = record("EstabelecimentoList", { data: z.array(Estabelecimento) });

export const ListEstabelecimentos = querySchema({
  ...fieldsParam(Estabelecimento),
  ativo: trueOrFalse("`true`: only active business units. `false`: only inactive business units.").optional(),
  salon_id: bySalonId("the business unit", "101"),
});
