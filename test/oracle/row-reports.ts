import type pg from "pg";
import { PROFESSIONAL_ID, professionalColumn, rangeConditions, whereOf } from "./answers.ts";
import type { Question } from "./questions.ts";

/** A report of rows: values of its parameters, and the expected rows in plain SQL. */
interface Report {
  filters: Record<string, string[]>;
  /** A select of the rows with their `place`. */
  rows: (question: Question) => string;
}

const equalities = ({ filters }: Question, ...columns: string[]) =>
  columns.flatMap((name) => (name in filters ? [`${name} = '${filters[name]}'`] : []));

const visits = (question: Question) =>
  `(select * from transacoes ${whereOf([...equalities(question, "estabelecimento_id"), ...rangeConditions(question, "data_hora")])})`;

const limited = ({ filters: { limite } }: Question) => (limite === undefined ? "" : ` limit ${limite}`);

/** The fixed reports with a limit. */
export const ROW_REPORTS: Record<string, Report> = {
  "transacoes-por-profissional": {
    filters: { estabelecimento_id: ["101", "102", "201", "999"], limite: ["1", "2", "3", "7", "200"] },
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
};

/** The expected body of one of these reports. */
export const expectedRowReport = async (
  db: pg.Client,
  report: string,
  question: Question,
): Promise<unknown> => {
  const rows = ROW_REPORTS[report]?.rows(question);
  const { rows: records } = await db.query(
    `select to_json(report)::text as record from (${rows}) as report order by place`,
  );
  return {
    data: records.map(({ record }) => {
      const { place, ...fields } = JSON.parse(record);
      return fields;
    }),
  };
};
