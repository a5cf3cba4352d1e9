import { z } from "@hono/zod-openapi";
import { queryOf, trueOrFalse } from "../../http/params.ts";
import { boolean, instant, int, record, string } from "../fields.ts";

export const Estabelecimento = record("Estabelecimento", {
  id: int(1, "The path id"),
  nome: string("Salão Jardins"),
  salon_id: string(
    "101",
    "Identifier in the salon system: `estabelecimento_id` of the other resources",
  ).nullable(),
  erp_id: string("ERP-1").nullable(),
  erp_centro_custo_id: int(7001).nullable(),
  ativo: boolean(true),
  created_at: instant(),
});

export const EstabelecimentoList = record("EstabelecimentoList", { data: z.array(Estabelecimento) });

export const ListEstabelecimentos = queryOf({
  ativo: trueOrFalse("Only active business units, or only inactive ones.").optional(),
});
