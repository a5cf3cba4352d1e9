import { asc } from "drizzle-orm";
import { matchFilters } from "../../../platform/db/conditions.ts";
import { byName } from "../../../platform/db/name-order.ts";
import { findByKey, listAll } from "../../../platform/db/records.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { Estabelecimento, type EstabelecimentoList, type ListEstabelecimentos } from "./schemas.ts";
import { estabelecimentos as t } from "./table.ts";

/** By name (L1). */
export const ORDER = [...byName(t.nome), asc(t.id)];

export const estabelecimento = selectionOf(t, Estabelecimento, {}, { unit: t.salon_id });

/** Lists all business units, without pagination (L1). */
export const listEstabelecimentos = listAll<typeof ListEstabelecimentos, typeof EstabelecimentoList>(
  estabelecimento,
  ({ ativo, salon_id }) => ({
    where: matchFilters({ ativo, salon_id }),
    order: ORDER,
  }),
);

export const findEstabelecimento = findByKey(estabelecimento, t.id);
