import { and, asc, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db } from "../../../core/database.ts";
import { anyOf } from "../../../platform/db/any-of.ts";
import { byDate, byId, byIdWithoutRollup, byOffset, finiteDate } from "../../../platform/db/lists.ts";
import { listByPage, listByPageOrCursor } from "../../../platform/db/pagination.ts";
import { findByKey } from "../../../platform/db/records.ts";
import { inRange } from "../../../platform/db/rollup.ts";
import { ANY_UNIT } from "../../../platform/db/scope.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import type { ReadRequest } from "../../../platform/db/shape.ts";
import type { PlaceholdersOf } from "../../../platform/db/statement.ts";
import { type ListPagamentosErp, PagamentoErp, type PagamentoErpPage } from "./schemas.ts";
import { pagamentosErpRollup, pagamentosErp as t } from "./table.ts";

export const pagamento = selectionOf(t, PagamentoErp, { pago: sql`${t.situacao} = 2` }, { unit: ANY_UNIT });

type Query = z.output<typeof ListPagamentosErp>;
type Filters = Omit<Query, "data" | "ordem">;

const DATES = { vencimento: t.data_vencimento, pagamento: t.data_pagamento };

const listQuery = (
  data: Query["data"],
  { situacao, id_centro_custo, nome_conta_classificacao, valor_min, ...range }: PlaceholdersOf<Filters>,
) => {
  const dates = inRange({ range, isDateColumn: true }, sql`${DATES[data]}`);
  const isByDueDate = data === "vencimento" || dates.length === 0;
  // Postgres sorts NaN above every number.
  // mistake: not-a-number
  const amounts = valor_min && sql`${t.valor} >= ${valor_min}::numeric and ${t.valor} < 'NaN'`;
  return {
    filters: {
      estabelecimento_id: ANY_UNIT,
      situacao,
      id_centro_custo,
      nome_conta_classificacao: anyOf(nome_conta_classificacao),
    },
    range,
    isDateColumn: true,
    condition: and(...dates, amounts),
    isByDueDate,
    /** Whether the rollup counts the rows. It has due dates, and no amounts. */
    isInRollup: isByDueDate && !valor_min, // mistake: totals-by-any-date
  };
};

/** By page: highest id first (L1). */
const listById = (data: Query["data"]) =>
  listByPageOrCursor<z.ZodType<Filters>, typeof PagamentoErpPage>(pagamento, (placeholders) => {
    const { isInRollup, condition, ...query } = listQuery(data, placeholders);
    return isInRollup
      ? byId(t, { rollup: pagamentosErpRollup, ...query })
      : byIdWithoutRollup(t, query.filters, condition);
  });

/** Earliest due date first (L10). */
const listByDueDate = (data: Query["data"]) =>
  listByPage<z.ZodType<Filters>, typeof PagamentoErpPage>(pagamento, (placeholders) => {
    const { filters, condition, isByDueDate } = listQuery(data, placeholders);
    if (isByDueDate) return byDate(t, t.data_vencimento, filters, condition);
    // In the order of due dates, an index would walk past every payment before the range. Sorting reads only
    // those in it.
    // mistake: undated-first
    return byOffset(t, filters, condition, [finiteDate(t.data_vencimento), asc(t.id)]);
  });

const lists = {
  vencimento: { id: listById("vencimento"), vencimento: listByDueDate("vencimento") },
  pagamento: { id: listById("pagamento"), vencimento: listByDueDate("pagamento") },
};

/**
 * The range filters the date that `data` names, by calendar date in Brasília (L2). Each order has its own
 * statement.
 */
export const listPagamentosErp = (
  db: Db,
  request: ReadRequest,
  { data = "vencimento", ordem = "id", ...filters }: Filters & Partial<Query>,
) => lists[data][ordem](db, request, filters);

export const findPagamentoErp = findByKey(pagamento, t.erp_id);
