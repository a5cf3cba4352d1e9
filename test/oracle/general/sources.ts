import { firstInstantOf, instantOf } from "../comparison.ts";
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
  type PlainFilter,
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

/** The unit of a cost centre: of the establishment with it, else of the professionals with it if they have one. */
export const unitOfCentre = (centre: string) => `case
  when exists (select from estabelecimentos e where e.erp_centro_custo_id::text = ${centre})
  then (select salon_id from estabelecimentos e where e.erp_centro_custo_id::text = ${centre} order by id limit 1)
  else (select min(salon_estabelecimento_id) from profissionais q where q.erp_centro_custo_id = ${centre} and q.erp_centro_custo_id <> ''
    having count(distinct salon_estabelecimento_id) = 1)
  end`;
const hasCentre = (unit: string) => `${unit} in (
  select ${unitOfCentre("centre")} from (
    select erp_centro_custo_id::text as centre from estabelecimentos
    union select erp_centro_custo_id from profissionais where erp_centro_custo_id <> ''
  ) as centres)`;

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
  hasExemptRows: (medidas) => medidas.includes("meta"),
};

/** Payments with a date count in the range of days; without a range or a period, all do. */
const bills = ({ data, from, to, por }: Reading) => {
  const date = data === "pagamento" ? "data_pagamento" : "data_vencimento";
  const dayOf = (end: string) => `(${end} at time zone ${TZ})::date`;
  const isDated = from || to || por.some((name) => name in CALENDAR);
  const conditions = [
    ...(from ? [`${date} >= ${dayOf(from)}`] : []),
    ...(to ? [`${date} <= ${dayOf(to)}`] : []),
    ...(isDated ? [`isfinite(${date})`] : []),
    "true",
  ];
  return `select ${date}::timestamp at time zone ${TZ}, ${unitOfCentre("id_centro_custo")}, 0, ${finite("valor")}, true
    from pagamentos_erp where ${conditions.join(" and ")}`;
};

/** Whether bills are known: of the unit of a row, else of any of the units. @param unit that of the row */
const isLed = ({ units, por, isTotal }: Reading, unit: string) => {
  const anyUnit =
    units === null
      ? "true"
      : `exists (select from unnest(array[${units.map((one) => `'${one}'`)}]) as u where ${hasCentre("u")})`;
  return por.includes("unidade") && !isTotal
    ? `(${anyUnit}) and (${unit} is null or ${hasCentre(unit)})`
    : anyUnit;
};
const despesas = (reading: Reading) =>
  `case when ${isLed(reading, "min(estabelecimento_id)")} then round(coalesce(sum(bill), 0), 2) end`;
const left = (reading: Reading) => `round(coalesce(sum(paid), 0), 2) - ${despesas(reading)}`;
const withoutBills = (reading: Reading) =>
  `case when ${isLed(reading, "keys.estabelecimento_id")} then 0 end`;

const resultado: PlainSource = {
  rows: (reading) => `
    select data_hora as at, estabelecimento_id, total as paid, 0::numeric as bill, false as is_exempt
    from transacoes
    union all
    select data_hora, estabelecimento_id, ${PAID}, 0, false from vendas_produto
    union all ${bills(reading)}`,
  ...OF_INSTANTS,
  dates: ["vencimento", "pagamento"],
  dimensions: { ...CALENDAR, unidade: UNIT },
  measures: {
    faturamento: money("paid"),
    despesas: { sql: despesas, empty: withoutBills },
    resultado: { sql: left, empty: withoutBills },
    margem: { sql: (reading) => `round((${left(reading)}) / nullif(sum(paid), 0), 4)`, empty: "null" },
  },
  filters: {},
  hasExemptRows: () => true,
  needs: "payments",
  isComparedWhenOver: true,
};

/** A visit is the first of its client if none has an earlier time or, at the same time, a lower id. */
const isFirst = (units: readonly string[] | null) => `cliente_salon_id is not null and not exists (
  select from transacoes e where e.cliente_salon_id = v.cliente_salon_id and ${inUnits(units, "e.estabelecimento_id")}
    and (e.data_hora < v.data_hora or (e.data_hora = v.data_hora and e.id < v.id)))`;

const localDay = (name: string) => `(${name}.data_hora at time zone ${TZ})::date`;

/** Whether the days after a visit are over in the data, and whether the client came again on one of them. */
const returnOf = ({ filters: { retorno_dias = "60" }, dataDay, ownUnits }: Reading) => `
  v.cliente_salon_id is not null and isfinite(v.data_hora) and ${localDay("v")} + ${retorno_dias} < ${dataDay} as is_decided,
  exists (select from transacoes n where n.cliente_salon_id = v.cliente_salon_id and ${inUnits(ownUnits, "n.estabelecimento_id")}
    and ${localDay("n")} > ${localDay("v")} and ${localDay("n")} <= ${localDay("v")} + ${retorno_dias}) as has_returned`;

