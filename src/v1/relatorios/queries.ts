import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { whereClause } from "../../db/conditions.ts";
import { jsonQuery, rowsQuery } from "../../db/json-queries.ts";
import { jsonArray, jsonObject } from "../../db/json-sql.ts";
import { selectAllRecords } from "../../db/records.ts";
import { partialSums } from "../../db/rollup.ts";
import type { Scope } from "../../db/scope.ts";
import type { Given } from "../../db/statement.ts";
import { estabelecimento, ORDER } from "../estabelecimentos/queries.ts";
import { estabelecimentos as e } from "../estabelecimentos/table.ts";
import { jobsLog as j } from "../jobs-log/table.ts";
import { lancamentosRollup } from "../lancamentos/table.ts";
import { lookUpProfessional, professionals } from "../professional-map.ts";
import {
  transacoesFormaRollup,
  transacoesProfissionalRollup,
  transacoesRollup,
} from "../transacoes/table.ts";
import { recordCount, sendStatus, TOTALS, totalInReais } from "./measures.ts";
import { limitClause, maskProfessionalIds } from "./professional-ids.ts";
import {
  type NaoMapeados,
  type ReportFilters,
  type Resumo,
  TransacaoPorFormaPagamento,
  TransacaoPorProfissional,
  type TransacoesPorFormaPagamento,
  type TransacoesPorProfissional,
  type TransacoesPorProfissionalFilters,
} from "./schemas.ts";
import { taxasCartao } from "./table.ts";

/** Totals of visits and ledger entries, and the jobs of the last 24 hours regardless of the filters (R1). */
const summary = (range: Given<ReportFilters>, { units }: Scope) => {
  const filters = { estabelecimento_id: units };
  const visits = jsonObject({
    total: recordCount,
    valor_total: totalInReais,
    enviadas_erp: sendStatus.enviadas_erp,
    pendentes_erp: sendStatus.pendentes_erp,
  });
  const jobs = jsonObject({
    concluidos: sql`count(*) filter (where ${eq(j.status, "completed")})`,
    falhados: sql`count(*) filter (where ${eq(j.status, "failed")})`,
  });
  return jsonObject({
    transacoes: sql`(
      select ${visits}
      from (${partialSums({ rollup: transacoesRollup, filters, range }, ["sent_to_erp"], TOTALS)}) as visits
    )`,
    lancamentos: sql`(
      select ${jsonObject({ total: recordCount })}
      from (${partialSums({ rollup: lancamentosRollup, filters, range }, [])}) as entries
    )`,
    jobs_ultimas_24h: sql`(
      select ${jobs}
      from ${j}
      where ${j.created_at} between now() - interval '24 hours' and now()
    )`,
  });
};
export const resumo = jsonQuery<ReportFilters, Resumo>(
  (given, scope) => sql`select ${summary(given, scope)} as body`,
);

/** The visits of each combination of the keys of a rollup, with `total` before rounding. */
const visitsBy = (rollup: PgTable, keys: string[], range: Given<ReportFilters>, scope: Scope) => {
  const names = sql.raw(keys.join(", "));
  const visits = { rollup, filters: { estabelecimento_id: scope.units.withoutIndex() }, range };
  const sums = partialSums(visits, keys, TOTALS);
  const shown = keys.includes("profissional") ? maskProfessionalIds(sums, TOTALS, scope) : sums;
  return sql`
    select ${names}, sum(records) as total_transacoes, ${totalInReais} as valor_total, sum(total) as total
    from (${shown}) as visits
    group by ${names}
    having sum(records) > 0`;
};

/** The visits of each professional and unit, with the professional as jsonb in `mapped`. */
const mappedVisits = (given: Given<ReportFilters>, scope: Scope) => {
  const sums = visitsBy(transacoesProfissionalRollup, ["estabelecimento_id", "profissional"], given, scope);
  return sql`
    select *, ${lookUpProfessional(sql`estabelecimento_id`, sql`profissional_id`)} as mapped
    from (
      select *, profissional as profissional_id
      from (${sums}) as sums
    ) as sums
    offset 0`;
};

/**
 * One row per professional and unit, highest sum first (R2). A visit counts once for each of its
 * professionals. The visits without a professional form one row per unit.
 * @param condition a condition on `mapped`, the professional as jsonb
 */
const visitsByProfessional = (given: Given<ReportFilters>, scope: Scope, condition?: SQL) => sql`
  with ${professionals}
  select mapped ->> 'profissional_nome' as profissional,
    profissional_id as profissional_salon_id,
    estabelecimento_id, total_transacoes, valor_total
  from (${mappedVisits(given, scope)}) as people
  ${whereClause(condition)}
  order by valor_total desc, estabelecimento_id, profissional_id`;
export const transacoesPorProfissional = rowsQuery<
  TransacoesPorProfissionalFilters,
  TransacoesPorProfissional
>(
  TransacaoPorProfissional,
  ({ limite, ...range }, scope) => sql`${visitsByProfessional(range, scope)}${limitClause(limite)}`,
);

/** One row per payment method, null included, highest sum first (R3). */
const visitsByPaymentMethod = (given: Given<ReportFilters>, scope: Scope) => sql`
  select forms.forma_pagamento, total_transacoes, valor_total,
    round(total / total_transacoes, 2) as ticket_medio, ${taxasCartao.taxa_cobrada_profissional}
  from (${visitsBy(transacoesFormaRollup, ["forma_pagamento"], given, scope)}) as forms
    left join ${taxasCartao} on ${taxasCartao.forma_pagamento} = forms.forma_pagamento
  order by valor_total desc, forms.forma_pagamento`;
export const transacoesPorFormaPagamento = rowsQuery<ReportFilters, TransacoesPorFormaPagamento>(
  TransacaoPorFormaPagamento,
  visitsByPaymentMethod,
);

/** Professionals and active units without ERP cost centre. The filters apply to professionals only (R9). */
export const naoMapeados = jsonQuery<ReportFilters, NaoMapeados>((given, scope) => {
  const where = and(e.ativo, isNull(e.erp_centro_custo_id));
  const units = selectAllRecords(estabelecimento, { where, order: ORDER }, scope, {});
  const people = visitsByProfessional(given, scope, sql`mapped ->> 'erp_centro_custo_id' is null`);
  const body = jsonObject({ profissionais: jsonArray(people), estabelecimentos: jsonArray(units) });
  return sql`select ${body} as body`;
});
