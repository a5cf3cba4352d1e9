import type pg from "pg";
import { rangeConditions, whereOf } from "./answers.ts";
import type { Question } from "./questions.ts";

/** A report over sales lines or payments: values of its parameters, and the expected rows in plain SQL. */
interface Report {
  filters: Record<string, string[]>;
  /** A select of the rows with their `place`. */
  rows: (question: Question) => string;
}

const equalities = ({ filters }: Question, ...columns: string[]) =>
  columns.flatMap((name) => (name in filters ? [`${name} = '${filters[name]}'`] : []));

const finite = (column: string) =>
  `case when ${column} in ('NaN', 'Infinity', '-Infinity') then 0 else coalesce(${column}, 0) end`;

export const SALES_AND_PAYMENTS: Record<string, Report> = {
  "vendas-por-produto": {
    filters: {
      estabelecimento_id: ["101", "102", "201", "999"],
      origem: ["salao", "loja"],
      limite: ["1", "2", "3", "7", "200"],
    },
    rows: (question) => `
      select *, row_number() over (order by valor_total desc, produto_id nulls last, produto_nome nulls last) as place from (
        select substr(produto_id, 1, 200) as produto_id, substr(produto_nome, 1, 200) as produto_nome,
          coalesce(sum(${finite("quantidade")}) filter (where not taken), 0) as quantidade,
          round(coalesce(sum(${finite("valor_total")}) filter (where not taken), 0), 2) as valor_total,
          coalesce(sum(${finite("quantidade")}) filter (where taken), 0) as quantidade_profissional,
          round(coalesce(sum(${finite("valor_total")}) filter (where taken), 0), 2) as valor_profissional
        from (select *, coalesce(forma_pagamento = 'Descontar do Profissional', false) as taken from vendas_produto) as lines
        ${whereOf([...equalities(question, "estabelecimento_id", "origem"), ...rangeConditions(question, "data_hora")])}
        group by 1, 2
      ) as products order by place limit ${question.filters.limite ?? 50}`,
  },
  "pagamentos-por-conta": {
    filters: {
      data: ["vencimento", "pagamento"],
      situacao: ["1", "2"],
      id_centro_custo: ["7001", "7002", "999"],
      granularidade: ["dia", "mes"],
    },
    rows: (question) => {
      const { data, granularidade } = question.filters;
      const date = data === "pagamento" ? "data_pagamento" : "data_vencimento";
      const inicio = granularidade === "dia" ? date : `date_trunc('month', ${date}::timestamp)::date`;
      const conditions = [
        `isfinite(${date})`,
        ...equalities(question, "situacao", "id_centro_custo"),
        ...rangeConditions(question, date, true),
      ];
      return `
      select *, row_number() over (order by inicio, valor_total desc, nome_conta_classificacao nulls last) as place from (
        select ${inicio} as inicio, nome_conta_classificacao, count(*) as total_pagamentos,
          round(sum(${finite("valor")}), 2) as valor_total, count(*) filter (where situacao = 1) as pendentes,
          round(coalesce(sum(${finite("valor")}) filter (where situacao = 1), 0), 2) as valor_pendente
        from pagamentos_erp ${whereOf(conditions)} group by 1, 2
      ) as accounts`;
    },
  },
};

/** The expected body of one of these reports. */
export const expectedSalesOrPayments = async (
  db: pg.Client,
  report: string,
  question: Question,
): Promise<unknown> => {
  const rows = SALES_AND_PAYMENTS[report]?.rows(question);
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
