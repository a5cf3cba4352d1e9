import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { whereClause } from "../../../platform/db/conditions.ts";
import { jsonQuery, rowsQuery } from "../../../platform/db/json-queries.ts";
import { jsonArray, jsonObject } from "../../../platform/db/json-sql.ts";
import { selectAllRecords } from "../../../platform/db/records.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import type { PlaceholdersOf } from "../../../platform/db/statement.ts";
import { estabelecimento, ORDER } from "../estabelecimentos/queries.ts";
import { estabelecimentos as e } from "../estabelecimentos/table.ts";
import { isOddId, servicosFacts as s, visitasFacts as v } from "../facts/table.ts";
import { jobsLog as j } from "../jobs-log/table.ts";
import { lookUpProfessional, professionals } from "../professional-map.ts";
import { transacoesProfissionalRollup as people, transacoes as t } from "../transacoes/table.ts";
import { isVisitOfRange } from "./clients.ts";
import { earlierEnds } from "./comparison.ts";
import { counted, isShownId, profissional, summed, unidade } from "./declarations.ts";
import { selectMeasures } from "./groups-sql.ts";
import { type QuestionParameters, questionOf } from "./question.ts";
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
import type { Declarations } from "./source.ts";
import { lancamentos } from "./sources/lancamentos.ts";
import { visitas } from "./sources/visitas.ts";
import { taxasCartao } from "./table.ts";

const rowsOf = (
  source: Declarations,
  asks: QuestionParameters,
  placeholders: PlaceholdersOf<ReportFilters>,
  scope: Scope,
) => selectMeasures({ question: questionOf(source, { ...asks }), placeholders, earlier: undefined, scope });

const VISITS = ["visitas", "valor_total", "enviadas", "pendentes"];
const ENTRIES = { data: "sincronizacao", medidas: ["lancamentos"] };

/** Totals of visits and ledger entries, and the jobs of the last 24 hours regardless of the filters (R1). */
const summary = (range: PlaceholdersOf<ReportFilters>, scope: Scope) => {
  const counts = jsonObject({
    total: sql`visitas`,
    valor_total: sql`valor_total`,
    enviadas_erp: sql`enviadas`,
    pendentes_erp: sql`pendentes`,
  });
  const jobs = jsonObject({
    concluidos: sql`count(*) filter (where ${eq(j.status, "completed")})`,
    falhados: sql`count(*) filter (where ${eq(j.status, "failed")})`,
  });
  return jsonObject({
    transacoes: sql`(select ${counts} from (${rowsOf(visitas, { medidas: VISITS }, range, scope)}) as visits)`,
    lancamentos: sql`(
      select ${jsonObject({ total: sql`lancamentos` })}
      from (${rowsOf(lancamentos, ENTRIES, range, scope)}) as entries
    )`,
    jobs_ultimas_24h: sql`(
      select ${jobs}
      from ${j}
      where ${j.created_at} between now() - interval '24 hours' and now()
    )`,
  });
};
/** With `comparar`, adds the same totals over the earlier range as `anterior`, of the same snapshot (R10). */
export const resumo = jsonQuery<ReportFilters, Resumo>((range, scope, _shape, earlier) => {
  const report = sql`select ${summary(range, scope)} as body`;
  if (earlier === undefined) return report;
  const before = sql`select ${summary({ ...range, ...earlier }, scope)} as body`; // mistake: ends-with-the-range
  return sql`
    select left(report.body, -1) || ${earlierEnds(earlier)} || ',' || substr(earlier.body, 2) || '}' as body
    from (${report}) as report, (${before}) as earlier`;
});

/** Visits, each once for each of its professionals. No facts are of a visit and a professional. */
const visitasPorProfissional: Declarations = {
  facts: people,
  dates: { data_hora: [{ facts: people, at: t.data_hora, day: people.starts_on, rollups: [people] }] },
  unitParameter: visitas.unitParameter,
  dimensions: {
    unidade: unidade(people.estabelecimento_id),
    profissional: profissional(people.profissional),
  },
  measures: {
    visitas: counted("Number of visits", 31),
    valor_total: summed("Sum of `total` of these visits", 3100.5, people.total),
  },
  filters: {},
};

