import { PROFESSIONAL_ID, professionalColumn, rangeConditions, whereOf } from "./answers.ts";
import type { Question } from "./questions.ts";
import { equalities, type Report } from "./sales-and-payments.ts";

const UNITS = { estabelecimento_id: ["101", "102", "201", "999"] };
const LIMITS = { limite: ["1", "2", "3", "7", "200"] };

const visits = (question: Question) =>
  `(select * from transacoes ${whereOf([...equalities(question, "estabelecimento_id"), ...rangeConditions(question, "data_hora")])})`;

/** One row per object in `servicos`. A row's columns: unit, id of the professional, name, price, whether it was free. */
const services = (question: Question) => `(
  select estabelecimento_id as unit, case when ${PROFESSIONAL_ID} <> '' then substr(${PROFESSIONAL_ID}, 1, 200) end as professional,
    case when jsonb_typeof(s -> 'nome') = 'string' then substr(s ->> 'nome', 1, 200) end as name,
    case when jsonb_typeof(s -> 'valor') = 'number' then (s ->> 'valor')::numeric else 0 end as price,
    coalesce((s ->> 'cortesia')::text = 'true' and jsonb_typeof(s -> 'cortesia') = 'boolean', false) as free
  from ${visits(question)} as v, jsonb_array_elements(case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) as items (s)
  where jsonb_typeof(s) = 'object')`;

const limited = ({ filters: { limite } }: Question) => (limite === undefined ? "" : ` limit ${limite}`);

const COUNTED = `count(*) filter (where free) as cortesias, round(sum(price), 2) as valor_total`;

/** The reports over the services and hours of visits. */
export const SERVICES: Record<string, Report> = {
  servicos: {
    filters: { ...UNITS, ...LIMITS },
    rows: (question) => `
      select *, row_number() over (order by valor_total desc, nome nulls last) as place from (
        select name as nome, count(*) as quantidade, ${COUNTED} from ${services(question)} as s group by 1
      ) as names order by place limit ${question.filters.limite ?? 50}`,
  },
  "producao-por-profissional": {
    filters: { ...UNITS, ...LIMITS },
    rows: (question) => `
      select *, row_number() over (order by valor_total desc, estabelecimento_id, profissional_salon_id nulls last) as place from (
        select ${professionalColumn("nome", "s.professional", "s.unit")} as profissional,
          professional as profissional_salon_id, unit as estabelecimento_id, count(*) as servicos, ${COUNTED}
        from ${services(question)} as s group by unit, professional
      ) as people order by place${limited(question)}`,
  },
  "transacoes-por-profissional": {
    filters: { ...UNITS, ...LIMITS },
    rows: (question) => `
      select *, row_number() over (order by valor_total desc, estabelecimento_id, profissional_salon_id nulls last) as place from (
        select ${professionalColumn("nome", "took_part.salon_id", "took_part.estabelecimento_id")} as profissional, salon_id as profissional_salon_id,
          estabelecimento_id, count(*) as total_transacoes, round(sum(total), 2) as valor_total
        from (
          select distinct v.id, v.total, v.estabelecimento_id, ${PROFESSIONAL_ID} as salon_id
          from ${visits(question)} as v left join lateral jsonb_array_elements(
            case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s on ${PROFESSIONAL_ID} <> ''
        ) as took_part group by estabelecimento_id, salon_id
      ) as people order by place${limited(question)}`,
  },
  "transacoes-por-horario": {
    filters: UNITS,
    rows: (question) => `
      select *, row_number() over (order by dia_semana, hora) as place from (
        select case to_char(local, 'D') when '1' then 7 else to_char(local, 'D')::int - 1 end as dia_semana,
          to_char(local, 'HH24')::int as hora, count(*) as total_transacoes, round(sum(total), 2) as valor_total
        from (select total, data_hora at time zone 'America/Sao_Paulo' as local from ${visits(question)} as v where isfinite(data_hora)) as v
        group by 1, 2
      ) as hours`,
  },
};
