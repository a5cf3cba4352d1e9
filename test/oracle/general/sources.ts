import { CLIENTS } from "../values.ts";
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
  type PlainDimension,
  type PlainMeasure,
  type PlainSource,
  PROFESSIONAL,
  type Reading,
  TZ,
  UNIT,
  written,
} from "./plain-source.ts";

/** A client, with the name in their newest row. */
const client = (table: string, key: string): PlainDimension => ({
  ...column(key),
  labels: {
    cliente_nome: ({ ownUnits }) => `(
      select cliente_nome from ${table} n where n.${key} = answer.${key}
        and ${inUnits(ownUnits, "n.estabelecimento_id")}
      order by coalesce(data_hora, '-infinity') desc, id desc limit 1)`,
  },
  isPersonal: true,
});

const TAKEN = "forma_pagamento is not distinct from 'Descontar do Profissional'";
const LINE_VALUE = finite("valor_total");

/** What customers paid for a line: in a salon, what is not taken is part of the visit. */
const PAID = `case origem when 'salao' then case when ${TAKEN} then -(${LINE_VALUE}) else 0 end
  else case when ${TAKEN} then 0 else ${LINE_VALUE} end end`;

/** The goals of the months that the range touches. */
const goals = ({ from, to }: Reading) => {
  const month = (end: string) => `date_trunc('month', ${end} at time zone ${TZ})::date`;
  const conditions = [
    ...(from ? [`mes >= ${month(from)}`] : []),
    ...(to ? [`mes <= ${month(to)}`] : []),
    "true",
  ];
  // The range does not cut a month, so that a goal is exempt from it.
  return `union all
    select mes::timestamp at time zone ${TZ}, estabelecimento_id, null, 0, 0, 0, 0, valor, true
    from metas where ${conditions.join(" and ")}`;
};

const faturamento: PlainSource = {
  rows: (reading) => `
    select data_hora as at, estabelecimento_id, 'salao' as origem, 1 as visit, total as paid, total as paid_in_salons,
      0 as products, null::numeric as goal, false as is_exempt
    from transacoes
    union all
    select data_hora, estabelecimento_id, origem, 0, ${PAID}, case origem when 'salao' then ${PAID} else 0 end,
      case when ${TAKEN} then 0 else ${LINE_VALUE} end, null, false
    from vendas_produto ${reading.medidas.includes("meta") ? goals(reading) : ""}`,
  ...OF_INSTANTS,
  dimensions: { ...CALENDAR, ...CYCLES, unidade: UNIT, origem: column("origem") },
  measures: {
    valor_total: money("paid"),
    valor_servicos: money("paid - products"),
    valor_produtos: money("products"),
    visitas: count("visit = 1"),
    ticket_medio: { sql: "round(sum(paid_in_salons) / nullif(sum(visit), 0), 2)", empty: "null" },
    meta: { sql: "sum(goal)", empty: "null", isExtra: true, isOfGoals: true },
    valor_com_meta: {
      ...money(
        "paid",
        "exists (select from metas g where g.estabelecimento_id = source.estabelecimento_id and g.mes = date_trunc('month', local)::date)",
      ),
      isExtra: true,
      isOfGoals: true,
    },
  },
  filters: { ...CYCLE_FILTERS, origem: equal("origem", ["salao", "loja"]) },
};

/** A visit is the first of its client if none has an earlier time or, at the same time, a lower id. */
const isFirst = (units: readonly string[] | null) => `cliente_salon_id is not null and not exists (
  select from transacoes e where e.cliente_salon_id = v.cliente_salon_id and ${inUnits(units, "e.estabelecimento_id")}
    and (e.data_hora < v.data_hora or (e.data_hora = v.data_hora and e.id < v.id)))`;

const FEE =
  "(select taxa_cobrada_profissional from taxas_cartao f where f.forma_pagamento = v.forma_pagamento_principal)";