/** The visits with an id that is an object or an array, each once, whatever the number of these ids. */
const visitsOfOddIds = (range: PlaceholdersOf<ReportFilters>, scope: Scope) => sql`
    select estabelecimento_id, null as profissional_salon_id, count(*) as visitas, round(sum(total), 2) as valor_total
    from ${v}
    where id in (select id from ${s} ${whereClause(isOddId(s.profissional), isVisitOfRange({ scope, range }, s.at))})
    group by estabelecimento_id`;

/** The visits of each professional and unit. Ids that the reader does not get are in the row without one (A11, R2). */
const visitsOfEach = (placeholders: PlaceholdersOf<ReportFilters>, scope: Scope) => {
  const ofEachId = rowsOf(visitasPorProfissional, { por: ["unidade", "profissional"] }, placeholders, {
    ...scope,
    hidesPersonalData: false,
  });
  if (!scope.hidesPersonalData) return ofEachId;
  return sql`
    select estabelecimento_id, profissional_salon_id, sum(visitas) as visitas, sum(valor_total) as valor_total
    from (
      select estabelecimento_id, profissional_salon_id, visitas, valor_total
      from (${ofEachId}) as of_each_id
      where profissional_salon_id is null or ${isShownId(sql`profissional_salon_id`)}
      union all
      ${visitsOfOddIds(placeholders, scope)}
    ) as visits
    group by estabelecimento_id, profissional_salon_id`;
};

/** The same with the professional as jsonb in `mapped`. */
const mappedVisits = (placeholders: PlaceholdersOf<ReportFilters>, scope: Scope) => sql`
  select *, ${lookUpProfessional(sql`estabelecimento_id`, sql`profissional_salon_id`)} as mapped
  from (${visitsOfEach(placeholders, scope)}) as sums
  offset 0`;

/**
 * One row per professional and unit, highest sum first (R2). A visit counts once for each of its
 * professionals. The visits without a professional form one row per unit.
 * @param condition a condition on `mapped`, the professional as jsonb
 */
const visitsByProfessional = (
  placeholders: PlaceholdersOf<ReportFilters>,
  scope: Scope,
  condition?: SQL,
) => sql`
  with ${professionals}
  select mapped ->> 'profissional_nome' as profissional,
    profissional_salon_id, estabelecimento_id, visitas as total_transacoes, valor_total
  from (${mappedVisits(placeholders, scope)}) as people
  ${whereClause(condition)}
  order by valor_total desc, estabelecimento_id, profissional_salon_id`; // mistake: lowest-sums
export const transacoesPorProfissional = rowsQuery<
  TransacoesPorProfissionalFilters,
  TransacoesPorProfissional
>(
  TransacaoPorProfissional,
  ({ limite, ...range }, scope) =>
    sql`${visitsByProfessional(range, scope)}${limite ? sql` limit ${limite}` : sql``}`,
);

const BY_FORM = { por: ["forma_pagamento"], medidas: ["visitas", "valor_total", "ticket_medio"] };

/** One row per payment method, null included, highest sum first (R3). */
const visitsByPaymentMethod = (placeholders: PlaceholdersOf<ReportFilters>, scope: Scope) => sql`
  select forms.forma_pagamento, visitas as total_transacoes, valor_total, ticket_medio,
    nullif(${taxasCartao.taxa_cobrada_profissional}, 'NaN') as taxa_cobrada_profissional
  from (${rowsOf(visitas, BY_FORM, placeholders, scope)}) as forms
    left join ${taxasCartao} on ${taxasCartao.forma_pagamento} = forms.forma_pagamento
  order by valor_total desc, forms.forma_pagamento`;
export const transacoesPorFormaPagamento = rowsQuery<ReportFilters, TransacoesPorFormaPagamento>(
  TransacaoPorFormaPagamento,
  visitsByPaymentMethod,
);

/** Professionals and active units without ERP cost centre. The filters apply to professionals only (R9). */
export const naoMapeados = jsonQuery<ReportFilters, NaoMapeados>((placeholders, scope) => {
  const where = and(e.ativo, isNull(e.erp_centro_custo_id));
  const units = selectAllRecords(estabelecimento, { where, order: ORDER }, scope, {});
  const people = visitsByProfessional(placeholders, scope, sql`mapped ->> 'erp_centro_custo_id' is null`);
  const body = jsonObject({ profissionais: jsonArray(people), estabelecimentos: jsonArray(units) });
  return sql`select ${body} as body`;
});