/** @param visits the number of visits for which a condition is true */
const returnMeasures = (visits: (condition: string) => string): Record<string, PlainMeasure> => {
  const [decided, returned] = [visits("is_decided"), visits("is_decided and has_returned")];
  const ofClients = { isExtra: true, linksVisits: true, looksAhead: true } as const;
  return {
    decididas: { sql: decided, empty: "0", ...ofClients },
    voltaram: { sql: returned, empty: "0", ...ofClients },
    retorno: { sql: `round(${returned}::numeric / nullif(${decided}, 0), 4)`, empty: "null", ...ofClients },
  };
};

const FIRST_ONLY: PlainFilter = { values: ["true"], condition: () => "is_first", isPersonal: true };
const RETURN_DAYS: PlainFilter = {
  values: ["1", "30", "90", "365"],
  condition: () => "true",
  needsReturn: true,
};

const feeOf = (method: string) =>
  `(select taxa_cobrada_profissional from taxas_cartao f where f.forma_pagamento = ${method})`;

const visitas: PlainSource = {
  rows: (reading) => `
    select data_hora as at, estabelecimento_id, substr(forma_pagamento_principal, 1, 200) as forma_pagamento, parcelas,
      sent_to_erp, cliente_salon_id, total, total * coalesce(${feeOf("v.forma_pagamento_principal")}, 0) as fee, ${isFirst(reading.units)} as is_first,
      ${returnOf(reading)}
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
    ...returnMeasures((condition) => `count(*) filter (where ${condition})`),
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
    novos: FIRST_ONLY,
    retorno_dias: RETURN_DAYS,
  },
};

/** The first of a client's visits, by time and then by id. */
const firstTime = (units: readonly string[] | null) => `(
  select data_hora from transacoes e where e.cliente_salon_id = v.cliente_salon_id
    and ${inUnits(units, "e.estabelecimento_id")} order by data_hora, id limit 1)`;

const inRangeOf = ({ from, to }: Reading, at: string) =>
  [
    ...(from ? [`${at} >= ${from}`] : []),
    ...(to ? [`${at} <= ${to}`] : []),
    ...(from || to ? [`isfinite(${at})`] : []),
    "true",
  ].join(" and ");

const ofVisits = (reading: Reading, name: string) =>
  `${inRangeOf(reading, `${name}.data_hora`)} and ${inUnits(reading.units, `${name}.estabelecimento_id`)}`;

/** A time as the earlier range has it: moved like a start. */
const movedBack = (value: string, shift: string | undefined) => {
  const [at, local] = [`timestamptz '${value}'`, `(timestamptz '${value}' at time zone ${TZ})`];
  const startsDay = `${at} = ${firstInstantOf(local)}`;
  const moved = (from: string) => `(${from} - ${shift})`;
  return shift === undefined
    ? at
    : `case when ${startsDay} then ${firstInstantOf(moved(`${local}::date`))} else ${instantOf(moved(local), "min")} end`;
};

const HAS_SERVICE = `exists (select from jsonb_array_elements(case jsonb_typeof(o.servicos) when 'array' then o.servicos else '[]' end) s
  where jsonb_typeof(s) = 'object')`;
const HAS_LINE = `exists (select from vendas_produto l where l.origem = 'salao' and l.transacao_id = o.salon_id
  and l.estabelecimento_id = o.estabelecimento_id and l.${TAKEN.replace("is not distinct", "is distinct")})`;

const clientes: PlainSource = {
  rows: (reading) => {
    const own = `transacoes o where o.cliente_salon_id = v.cliente_salon_id and ${ofVisits(reading, "o")}`;
    return `
    select cliente_salon_id, max(data_hora) as at, count(*) as visits, sum(total) as worth,
      count(distinct to_char(data_hora at time zone ${TZ}, 'YYYY-MM')) filter (where isfinite(data_hora)) as months,
      min(data_hora) filter (where isfinite(data_hora)) as first_at, max(data_hora) filter (where isfinite(data_hora)) as last_at,
      (select o.estabelecimento_id from ${own} order by o.data_hora desc, o.id desc limit 1) as estabelecimento_id,
      ${firstTime(reading.units)} as since,
      not exists (select from ${own} and ${HAS_SERVICE}) and exists (select from ${own} and ${HAS_LINE}) as bought_only
    from transacoes v where v.cliente_salon_id is not null and ${ofVisits(reading, "v")} group by cliente_salon_id`;
  },
  ...OF_INSTANTS,
  dimensions: {
    unidade: UNIT,
    coorte: {
      keys: {
        coorte: `case when isfinite(since) then date_trunc('month', since at time zone ${TZ})::date end`,
      },
    },
    frequencia: {
      keys: {
        frequencia:
          "(select name from (values (1, '1'), (2, '2'), (3, '3-5'), (6, '6-11'), (12, '12+')) as f (least, name) where least <= visits order by least desc limit 1)",
      },
      order: (key) => `case ${key} when '12+' then 12 else split_part(${key}, '-', 1)::int end`,
    },
    cliente: client("transacoes", "cliente_salon_id"),
  },
  measures: {
    clientes: count(),
    visitas: { sql: "coalesce(sum(visits), 0)", empty: "0" },
    valor_total: money("worth"),
    ticket_medio: { sql: "round(sum(worth) / sum(visits), 2)", empty: "null" },
    valor_por_cliente: { sql: "round(sum(worth) / count(*), 2)", empty: "null" },
    visitas_por_cliente: { sql: "round(sum(visits) / count(*), 2)", empty: "null" },
    primeira_visita: { sql: "min(first_at)", empty: "null", isExtra: true, isDate: true },
    ultima_visita: { sql: "max(last_at)", empty: "null", isExtra: true, isDate: true },
  },
  filters: {
    visitas_min: { values: ["1", "2", "5"], condition: (value) => `visits >= ${value}` },
    visitas_max: { values: ["1", "2", "40"], condition: (value) => `visits <= ${value}` },
    meses_min: { values: ["1", "2", "4"], condition: (value) => `months >= ${value}` },
    valor_min: { values: ["0", "500.5", "20000"], condition: (value) => `worth >= ${value}` },
    sem_visita_desde: {
      values: [
        "2018-11-04T03:00:00Z",
        "2024-12-31T03:00:00.000001Z",
        "2025-03-10T12:00:00Z",
        "2100-01-01T00:00:00Z",
      ],
      condition: (value, { ownUnits, shift }) => `not exists (
        select from transacoes l where l.cliente_salon_id = source.cliente_salon_id
          and l.data_hora >= ${movedBack(value, shift)} and ${inUnits(ownUnits, "l.estabelecimento_id")})`,
    },
    novos: {
      values: ["true"],
      condition: (_value, reading) => inRangeOf(reading, "since"),
      needsRange: true,
      isPersonal: true,
    },
    so_produtos: { values: ["true"], condition: () => "bought_only" },
  },
  needs: "personalData",
};

const servicos: PlainSource = {
  rows: (reading) => `
    select data_hora as at, id as visit, estabelecimento_id, cliente_salon_id, ${isFirst(reading.units)} as is_first,
      ${returnOf(reading)},
      case when jsonb_typeof(s -> 'nome') = 'string' then substr(s ->> 'nome', 1, 200) end as servico,
      case when s ->> 'idProfissionalQueRealizouServico' <> '' then substr(s ->> 'idProfissionalQueRealizouServico', 1, 200) end as profissional_id,
      coalesce(jsonb_typeof(s -> 'cortesia') = 'boolean' and (s ->> 'cortesia')::text = 'true', false) as is_free,
      case when jsonb_typeof(s -> 'valor') = 'number' then (s ->> 'valor')::numeric else 0 end as price
    from transacoes v, jsonb_array_elements(case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) as items (s)
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
    clientes: { sql: "count(distinct cliente_salon_id)", empty: "0", isExtra: true, linksVisits: true },
    ...returnMeasures((condition) => `count(distinct visit) filter (where ${condition})`),
  },
  filters: {
    ...CYCLE_FILTERS,
    servico: written("servico", ["Corte", "Escova", "Luzes"]),
    profissional_salon_id: equal("profissional_id", ["5001", "5002", "true", "5999"]),
    novos: FIRST_ONLY,
    retorno_dias: RETURN_DAYS,
  },
};

