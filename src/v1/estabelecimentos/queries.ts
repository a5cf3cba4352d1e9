import { asc } from "drizzle-orm";
import { everyRecord, one } from "../../db/bodies.ts";
import { equal } from "../../db/conditions.ts";
import { selectionOf } from "../../db/selection.ts";
import { Estabelecimento, type EstabelecimentoList, type ListEstabelecimentos } from "./schemas.ts";
import { estabelecimentos as t } from "./table.ts";

const estabelecimento = selectionOf(t, Estabelecimento, {});

/** All of them, by name (L1). */
export const listEstabelecimentos = everyRecord<typeof ListEstabelecimentos, typeof EstabelecimentoList>(
  estabelecimento,
  ({ ativo }) => ({
    where: equal({ ativo }),
    order: [asc(t.nome), asc(t.id)],
  }),
);

export const findEstabelecimento = one(estabelecimento, t.id);
