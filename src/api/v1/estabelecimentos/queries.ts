import { asc } from "drizzle-orm";
import type { z } from "zod";
import { matchFilters } from "../../../platform/db/conditions.ts";
import { selectIds } from "../../../platform/db/lists.ts";
import { byName } from "../../../platform/db/name-order.ts";
import { listInParts } from "../../../platform/db/parts.ts";
import { findByKey, inUnits, listAll } from "../../../platform/db/records.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { Estabelecimento, type EstabelecimentoList, type ListEstabelecimentos } from "./schemas.ts";
import { estabelecimentos as t } from "./table.ts";

/** By name (L1). */
export const ORDER = [...byName(t.nome), asc(t.id)];

export const estabelecimento = selectionOf(t, Estabelecimento, {}, { unit: t.salon_id });

/** Lists all business units, without pagination (L1). */
export const listEstabelecimentos = {
  read: listAll<typeof ListEstabelecimentos, typeof EstabelecimentoList>(
    estabelecimento,
    ({ ativo, salon_id }) => ({
      where: matchFilters({ ativo, salon_id }),
      order: ORDER,
    }),
  ),
  readPart: listInParts<typeof ListEstabelecimentos, z.output<typeof Estabelecimento>>(
    estabelecimento,
    ({ ativo, salon_id }, scope) => ({
      ids: (window) =>
        selectIds(t, matchFilters({ ativo, salon_id }), inUnits(estabelecimento, scope), window),
    }),
  ),
};

export const findEstabelecimento = findByKey(estabelecimento, t.id);
