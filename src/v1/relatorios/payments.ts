import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../core/database.ts";
import type { Rights } from "../../core/rights.ts";
import { numberLiteral, whereClause } from "../../db/conditions.ts";
import { tableBody } from "../../db/csv-sql.ts";
import { kindsOf } from "../../db/kinds.ts";
import { jsonReport, rowsReport } from "../../db/reports.ts";
import { partialSums, periodOf, type Range } from "../../db/rollup.ts";
import { NO_UNITS } from "../../db/scope.ts";
import type { Given } from "../../db/statement.ts";
import {
  pagamentosPorCentroRollup,
  pagamentosPorPagamentoRollup,
  pagamentosPorVencimentoRollup,
} from "../pagamentos-erp/table.ts";
import { type Granularity, PERIODS } from "./measures.ts";
import {
  PagamentoPorCentroCusto,
  PagamentoPorConta,
  type PagamentosPorCentroCusto,
  type PagamentosPorCentroCustoFilters,
  type PagamentosPorConta,
  type PagamentosPorContaFilters,
} from "./payments-schemas.ts";

type Filters = Omit<PagamentosPorContaFilters, "data" | "granularidade">;

const ROLLUPS = { vencimento: pagamentosPorVencimentoRollup, pagamento: pagamentosPorPagamentoRollup };

/** Keeps the response under 1 MB. A century by day would be about 100 MB. */
const MAX_ROWS = 5000;
const TOO_MANY_ROWS =
  "The report would have more than 5,000 rows. Set `granularidade` to `mes`, or send a later `data_inicio` for a shorter range.";

/** One row per period and account that has payments. Periods are days or months in Brasília (R8). */
const paymentsByAccount = (
  data: keyof typeof ROLLUPS,
  granularidade: Granularity,
  { situacao, id_centro_custo, ...range }: Given<Filters>,
): SQL => {
  const dimension = sql.raw(id_centro_custo ? "'centre'" : "'all'");
  const payments = partialSums(
    {
      rollup: ROLLUPS[data],
      filters: { estabelecimento_id: NO_UNITS, dimension, situacao, id_centro_custo },
      range,
      isDateColumn: true,
    },
    ["situacao", "nome_conta_classificacao"],
    ["records", "valor"],
    PERIODS[granularidade],
  );
  return sql`select starts_on as inicio, nome_conta_classificacao, sum(records) as total_pagamentos,
      round(sum(valor), 2) as valor_total, coalesce(sum(records) filter (where situacao = 1), 0) as pendentes,
      round(coalesce(sum(valor) filter (where situacao = 1), 0), 2) as valor_pendente
    from (${payments}) as payments group by starts_on, nome_conta_classificacao having sum(records) > 0
    order by starts_on, valor_total desc, nome_conta_classificacao`;
};

const COLUMNS = kindsOf(PagamentoPorConta);

const report = (data: keyof typeof ROLLUPS, granularidade: Granularity) =>
  jsonReport<Filters, PagamentosPorConta>(
    (given, _, shape) => sql`
      with accounts as materialized (
        ${paymentsByAccount(data, granularidade, given)} limit ${numberLiteral(MAX_ROWS + 1)})
      select case when (select count(*) from accounts) <= ${numberLiteral(MAX_ROWS)} then ${tableBody(COLUMNS, sql`select * from accounts`, shape)} end as body`,
    { refusal: TOO_MANY_ROWS },
  );
const reports = {
  vencimento: { dia: report("vencimento", "dia"), mes: report("vencimento", "mes") },
  pagamento: { dia: report("pagamento", "dia"), mes: report("pagamento", "mes") },
};

/** Each combination reads different rollup rows, so it has its own statement (R8). @throws Refusal 400 */
export const pagamentosPorConta = (
  db: Db,
  rights: Rights,
  { data, granularidade, ...filters }: PagamentosPorContaFilters,
) => reports[data][granularidade](db, rights, filters);

const today = sql`(now() at time zone 'America/Sao_Paulo')::date`;
/** The first instant of yesterday: as the end of a range of dates, it includes yesterday. */
const yesterday = sql`brasilia_midnight(${today} - 1)`;

/** One row per cost centre, highest sum first. Overdue payments are pending and due before today (R15). */
export const pagamentosPorCentroCusto = rowsReport<PagamentosPorCentroCustoFilters, PagamentosPorCentroCusto>(
  PagamentoPorCentroCusto,
  ({ situacao, ...range }) => {
    const sums = (within: Range) =>
      partialSums(
        {
          rollup: pagamentosPorCentroRollup,
          filters: { estabelecimento_id: NO_UNITS, situacao },
          range: within,
          isDateColumn: true,
        },
        ["id_centro_custo", "situacao"],
        ["records", "valor", "sem_valor"],
      );
    const { data_inicio, data_fim } = range;
    const end = data_fim ? sql`least(${data_fim}::timestamptz, ${yesterday})` : yesterday;
    // `partialSums` needs a range that does not end before it starts.
    const hasStarted = data_inicio && sql`${periodOf("day", data_inicio)} < ${today}`;
    const isPending = sql`situacao = 1`;
    return sql`select id_centro_custo, sum(records) as total_pagamentos, round(sum(valor), 2) as valor_total,
      coalesce(sum(records) filter (where ${isPending}), 0) as pendentes,
      round(coalesce(sum(valor) filter (where ${isPending}), 0), 2) as valor_pendente,
      sum(overdue) as vencidos, round(sum(overdue_value), 2) as valor_vencido, sum(sem_valor) as sem_valor
    from (
      select *, 0 as overdue, 0 as overdue_value from (${sums(range)}) as payments
      union all select id_centro_custo, situacao, 0, 0, 0, records, valor from (${sums({ data_inicio, data_fim: end })}) as due
      ${whereClause(isPending, hasStarted)}
    ) as payments group by id_centro_custo having sum(records) > 0
    order by valor_total desc, id_centro_custo`;
  },
);
