import { asc } from "drizzle-orm";
import { one, page } from "../../db/bodies.ts";
import { equal } from "../../db/conditions.ts";
import { byWalking } from "../../db/lists.ts";
import { selectionOf } from "../../db/selection.ts";
import { type ListProfissionais, Profissional, type ProfissionalPage } from "./schemas.ts";
import { profissionais as t } from "./table.ts";

const profissional = selectionOf(t, Profissional, {});

/** By name (L1). */
export const listProfissionais = page<typeof ListProfissionais, typeof ProfissionalPage>(
  profissional,
  (given) => {
    const order = [asc(t.nome), asc(t.id)];
    const where = equal({ ativo: given.ativo, salon_estabelecimento_id: given.estabelecimento_id });
    return byWalking(t, where, order);
  },
);

export const findProfissional = one(profissional, t.id);
