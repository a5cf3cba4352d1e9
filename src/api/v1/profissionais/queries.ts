import { asc } from "drizzle-orm";
import { byOffset } from "../../../platform/db/lists.ts";
import { byName } from "../../../platform/db/name-order.ts";
import { listOf } from "../../../platform/db/pagination.ts";
import { findByKey } from "../../../platform/db/records.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { type ListProfissionais, Profissional, type ProfissionalPage } from "./schemas.ts";
import { profissionais as t } from "./table.ts";

export const profissional = selectionOf(t, Profissional, {}, { unit: t.salon_estabelecimento_id });

/** Ordered by name (L1). */
export const listProfissionais = listOf<typeof ListProfissionais, typeof ProfissionalPage>(
  profissional,
  ({ ativo, salon_id }, { units }) =>
    byOffset(t, { ativo, salon_estabelecimento_id: units, salon_id }, undefined, [
      ...byName(t.nome),
      asc(t.id),
    ]),
);

export const findProfissional = findByKey(profissional, t.id);
