import { personal } from "../../../platform/db/personal-data.ts";
import { pageOf, pageParams } from "../../../platform/http/page-schemas.ts";
import { fieldsParam, querySchema, trueOrFalse } from "../../../platform/http/params.ts";
import { boolean, instant, int, record, string } from "../fields.ts";
import { bySalonId, unit } from "../parameters.ts";
import { profissionais } from "./table.ts";

export const Profissional = record("Profissional", {
  id: int(1, "Path id"),
  nome: string("Ana Almeida"),
  salon_id: string("5001", "Id in the salon system").nullable(),
  salon_estabelecimento_id: string(
    "101",
    "Home unit, where the professional is registered. Services at other units are common",
  ).nullable(),
  erp_centro_custo_id: string("80001", "Cost centre in the ERP; `null` if not mapped").nullable(),
  erp_unidade_negocio_id: string("UN-1", "Business unit in the ERP").nullable(),
  cpf: personal(string("00000000000", "Brazilian taxpayer number").nullable()),
  ativo: boolean(true),
  created_at: instant(),
  updated_at: instant(),
});

export const ProfissionalPage = pageOf(Profissional).openapi("ProfissionalPage");

export const ListProfissionais = querySchema({
  ...pageParams,
  ...fieldsParam(Profissional),
  ativo: trueOrFalse("`true`: only active professionals. `false`: only inactive professionals.").optional(),
  estabelecimento_id: unit("professionals whose home is", [profissionais.salon_estabelecimento_id]),
  salon_id: bySalonId("professionals", "5001"),
});
