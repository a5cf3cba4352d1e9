import { asc, eq } from "drizzle-orm";
import { one, page } from "../../db/bodies.ts";
import { equal } from "../../db/conditions.ts";
import { byWalking } from "../../db/lists.ts";
import type { ListProfissionais, Profissional, ProfissionalPage } from "./schemas.ts";
import { profissionais as t } from "./table.ts";

const columns = {
  id: t.id,
  nome: t.nome,
  salon_id: t.salon_id,
  salon_estabelecimento_id: t.salon_estabelecimento_id,
  erp_centro_custo_id: t.erp_centro_custo_id,
  erp_unidade_negocio_id: t.erp_unidade_negocio_id,
  cpf: t.cpf,
  ativo: t.ativo,
  created_at: t.created_at,
  updated_at: t.updated_at,
};

/** By name (L1). */
export const listProfissionais = page<ListProfissionais, ProfissionalPage>((given) => {
  const order = [asc(t.nome), asc(t.id)];
  const where = equal({ ativo: given.ativo, salon_estabelecimento_id: given.estabelecimento_id });
  return { table: t, columns, order, find: byWalking(t, where, order) };
});

export const findProfissional = one<{ id: number }, Profissional>(({ id }) => ({
  table: t,
  columns,
  where: eq(t.id, id),
}));
