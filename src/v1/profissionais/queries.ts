import { and, asc, eq } from "drizzle-orm";
import { one, page } from "../../db/bodies.ts";
import type { Db } from "../../db/connect.ts";
import { eqIf } from "../../db/filters.ts";
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
export const listProfissionais = (db: Db, q: ListProfissionais) => {
  const where = and(eqIf(t.ativo, q.ativo), eqIf(t.salon_estabelecimento_id, q.estabelecimento_id));
  return page<ProfissionalPage>(db, { table: t, columns, where, order: [asc(t.nome), asc(t.id)] }, q);
};

export const findProfissional = (db: Db, id: number) =>
  one<Profissional>(db, { table: t, columns, where: eq(t.id, id) });
