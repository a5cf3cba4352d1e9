import { eq, sql } from "drizzle-orm";
import { all, object } from "../../db/bodies.ts";
import { partialSums } from "../../db/rollup.ts";
import type { Placeholders } from "../../db/statement.ts";
import { jobsLog as j } from "../jobs-log/table.ts";
import { lancamentosRollup } from "../lancamentos/table.ts";
import { lookUpProfessional, professionals, professionalsOf } from "../professional-map.ts";
import { transacoesReportRollup, transacoesRollup } from "../transacoes/table.ts";
import type {
  ReportFilters,
  Resumo,
  TransacoesPorFormaPagamento,
  TransacoesPorProfissional,
} from "./schemas.ts";
import { taxasCartao } from "./table.ts";

const TOTALS = ["records", "total"];

/** Reais, exact until they are rounded to two decimals at the very end (V1). */
const reais = sql`round(coalesce(sum(total), 0), 2)`;

/** Totals of visits and ledger entries, and the jobs of the last 24 hours, which no filter touches (R1). */
export const resumo = object<ReportFilters, Resumo>(({ estabelecimento_id, ...range }) => {
  const filters = { estabelecimento_id };
  const count = sql`coalesce(sum(records), 0)`;
  const jobs = sql`select json_build_object(
      'concluidos', count(*) filter (where ${eq(j.status, "completed")}),
      'falhados', count(*) filter (where ${eq(j.status, "failed")}))
    from ${j} where ${j.created_at} between now() - interval '24 hours' and now()`;
  return sql`select json_build_object(
    'transacoes', (
      select json_build_object('total', ${count}, 'valor_total', ${reais},
        'enviadas_erp', coalesce(sum(records) filter (where sent_to_erp), 0),
        'pendentes_erp', coalesce(sum(records) filter (where not sent_to_erp), 0))
      from (${partialSums({ rollup: transacoesRollup, filters, range }, ["sent_to_erp"], TOTALS)}) as visits),
    'lancamentos', (
      select json_build_object('total', ${count})
      from (${partialSums({ rollup: lancamentosRollup, filters, range }, [])}) as entries),
    'jobs_ultimas_24h', (${jobs}))::text as body`;
});

/** Visits grouped by one dimension, as `total_transacoes` and `valor_total` of each group. */
const grouped = (
  dimension: "form" | "professional",
  { estabelecimento_id, ...range }: Placeholders<ReportFilters>,
  keys: string[],
) => {
  const visits = {
    rollup: transacoesReportRollup,
    filters: { dimension: sql.raw(`'${dimension}'`), estabelecimento_id },
    range,
  };
  const names = sql.raw(keys.join(", "));
  return sql`select ${names}, sum(records) as total_transacoes, ${reais} as valor_total, sum(total) as total
    from (${partialSums(visits, keys, TOTALS)}) as visits group by ${names} having sum(records) > 0`;
};

/**
 * One row per professional and unit, highest sum first (R2). A visit counts once for each professional among its
 * services; one that identifies nobody counts for the row without a professional.
 */
export const transacoesPorProfissional = all<ReportFilters, TransacoesPorProfissional>((given) => {
  const name = lookUpProfessional(professionalsOf(sql`estabelecimento_id`), sql`value`);
  return sql`with ${professionals}
    select ${name} ->> 'profissional_nome' as profissional, value as profissional_salon_id, estabelecimento_id,
      total_transacoes, valor_total
    from (${grouped("professional", given, ["estabelecimento_id", "value"])}) as sums
    order by valor_total desc, estabelecimento_id, value`;
});

/** One row per payment form, the missing one included, highest sum first (R3). */
export const transacoesPorFormaPagamento = all<ReportFilters, TransacoesPorFormaPagamento>(
  (given) => sql`
    select value as forma_pagamento, total_transacoes, valor_total,
      round(total / total_transacoes, 2) as ticket_medio, ${taxasCartao.taxa_cobrada_profissional}
    from (${grouped("form", given, ["value"])}) as forms
      left join ${taxasCartao} on ${taxasCartao.forma_pagamento} = value
    order by valor_total desc, value`,
);
