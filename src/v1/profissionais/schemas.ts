import { pageOf, paging } from "../../http/pages.ts";
import { queryOf, trueOrFalse } from "../../http/params.ts";
import { boolean, instant, int, record, string } from "../fields.ts";
import { unit } from "../parameters.ts";

export const Profissional = record("Profissional", {
  id: int(1, "The path id"),
  nome: string("Ana Almeida"),
  salon_id: string("5001", "Identifier in the salon system").nullable(),
  salon_estabelecimento_id: string(
    "101",
    "The home unit, where the professional is registered; services at other units are common",
  ).nullable(),
  erp_centro_custo_id: string("80001").nullable(),
  erp_unidade_negocio_id: string("UN-1").nullable(),
  cpf: string("00000000000", "National taxpayer number").nullable(),
  ativo: boolean(true),
  created_at: instant(),
  updated_at: instant(),
});

export const ProfissionalPage = pageOf(Profissional).openapi("ProfissionalPage");

export const ListProfissionais = queryOf({
  ...paging,
  ativo: trueOrFalse("Only active professionals, or only inactive ones.").optional(),
  estabelecimento_id: unit(
    "professionals",
    ", by `salon_estabelecimento_id`: their home unit, not where they work",
  ),
});
