import { and, asc, type Column, sql } from "drizzle-orm";
import type { z } from "zod";
import type { Db } from "../../../core/database.ts";
import { anyOf, matchFilters, whereClause } from "../../../platform/db/conditions.ts";
import {
  byDate,
  byId,
  byIdWithoutRollup,
  byOffset,
  finiteDate,
  selectIds,
} from "../../../platform/db/lists.ts";
import { listByPage, listByPageOrCursor } from "../../../platform/db/pagination.ts";
import { listInParts, type PartStart } from "../../../platform/db/parts.ts";
import { inRange } from "../../../platform/db/range-sums.ts";
import type { ReadRequest } from "../../../platform/db/read-request.ts";
import { findByKey } from "../../../platform/db/records.ts";
import { ANY_UNIT, type Scope } from "../../../platform/db/scope.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import type { PlaceholdersOf } from "../../../platform/db/statement.ts";
import { unitsOfCentres } from "../cost-centres.ts";
import { pagamentosFacts as f } from "../facts/table.ts";
import { type ListPagamentosErp, PagamentoErp, type PagamentoErpPage } from "./schemas.ts";
import { pagamentosErpRollup, pagamentosErp as t } from "./table.ts";

export const pagamento = selectionOf(t, PagamentoErp, { pago: sql`${t.situacao} = 2` }, { unit: ANY_UNIT });

type Query = z.output<typeof ListPagamentosErp>;
type Filters = Omit<Query, "data" | "ordem">;
type Sent = Filters & Partial<Query>;

type Columns = Record<Query["data"] | "valor", Column>;
const STORED: Columns = { vencimento: t.data_vencimento, pagamento: t.data_pagamento, valor: t.valor };
const IN_FACTS: Columns = { vencimento: f.due, pagamento: f.paid, valor: f.valor_exato };

/** The payments of a unit, or of none, as `resultado` counts them (R27). */
const ofUnit = (
  { da_unidade, sem_unidade }: Pick<PlaceholdersOf<Filters>, "da_unidade" | "sem_unidade">,
  { ownUnits }: Scope,
) => {
  const isCentreOf = (units: Parameters<typeof matchFilters>[0]) => sql`coalesce(id_centro_custo in (
    select centre
    from (${unitsOfCentres}) as centres
    ${whereClause(matchFilters(units), matchFilters({ unit: ownUnits }))}
  ), false)`;
  return and(
    da_unidade && isCentreOf({ unit: da_unidade }),
    // A reader of some units gets no payment without a unit (R27).
    sem_unidade &&
      (ownUnits.value
        ? sql`(${isCentreOf({})} and not ${sem_unidade})`
        : sql`${isCentreOf({})} <> ${sem_unidade}`),
  );
};

const listQuery = (
  data: Query["data"],
  placeholders: PlaceholdersOf<Filters>,
  scope: Scope,
  columns = STORED,
) => {
  const {
    situacao,
    id_centro_custo,
    nome_conta_classificacao,
    valor_min,
    da_unidade,
    sem_unidade,
    ...range
  } = placeholders;
  const dates = inRange({ range, isDateColumn: true }, sql`${columns[data]}`);
  const isByDueDate = data === "vencimento" || dates.length === 0;
  // Postgres sorts NaN above every number.
  // mistake: not-a-number
  const amounts = valor_min && sql`${columns.valor} >= ${valor_min}::numeric and ${columns.valor} < 'NaN'`;
  return {
    filters: {
      estabelecimento_id: ANY_UNIT,
      situacao,
      id_centro_custo,
      nome_conta_classificacao: anyOf(nome_conta_classificacao),
    },
    range,
    isDateColumn: true,
    condition: and(...dates, amounts, ofUnit({ da_unidade, sem_unidade }, scope)),
    isByDueDate,
    /** Whether the rollup counts the rows. It has due dates, and neither amounts nor units. */
    isInRollup: isByDueDate && !valor_min && !da_unidade && !sem_unidade, // mistake: totals-by-any-date
  };
};

/** By page: highest id first (L1). */
const listById = (data: Query["data"]) =>
  listByPageOrCursor<z.ZodType<Filters>, typeof PagamentoErpPage>(pagamento, (placeholders, scope) => {
    const { isInRollup, condition, ...query } = listQuery(data, placeholders, scope);
    return isInRollup
      ? byId(t, { rollup: pagamentosErpRollup, ...query })
      : byIdWithoutRollup(t, query.filters, condition);
  });

/** As a whole: its facts have both dates and the amount. */
const listWhole = (data: Query["data"]) =>
  listInParts<z.ZodType<Filters>, z.output<typeof PagamentoErp>>(
    pagamento,
    (placeholders, scope) => {
      const { filters, condition } = listQuery(data, placeholders, scope, IN_FACTS);
      return { ids: (window) => selectIds(f, matchFilters(filters), condition, window) };
    },
    { settled: true },
  );

/** Earliest due date first (L10). */
const listByDueDate = (data: Query["data"]) =>
  listByPage<z.ZodType<Filters>, typeof PagamentoErpPage>(pagamento, (placeholders, scope) => {
    const { filters, condition, isByDueDate } = listQuery(data, placeholders, scope);
    if (isByDueDate) return byDate(t, t.data_vencimento, filters, condition);
    // In the order of due dates, an index would walk past every payment before the range. Sorting reads only
    // those in it.
    // mistake: undated-first
    return byOffset(t, filters, condition, [finiteDate(t.data_vencimento), asc(t.id)]);
  });

const listsOf = (data: Query["data"]) => ({
  id: listById(data),
  vencimento: listByDueDate(data),
  whole: listWhole(data),
});
const lists = { vencimento: listsOf("vencimento"), pagamento: listsOf("pagamento") };

/**
 * The range filters the date that `data` names, by calendar date in Brasília (L2). Each order has its own
 * statement.
 */
export const listPagamentosErp = {
  read: (db: Db, request: ReadRequest, { data = "vencimento", ordem = "id", ...filters }: Sent) =>
    lists[data][ordem](db, request, filters),
  readPart: (db: Db, request: ReadRequest, { data = "vencimento", ...filters }: Sent, start: PartStart) =>
    lists[data].whole(db, request, filters, start),
};

export const findPagamentoErp = findByKey(pagamento, t.erp_id);
