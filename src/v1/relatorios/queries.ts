import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { whereClause } from "../../db/conditions.ts";
import { jsonArray, jsonObject } from "../../db/json-sql.ts";
import { selectAllRecords } from "../../db/records.ts";
import { jsonReport, rowsReport } from "../../db/reports.ts";
import { partialSums } from "../../db/rollup.ts";
import type { Scope } from "../../db/scope.ts";
import type { Given } from "../../db/statement.ts";
import { estabelecimento, ORDER } from "../estabelecimentos/queries.ts";
import { estabelecimentos as e } from "../estabelecimentos/table.ts";
import { jobsLog as j } from "../jobs-log/table.ts";
import { lancamentosRollup } from "../lancamentos/table.ts";
import { lookUpProfessional, professionals } from "../professional-map.ts";
import { transacoesHorarioRollup, transacoesReportRollup, transacoesRollup } from "../transacoes/table.ts";
import { recordCount, sendStatus, TOTALS, totalInReais } from "./measures.ts";
import { limitClause, maskProfessionalIds } from "./professional-ids.ts";
import {
  type NaoMapeados,
  type ReportFilters,
  type Resumo,
  TransacaoPorEstabelecimento,
  TransacaoPorFormaPagamento,
  TransacaoPorHorario,
  TransacaoPorProfissional,
  type TransacoesPorEstabelecimento,
  type TransacoesPorFormaPagamento,
  type TransacoesPorHorario,
  type TransacoesPorProfissional,
  type TransacoesPorProfissionalFilters,
} from "./schemas.ts";
import { taxasCartao } from "./table.ts";

/** Totals of visits and ledger entries, and the jobs of the last 24 hours regardless of the filters (R1). */
export const summary = (range: Given<ReportFilters>, { units }: Scope) => {
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
    transacoes: sql`(select ${visits}
      from (${partialSums({ rollup: transacoesRollup, filters, range }, ["sent_to_erp"], TOTALS)}) as visits)`,
    lancamentos: sql`(select ${jsonObject({ total: recordCount })}
      from (${partialSums({ rollup: lancamentosRollup, filters, range }, [])}) as entries)`,
    jobs_ultimas_24h: sql`(select ${jobs}
      from ${j} where ${j.created_at} between now() - interval '24 hours' and now())`,
  });
};
export const resumo = jsonReport<ReportFilters, Resumo>(
  (given, scope) => sql`select ${summary(given, scope)} as body`,
);

const visitsByValue = (
  dimension: "form" | "professional",
  range: Given<ReportFilters>,
  scope: Scope,
  keys: string[],
) => {
  const visits = {
    rollup: transacoesReportRollup,
    filters: { dimension: sql.raw(`'${dimension}'`), estabelecimento_id: scope.units.withoutIndex() },
    range,
  };
  const names = sql.raw(keys.join(", "));
  const sums = partialSums(visits, keys, TOTALS);
  const shown = dimension === "professional" ? maskProfessionalIds(sums, TOTALS, scope) : sums;
  return sql`select ${names}, sum(records) as total_transacoes, ${totalInReais} as valor_total, sum(total) as total
    from (${shown}) as visits group by ${names} having sum(records) > 0`;
};

/**
 * One row per professional and unit, highest sum first (R2). A visit counts once for each of its
 * professionals. The visits without a professional form one row per unit.
 * @param condition a condition on `mapped`, the professional as jsonb
 */
export const visitsByProfessional = (given: Given<ReportFilters>, scope: Scope, condition?: SQL) => {
  const mapped = lookUpProfessional(sql`estabelecimento_id`, sql`value`);
  return sql`with ${professionals}
    select mapped ->> 'profissional_nome' as profissional, value as profissional_salon_id, estabelecimento_id,
      total_transacoes, valor_total
    from (
      select *, ${mapped} as mapped from (${visitsByValue("professional", given, scope, ["estabelecimento_id", "value"])}) as sums
      offset 0
    ) as people${whereClause(condition)}
    order by valor_total desc, estabelecimento_id, value`;
};
export const transacoesPorProfissional = rowsReport<
  TransacoesPorProfissionalFilters,
  TransacoesPorProfissional
>(
  TransacaoPorProfissional,
  ({ limite, ...range }, scope) => sql`${visitsByProfessional(range, scope)}${limitClause(limite)}`,
);

/** One row per payment method, null included, highest sum first (R3). */
export const visitsByPaymentMethod = (given: Given<ReportFilters>, scope: Scope) => sql`
  select value as forma_pagamento, total_transacoes, valor_total,
    round(total / total_transacoes, 2) as ticket_medio, ${taxasCartao.taxa_cobrada_profissional}
  from (${visitsByValue("form", given, scope, ["value"])}) as forms
    left join ${taxasCartao} on ${taxasCartao.forma_pagamento} = value
  order by valor_total desc, value`;
export const transacoesPorFormaPagamento = rowsReport<ReportFilters, TransacoesPorFormaPagamento>(
  TransacaoPorFormaPagamento,
  visitsByPaymentMethod,
);

/** One row per unit that has visits, even if the unit is not registered. Highest sum first (R5). */
export const visitsByUnit = (range: Given<ReportFilters>, { units }: Scope) => {
  const visits = { rollup: transacoesRollup, filters: { estabelecimento_id: units }, range };
  return sql`
    select estabelecimento_id, ${e.nome}, total_transacoes, valor_total,
      round(valor_total / total_transacoes, 2) as ticket_medio, enviadas_erp, pendentes_erp, valor_pendente
    from (
      select estabelecimento_id, sum(records) as total_transacoes, ${totalInReais} as valor_total,
        ${sendStatus.enviadas_erp} as enviadas_erp, ${sendStatus.pendentes_erp} as pendentes_erp,
        round(coalesce(sum(total) filter (where not sent_to_erp), 0), 2) as valor_pendente
      from (${partialSums(visits, ["estabelecimento_id", "sent_to_erp"], TOTALS)}) as visits
      group by estabelecimento_id having sum(records) > 0
    ) as units left join ${e} on ${e.salon_id} = estabelecimento_id
    order by valor_total desc, estabelecimento_id`;
};
export const transacoesPorEstabelecimento = rowsReport<ReportFilters, TransacoesPorEstabelecimento>(
  TransacaoPorEstabelecimento,
  visitsByUnit,
);

/** One row per weekday and hour in Brasília with visits, in order (R12). */
export const transacoesPorHorario = rowsReport<ReportFilters, TransacoesPorHorario>(
  TransacaoPorHorario,
  (range, { units }) => {
    const visits = { rollup: transacoesHorarioRollup, filters: { estabelecimento_id: units }, range };
    return sql`select dia_semana, hora, sum(records) as total_transacoes, ${totalInReais} as valor_total
    from (${partialSums(visits, ["dia_semana", "hora"], TOTALS)}) as visits
    group by dia_semana, hora having sum(records) > 0 order by dia_semana, hora`;
  },
);

/** Professionals and active units without ERP cost centre. The filters apply to professionals only (R9). */
export const naoMapeados = jsonReport<ReportFilters, NaoMapeados>((given, scope) => {
  const where = and(e.ativo, isNull(e.erp_centro_custo_id));
  const units = selectAllRecords(estabelecimento, { where, order: ORDER }, scope, {});
  const people = visitsByProfessional(given, scope, sql`mapped ->> 'erp_centro_custo_id' is null`);
  return sql`select ${jsonObject({ profissionais: jsonArray(people), estabelecimentos: jsonArray(units) })} as body`;
});
