import { and, eq, sql } from "drizzle-orm";
import { all } from "../../db/bodies.ts";
import type { Db } from "../../db/connect.ts";
import { between, eqIf, whereOf } from "../../db/filters.ts";
import { roundedSum } from "../../db/values.ts";
import type { JsonText } from "../../http/responses.ts";
import { jobsLog as j } from "../jobs-log/table.ts";
import { lancamentos as l } from "../lancamentos/table.ts";
import { lookUpProfessional, PROFESSIONAL_KEY, professionalMap } from "../professional-map.ts";
import { transacoes as t } from "../transacoes/table.ts";
import type {
  ReportFilters,
  Resumo,
  TransacoesPorFormaPagamento,
  TransacoesPorProfissional,
} from "./schemas.ts";
import { taxasCartao } from "./table.ts";

const visitsOf = (q: ReportFilters) =>
  whereOf(and(eqIf(t.estabelecimento_id, q.estabelecimento_id), between(t.data_hora, q)));

/** Totals of visits and ledger entries, and the jobs of the last 24 hours, which no filter touches (R1). */
export const resumo = async (db: Db, q: ReportFilters): Promise<JsonText<Resumo>> => {
  const entries = whereOf(and(eqIf(l.estabelecimento_id, q.estabelecimento_id), between(l.synced_at, q)));
  const visits = sql`select json_build_object(
      'total', count(*), 'valor_total', ${roundedSum(t.total)},
      'enviadas_erp', count(*) filter (where ${t.sent_to_erp}),
      'pendentes_erp', count(*) filter (where not ${t.sent_to_erp}))
    from ${t}${visitsOf(q)}`;
  const jobs = sql`select json_build_object(
      'concluidos', count(*) filter (where ${eq(j.status, "completed")}),
      'falhados', count(*) filter (where ${eq(j.status, "failed")}))
    from ${j} where ${j.created_at} >= now() - interval '24 hours'`;
  const answer = await db<{ body: string }>(sql`select json_build_object(
    'transacoes', (${visits}),
    'lancamentos', (select json_build_object('total', count(*)) from ${l}${entries}),
    'jobs_ultimas_24h', (${jobs}))::text as body`);
  return { body: answer?.body ?? "" };
};

/**
 * One row per professional and unit, highest sum first (R2). A visit counts once for each professional among its
 * services; one that identifies nobody counts for the row without a professional.
 */
export const transacoesPorProfissional = (db: Db, q: ReportFilters) => {
  const salonId = sql`nullif(service ->> ${PROFESSIONAL_KEY}, '')`;
  const name = lookUpProfessional(sql`map`, sql`estabelecimento_id`, sql`salon_id`);
  return all<TransacoesPorProfissional>(
    db,
    sql`
    select ${name} ->> 'profissional_nome' as profissional, salon_id as profissional_salon_id, estabelecimento_id,
      total_transacoes, valor_total
    from (
      select ${t.estabelecimento_id}, took_part.salon_id, count(*) as total_transacoes,
        ${roundedSum(t.total)} as valor_total
      from ${t} left join lateral (
        select distinct ${salonId} as salon_id
        from jsonb_array_elements(case when jsonb_typeof(${t.servicos}) = 'array' then ${t.servicos} else '[]' end) as service
        where ${salonId} is not null
      ) as took_part on true${visitsOf(q)}
      group by 1, 2
    ) as sums, (select ${professionalMap} as map) as professionals
    order by valor_total desc, estabelecimento_id, salon_id`,
  );
};

/** One row per payment form, the missing one included, highest sum first (R3). */
export const transacoesPorFormaPagamento = (db: Db, q: ReportFilters) => {
  const forms = sql`select ${t.forma_pagamento_principal} as forma_pagamento, count(*) as total_transacoes,
      ${roundedSum(t.total)} as valor_total, round(sum(${t.total}) / count(*), 2) as ticket_medio
    from ${t}${visitsOf(q)} group by 1`;
  return all<TransacoesPorFormaPagamento>(
    db,
    sql`
    select forms.*, ${taxasCartao.taxa_cobrada_profissional}
    from (${forms}) as forms left join ${taxasCartao} on ${taxasCartao.forma_pagamento} = forms.forma_pagamento
    order by valor_total desc, forms.forma_pagamento`,
  );
};