const visitas: PlainSource = {
  rows: ({ units }) => `
    select data_hora as at, estabelecimento_id, substr(forma_pagamento_principal, 1, 200) as forma_pagamento, parcelas,
      sent_to_erp, cliente_salon_id, total, total * coalesce(${FEE}, 0) as fee, ${isFirst(units)} as is_first
    from transacoes v`,
  ...OF_INSTANTS,
  dimensions: {
    ...CALENDAR,
    ...CYCLES,
    unidade: UNIT,
    forma_pagamento: column("forma_pagamento"),
    parcelas: column("parcelas"),
    enviada: column("sent_to_erp"),
    cliente: client("transacoes", "cliente_salon_id"),
  },
  measures: {
    visitas: count(),
    valor_total: money("total"),
    ticket_medio: { sql: "round(sum(total) / count(*), 2)", empty: "null" },
    enviadas: count("sent_to_erp"),
    pendentes: count("not sent_to_erp"),
    valor_pendente: money("total", "not sent_to_erp"),
    taxas: money("fee"),
    clientes: { sql: "count(distinct cliente_salon_id)", empty: "0", isExtra: true, linksVisits: true },
    clientes_novos: { ...count("is_first"), isExtra: true, linksVisits: true },
    primeira_visita: {
      sql: "min(at) filter (where isfinite(at))",
      empty: "null",
      isExtra: true,
      isDate: true,
    },
    ultima_visita: { sql: "max(at) filter (where isfinite(at))", empty: "null", isExtra: true, isDate: true },
  },
  filters: {
    ...CYCLE_FILTERS,
    sent_to_erp: equal("sent_to_erp", ["true", "false"]),
    forma_pagamento: written("forma_pagamento", ["Pix", "Açaí’s", "Açaí’s".normalize("NFD"), "Cheque"]),
    parcelas_min: { values: ["1", "2", "7"], condition: (value) => `parcelas >= ${value}` },
    cliente_salon_id: { ...equal("cliente_salon_id", [...CLIENTS, "C9"]), isPersonal: true },
    // Rows of the answer, not rows of the source: see expected-rows.ts.
    visitas_min: { values: ["1", "2", "3"], condition: () => "true", needsClient: true },
    sem_visita_desde: {
      values: ["2018-11-04T03:00:00Z", "2024-12-31T03:00:00.000001Z", "2100-01-01T00:00:00Z"],
      condition: (value, { ownUnits }) => `cliente_salon_id is not null and cliente_salon_id not in (
        select cliente_salon_id from transacoes l where cliente_salon_id is not null
          and l.data_hora >= timestamptz '${value}' and ${inUnits(ownUnits, "l.estabelecimento_id")})`,
      needsClient: true,
    },
  },
};

const servicos: PlainSource = {
  rows: () => `
    select data_hora as at, id as visit, estabelecimento_id,
      case when jsonb_typeof(s -> 'nome') = 'string' then substr(s ->> 'nome', 1, 200) end as servico,
      case when s ->> 'idProfissionalQueRealizouServico' <> '' then substr(s ->> 'idProfissionalQueRealizouServico', 1, 200) end as profissional_id,
      coalesce(jsonb_typeof(s -> 'cortesia') = 'boolean' and (s ->> 'cortesia')::text = 'true', false) as is_free,
      case when jsonb_typeof(s -> 'valor') = 'number' then (s ->> 'valor')::numeric else 0 end as price
    from transacoes, jsonb_array_elements(case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) as items (s)
    where jsonb_typeof(s) = 'object'`,
  ...OF_INSTANTS,
  dimensions: {
    ...CALENDAR,
    ...CYCLES,
    unidade: UNIT,
    servico: column("servico"),
    profissional: PROFESSIONAL,
  },
  measures: {
    servicos: count(),
    cortesias: count("is_free"),
    valor_total: money("price"),
    visitas: { sql: "count(distinct visit)", empty: "0", isExtra: true },
  },
  filters: {
    ...CYCLE_FILTERS,
    servico: written("servico", ["Corte", "Escova", "Luzes"]),
    profissional_salon_id: equal("profissional_id", ["5001", "5002", "true", "5999"]),
  },
};

