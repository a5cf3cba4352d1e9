import { CLIENTS } from "../../clients.ts";
import {
  CALENDAR,
  CYCLE_FILTERS,
  CYCLES,
  column,
  count,
  equal,
  finite,
  inUnits,
  money,
  OF_INSTANTS,
  type PlainMeasure,
  type PlainSource,
  PROFESSIONAL,
  UNIT,
} from "../plain-source.ts";

const amount = (condition: string): PlainMeasure => ({
  sql: `coalesce(sum(amount) filter (where ${condition}), 0)`,
  empty: "0",
});

export const vendas: PlainSource = {
  rows: () => `
    select data_hora as at, estabelecimento_id, origem, transacao_id, substr(produto_id, 1, 200) as produto_id,
      substr(produto_nome, 1, 200) as produto_nome, substr(profissional_id, 1, 200) as profissional_id,
      substr(forma_pagamento, 1, 200) as forma_pagamento, cliente_id, quantidade is null as has_no_amount,
      coalesce(forma_pagamento = 'Descontar do Profissional', false) as is_taken,
      ${finite("quantidade")} as amount, ${finite("valor_total")} as worth
    from vendas_produto`,
  ...OF_INSTANTS,
  dimensions: {
    ...CALENDAR,
    ...CYCLES,
    unidade: UNIT,
    origem: column("origem"),
    produto: {
      keys: { produto_id: "produto_id", produto_nome: "case when produto_id is null then produto_nome end" },
      labels: {
        produto_nome: ({ ownUnits }) => `case when produto_id is null then produto_nome else (
          select substr(n.produto_nome, 1, 200) from vendas_produto n
          where substr(n.produto_id, 1, 200) = answer.produto_id and ${inUnits(ownUnits, "n.estabelecimento_id")}
          order by coalesce(n.data_hora, '-infinity') desc, n.id desc limit 1) end`,
      },
    },
    profissional: PROFESSIONAL,
    forma_pagamento: column("forma_pagamento"),
    cliente: {
      ...column("cliente_id"),
      labels: {
        cliente_nome: ({ ownUnits }) => `(
          select cliente_nome from vendas_produto n where n.cliente_id = answer.cliente_id
            and ${inUnits(ownUnits, "n.estabelecimento_id")}
          order by coalesce(data_hora, '-infinity') desc, id desc limit 1)`,
      },
      isPersonal: true,
    },
  },
  measures: {
    linhas: count(),
    quantidade: amount("not is_taken"),
    valor_total: money("worth", "not is_taken"),
    quantidade_profissional: amount("is_taken"),
    valor_profissional: money("worth", "is_taken"),
    sem_quantidade: count("has_no_amount"),
    transacoes: { sql: "count(distinct (origem, transacao_id))", empty: "0", isExtra: true },
  },
  filters: {
    ...CYCLE_FILTERS,
    origem: equal("origem", ["salao", "loja"]),
    produto_id: equal("produto_id", ["P1", "P2", "P9"]),
    cliente_id: { ...equal("cliente_id", [...CLIENTS, "C9"]), isPersonal: true },
  },
};
