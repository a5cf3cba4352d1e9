import { rangeConditions, whereOf } from "./answers.ts";
import { CENTRES, type Question } from "./questions.ts";

/** A report of rows: values of its parameters, and the expected rows in plain SQL. */
export interface Report {
  filters: Record<string, string[]>;
  /** A select of the rows with their `place`. */
  rows: (question: Question) => string;
}

export const equalities = ({ filters }: Question, ...columns: string[]) =>
  columns.flatMap((name) => (name in filters ? [`${name} = '${filters[name]}'`] : []));

const finite = (column: string) =>
  `case when ${column} in ('NaN', 'Infinity', '-Infinity') then 0 else coalesce(${column}, 0) end`;

const soldAndTaken = `coalesce(sum(${finite("quantidade")}) filter (where not taken), 0) as quantidade,
          round(coalesce(sum(${finite("valor_total")}) filter (where not taken), 0), 2) as valor_total,
          coalesce(sum(${finite("quantidade")}) filter (where taken), 0) as quantidade_profissional,
          round(coalesce(sum(${finite("valor_total")}) filter (where taken), 0), 2) as valor_profissional
        from (select *, coalesce(forma_pagamento = 'Descontar do Profissional', false) as taken from vendas_produto) as lines`;

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
          ${soldAndTaken}
        ${whereOf([...equalities(question, "estabelecimento_id", "origem"), ...rangeConditions(question, "data_hora")])}
        group by 1, 2
      ) as products order by place limit ${question.filters.limite ?? 50}`,
  },
  "vendas-por-estabelecimento": {
    filters: { estabelecimento_id: ["101", "102", "201", "999"], origem: ["salao", "loja"] },
    rows: (question) => `
      select *, row_number() over (order by valor_total desc, estabelecimento_id) as place from (
        select estabelecimento_id, (select nome from estabelecimentos e where e.salon_id = estabelecimento_id) as nome, ${soldAndTaken}
        ${whereOf([...equalities(question, "estabelecimento_id", "origem"), ...rangeConditions(question, "data_hora")])}
        group by 1
      ) as units`,
  },
  "pagamentos-por-centro-custo": {
    filters: { situacao: ["1", "2"] },
    rows: (question) => {
      const overdue = `situacao = 1 and data_vencimento > '-infinity'
        and (now() at time zone 'America/Sao_Paulo')::date > data_vencimento`;
      const sum = (condition: string) =>
        `round(coalesce(sum(${finite("valor")}) filter (where ${condition}), 0), 2)`;
      return `
      select *, row_number() over (order by valor_total desc, id_centro_custo nulls last) as place from (
        select id_centro_custo, count(*) as total_pagamentos, ${sum("true")} as valor_total,
          count(*) filter (where situacao = 1) as pendentes, ${sum("situacao = 1")} as valor_pendente,
          count(*) filter (where ${overdue}) as vencidos, ${sum(overdue)} as valor_vencido,
          count(*) filter (where valor is null) as sem_valor
        from pagamentos_erp ${whereOf([...equalities(question, "situacao"), ...rangeConditions(question, "data_vencimento", true)])}
        group by 1
      ) as centres`;
    },
  },
  "pagamentos-por-conta": {
    filters: {
      data: ["vencimento", "pagamento"],
      situacao: ["1", "2"],
      id_centro_custo: CENTRES,
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