const amount = (condition: string): PlainMeasure => ({
  sql: `coalesce(sum(amount) filter (where ${condition}), 0)`,
  empty: "0",
});

const DIFFERENT = "count(distinct (origem, transacao_id))";

const vendas: PlainSource = {
  rows: () => `
    select data_hora as at, estabelecimento_id, origem, transacao_id, substr(produto_id, 1, 200) as produto_id,
      substr(produto_nome, 1, 200) as produto_nome, substr(profissional_id, 1, 200) as profissional_id,
      substr(forma_pagamento, 1, 200) as forma_pagamento, cliente_id, quantidade is null as has_no_amount,
      coalesce(forma_pagamento = 'Descontar do Profissional', false) as is_taken,
      ${finite("quantidade")} as amount, ${finite("valor_total")} as worth, ${feeOf("v.forma_pagamento")} as fee
    from vendas_produto v`,
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
    transacoes: { sql: DIFFERENT, empty: "0", isExtra: true },
    vendas: { sql: `${DIFFERENT} filter (where not is_taken)`, empty: "0", isExtra: true },
    vendas_com_cliente: {
      sql: `${DIFFERENT} filter (where not is_taken and cliente_id is not null)`,
      empty: "0",
      isExtra: true,
    },
    taxas: { ...money("worth * coalesce(fee, 0)", "not is_taken"), isExtra: true },
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
  needs: "payments",
};

export const SOURCES: Record<string, PlainSource> = {
  faturamento,
  visitas,
  clientes,
  servicos,
  vendas,
  lancamentos,
  pagamentos,
  resultado,
};