const amount = (condition: string): PlainMeasure => ({
  sql: `coalesce(sum(amount) filter (where ${condition}), 0)`,
  empty: "0",
});

const vendas: PlainSource = {
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
    cliente: client("vendas_produto", "cliente_id"),
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

const TEXT = "raw_data ->> 'DataVencimento'";
const part = (from: number, length: number) => `substr(${TEXT}, ${from}, ${length})::int`;
/** The date that the digits add up to. It has the same digits only if they are a date. */
const ADDED = `(make_date(${part(1, 4)}, 1, 1) + (${part(6, 2)} - 1) * interval '1 month' + (${part(9, 2)} - 1) * interval '1 day')::date`;
const DUE = `case when ${TEXT} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}' and ${TEXT} not like '0000%'
  then case when to_char(${ADDED}, 'YYYY-MM-DD') = substr(${TEXT}, 1, 10) then ${ADDED} end end`;

const text = (name: string) =>
  `case when jsonb_typeof(raw_data -> '${name}') = 'string' then substr(raw_data ->> '${name}', 1, 200) end`;

const isDue = (data: string | undefined) => data !== "sincronizacao";

const lancamentos: PlainSource = {
  rows: ({ data }) => `
    select ${isDue(data) ? `${DUE} as day` : "synced_at as at"}, estabelecimento_id, ${text("Pessoa")} as pessoa,
      ${text("CentroCusto")} as centro_custo, sent_to_salon,
      case when jsonb_typeof(raw_data -> 'ValorBruto') = 'number' then (raw_data ->> 'ValorBruto')::numeric end as worth
    from lancamentos`,
  isDate: isDue,
  isAhead: isDue,
  dates: ["vencimento", "sincronizacao"],
  hasUnits: true,
  dimensions: {
    ...CALENDAR,
    unidade: UNIT,
    pessoa: { ...column("pessoa"), isPersonal: true },
    centro_custo: { ...column("centro_custo"), isPersonal: true },
    enviado: column("sent_to_salon"),
  },
  measures: {
    lancamentos: count(),
    valor_total: money("worth"),
    enviados: count("sent_to_salon"),
    pendentes: count("not sent_to_salon"),
    valor_pendente: money("worth", "not sent_to_salon"),
    sem_valor: count("worth is null"),
  },
  filters: {
    sent_to_salon: equal("sent_to_salon", ["true", "false"]),
    pessoa: { ...written("pessoa", ["Ana", "Íris", "Íris".normalize("NFD"), "Rui"]), isPersonal: true },
  },
};

const TODAY = `(now() at time zone ${TZ})::date`;
const PAYMENT_VALUE = finite("valor");
const OVERDUE = `situacao = 1 and due < ${TODAY}`;

/** The first range of days that ends after the due date. */
const WINDOW = `case when situacao = 2 then 'paga' when due is null then 'sem-data' when due - ${TODAY} < 0 then 'vencida'
  when due - ${TODAY} < 1 then 'hoje' when due - ${TODAY} < 7 then '7-dias' when due - ${TODAY} < 30 then '30-dias' else 'depois' end`;

const pagamentos: PlainSource = {
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
    valor_total: money(PAYMENT_VALUE),
    pendentes: count("situacao = 1"),
    valor_pendente: money(PAYMENT_VALUE, "situacao = 1"),
    vencidos: count(OVERDUE),
    valor_vencido: money(PAYMENT_VALUE, OVERDUE),
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

export const SOURCES: Record<string, PlainSource> = {
  faturamento,
  visitas,
  servicos,
  vendas,
  lancamentos,
  pagamentos,
};
