import { asc } from "drizzle-orm";
import { matchFilters } from "../../db/conditions.ts";
import { byOffset } from "../../db/lists.ts";
import { listByPage } from "../../db/pages.ts";
import { findByKey } from "../../db/records.ts";
import { selectionOf } from "../../db/selection.ts";
import { type ListProfissionais, Profissional, type ProfissionalPage } from "./schemas.ts";
import { profissionais as t } from "./table.ts";

const profissional = selectionOf(t, Profissional, {});

/** Ordered by name (L1). */
export const listProfissionais = listByPage<typeof ListProfissionais, typeof ProfissionalPage>(
  profissional,
  (given) => {
    const order = [asc(t.nome), asc(t.id)];
    const where = matchFilters({ ativo: given.ativo, salon_estabelecimento_id: given.estabelecimento_id });
    return byOffset(t, where, order);
  },
);

export const findProfissional = findByKey(profissional, t.id);
