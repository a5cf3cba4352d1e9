import { CALENDAR, column, count, equal, finite, money, type PlainSource, written } from "../plain-source.ts";

const TODAY = "(now() at time zone 'America/Sao_Paulo')::date";
const VALUE = finite("valor");
const OVERDUE = `situacao = 1 and due < ${TODAY}`;

/** The first range of days that ends after the due date. */
const WINDOW = `case when situacao = 2 then 'paga' when due is null then 'sem-data' when due - ${TODAY} < 0 then 'vencida'
  when due - ${TODAY} < 1 then 'hoje' when due - ${TODAY} < 7 then '7-dias' when due - ${TODAY} < 30 then '30-dias' else 'depois' end`;

export const pagamentos: PlainSource = {
  rows: ({ data }) => `
    select ${data === "pagamento" ? "data_pagamento" : "data_vencimento"} as day, situacao, id_centro_custo,
      nome_conta_classificacao, valor, case when isfinite(data_vencimento) then data_vencimento end as due
    from pagamentos_erp`,
  isDate: () => true,
  isAhead: () => true,
  dates: ["vencimento", "pagamento"],
  hasUnits: false,
  dimensions: {
    ...CALENDAR,
    conta: column("nome_conta_classificacao"),
    centro_custo: {
      ...column("id_centro_custo"),
      labels: {
        unidade_nome: () => `(select nome from estabelecimentos e
          where e.erp_centro_custo_id::text = answer.id_centro_custo order by id limit 1)`,
      },
    },
    situacao: column("situacao"),
    faixa: { keys: { faixa: WINDOW } },
  },
  measures: {
    pagamentos: count(),
    valor_total: money(VALUE),
    pendentes: count("situacao = 1"),
    valor_pendente: money(VALUE, "situacao = 1"),
    vencidos: count(OVERDUE),
    valor_vencido: money(VALUE, OVERDUE),
    sem_valor: count("valor is null"),
    vencimento_mais_antigo: {
      sql: "min(due) filter (where situacao = 1)",
      empty: "null",
      isExtra: true,
      isDate: true,
    },
  },
  filters: {
    situacao: equal("situacao", ["1", "2"]),
    id_centro_custo: equal("id_centro_custo", ["7001", "7002", "83", "7009"]),
    nome_conta_classificacao: written("nome_conta_classificacao", [
      "Aluguel",
      "Água",
      "Água".normalize("NFD"),
      "Luz",
    ]),
    valor_min: {
      values: ["0", "1500.5", "0.01", "999999999999.99"],
      condition: (value) => `valor >= ${value} and valor <> 'NaN'`,
    },
  },
};
