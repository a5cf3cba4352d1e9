import { asc, eq } from "drizzle-orm";
import { all, everyRecord, one } from "../../db/bodies.ts";
import { equal } from "../../db/conditions.ts";
import type { Estabelecimento, EstabelecimentoList, ListEstabelecimentos } from "./schemas.ts";
import { estabelecimentos as t } from "./table.ts";

const columns = {
  id: t.id,
  nome: t.nome,
  salon_id: t.salon_id,
  erp_id: t.erp_id,
  erp_centro_custo_id: t.erp_centro_custo_id,
  ativo: t.ativo,
  created_at: t.created_at,
};

/** All of them, by name (L1). */
export const listEstabelecimentos = all<ListEstabelecimentos, EstabelecimentoList>(({ ativo }) =>
  everyRecord({ table: t, columns, where: equal({ ativo }), order: [asc(t.nome), asc(t.id)] }),
);

export const findEstabelecimento = one<{ id: number }, Estabelecimento>(({ id }) => ({
  table: t,
  columns,
  where: eq(t.id, id),
}));
