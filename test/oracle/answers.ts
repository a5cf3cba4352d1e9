import type pg from "pg";
import { JobLog } from "../../src/v1/jobs-log/schemas.ts";
import { Lancamento } from "../../src/v1/lancamentos/schemas.ts";
import { PagamentoErp } from "../../src/v1/pagamentos-erp/schemas.ts";
import { Produto } from "../../src/v1/produtos/schemas.ts";
import { Profissional } from "../../src/v1/profissionais/schemas.ts";
import { Transacao } from "../../src/v1/transacoes/schemas.ts";
import { VendaProduto } from "../../src/v1/vendas-produto/schemas.ts";
import { formatInstant } from "./instants.ts";
import { compareNames } from "./names.ts";
import type { Question } from "./questions.ts";

// The expected responses, from plain SQL over the tables. It uses no view, function or rollup of the service,
// but states the rules independently, row by row.

/** SQL of a column of the professional with a `salon_id`: same unit, then active, then lowest id (V5). */
export const professionalColumn = (column: string, salonId: string, unit: string) =>
  `(select ${column} from profissionais p where p.salon_id = ${salonId}
    order by (p.salon_estabelecimento_id is not distinct from ${unit}) desc, p.ativo desc, p.id limit 1)`;

export const PROFESSIONAL_ID = "s ->> 'idProfissionalQueRealizouServico'";

interface Source {
  table: string;
  /** The fields of a record, in order, as SQL. */
  fields: Record<string, string>;
  order: string;
  /** Whether names come before `order`. */
  isByName?: boolean;
  /** The column that a range filters, and whether it is a calendar date. */
  range?: string;
  isDate?: boolean;
}

/** The fields of a schema, in order. Each is the column of its name unless it is computed. */
const fieldsOf = ({ shape }: { shape: object }, computed: Record<string, string> = {}) => ({
  ...Object.fromEntries(Object.keys(shape).map((name) => [name, name])),
  ...computed,
});
const asText = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `${name}::text`]));

const SOURCES: Record<string, Source> = {
  transacoes: {
    table: "transacoes",
    fields: fieldsOf(Transacao, {
      ...asText("total", "valor_pagamento"),
      servicos: `case when jsonb_typeof(servicos) = 'array' then (
        select coalesce(jsonb_agg(case when jsonb_typeof(s) = 'object' then s || jsonb_build_object(
            'profissional_nome', ${professionalColumn("nome", PROFESSIONAL_ID, "t.estabelecimento_id")},
            'erp_centro_custo_id', ${professionalColumn("erp_centro_custo_id", PROFESSIONAL_ID, "t.estabelecimento_id")}) else s end order by n), '[]')
        from jsonb_array_elements(servicos) with ordinality as each (s, n)) else servicos end`,
    }),
    order: "data_hora desc, id desc",
    range: "data_hora",
  },
  lancamentos: {
    table: "lancamentos",
    fields: fieldsOf(Lancamento),
    order: "id desc",
    range: "synced_at",
  },
  "pagamentos-erp": {
    table: "pagamentos_erp",
    fields: fieldsOf(PagamentoErp, { pago: "situacao = 2", ...asText("valor") }),
    order: "id desc",
    range: "data_vencimento",
    isDate: true,
  },
  "vendas-produto": {
    table: "vendas_produto",
    fields: fieldsOf(VendaProduto, {
      unidade_nome: "(select nome from estabelecimentos e where e.salon_id = t.estabelecimento_id)",
      ...asText("quantidade", "valor_unitario", "valor_total"),
    }),
    // A line without a date sorts like one dated -infinity.
    order: "coalesce(data_hora, '-infinity') desc, id desc",
    range: "data_hora",
  },
  "jobs-log": {
    table: "jobs_log",
    fields: fieldsOf(JobLog),
    order: "created_at desc, id desc",
    range: "created_at",
  },
  profissionais: {
    table: "profissionais",
    fields: fieldsOf(Profissional),
    order: "id",
    isByName: true,
  },
  produtos: {
    table: "produtos",
    fields: fieldsOf(Produto),
    order: "estabelecimento_id, salon_id",
    isByName: true,
  },
};

const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** The SQL conditions of a range. Without ends, they omit records that have no date or the date -infinity. */
export const rangeConditions = ({ from, to }: Question, column: string, isDate = false): string[] => {
  const at = (instant: bigint) =>
    isDate
      ? `(timestamptz '${formatInstant(instant)}' at time zone 'America/Sao_Paulo')::date`
      : `timestamptz '${formatInstant(instant)}'`;
  return [
    ...(from === undefined ? [] : [`${column} >= ${at(from)}`]),
    ...(to === undefined ? [] : [`${column} <= ${at(to)}`]),
    ...(from === undefined && to === undefined ? [] : [`${column} > '-infinity'`]),
  ];
};

const filter = (list: string, name: string, value: string): string => {
  if (list === "profissionais" && name === "estabelecimento_id")
    return `salon_estabelecimento_id = ${sqlText(value)}`;
  if (name === "nome_conta_classificacao") return `normalize(${name}) = normalize(${sqlText(value)})`;
  return `${name} = ${sqlText(value)}`;
};

export const whereOf = (conditions: string[]) =>
  conditions.length > 0 ? `where ${conditions.join(" and ")}` : "";

const filtersOf = (list: string, { filters }: Question) =>
  Object.entries(filters).flatMap(([name, value]) => (name === "nome" ? [] : [filter(list, name, value)]));

const composed = (text: string) => text.normalize("NFC").toLowerCase();

/** Filters by name in JavaScript, because databases differ in how they fold accented letters. */
const matchesName = (record: string, { filters: { nome } }: Question) =>
  nome === undefined || composed(JSON.parse(record).nome ?? "").includes(composed(nome));

/** The expected records of a list, in order, as JSON text with the ids of their rows. */
export const expectedRows = async (
  db: pg.Client,
  list: string,
  question: Question,
): Promise<{ id: number; record: string }[]> => {
  const { table, fields, order, range, isDate, isByName } = SOURCES[list] as Source;
  const columns = Object.entries(fields).map(([name, value]) => `${value} as ${name}`);
  const conditions = [
    ...filtersOf(list, question),
    ...(range ? rangeConditions(question, range, isDate) : []),
  ];
  const { rows } = await db.query(
    `select t.id::int, to_json(record)::text as record from (
       select row_number() over (order by ${order}) as place, t.* from ${table} t ${whereOf(conditions)}
     ) t cross join lateral (select ${columns.join()}) as record order by place`,
  );
  const records = rows.map(({ id, record }) => ({ id, ...JSON.parse(record), record }));
  return (isByName ? records.sort(compareNames) : records)
    .map(({ id, record }) => ({ id, record: JSON.stringify(JSON.parse(record)) }))
    .filter(({ record }) => matchesName(record, question));
};

/** The expected records of a list, in order, as JSON text. */
export const expectedRecords = async (db: pg.Client, list: string, question: Question): Promise<string[]> =>
  (await expectedRows(db, list, question)).map(({ record }) => record);

const REPORTS: Record<string, (visits: string, question: Question) => string> = {
  resumo: (visits, question) => `json_build_object(
    'transacoes', (select json_build_object('total', count(*), 'valor_total', round(coalesce(sum(total), 0), 2),
      'enviadas_erp', count(*) filter (where sent_to_erp), 'pendentes_erp', count(*) filter (where not sent_to_erp)) from ${visits}),
    'lancamentos', (select json_build_object('total', count(*)) from lancamentos
      ${whereOf([...filtersOf("", question), ...rangeConditions(question, "synced_at")])}),
    'jobs_ultimas_24h', (select json_build_object('concluidos', count(*) filter (where status = 'completed'),
      'falhados', count(*) filter (where status = 'failed')) from jobs_log where created_at >= now() - interval '24 hours' and created_at <= now()))`,
  "transacoes-por-profissional": (visits) => `json_build_object('data', (
    select coalesce(json_agg(report order by valor_total desc, estabelecimento_id, profissional_salon_id nulls last), '[]') from (
      select ${professionalColumn("nome", "took_part.salon_id", "took_part.estabelecimento_id")} as profissional, took_part.salon_id as profissional_salon_id,
        estabelecimento_id, count(*) as total_transacoes, round(sum(total), 2) as valor_total
      from (
        select distinct t.id, t.total, t.estabelecimento_id, ${PROFESSIONAL_ID} as salon_id
        from (select * from ${visits}) t left join lateral jsonb_array_elements(
          case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s on ${PROFESSIONAL_ID} <> ''
      ) as took_part group by estabelecimento_id, salon_id
    ) as report))`,
  "transacoes-por-forma-pagamento": (visits) => `json_build_object('data', (
    select coalesce(json_agg(report order by valor_total desc, forma_pagamento nulls last), '[]') from (
      select forma_pagamento_principal as forma_pagamento, count(*) as total_transacoes, round(sum(total), 2) as valor_total,
        round(sum(total) / count(*), 2) as ticket_medio,
        (select taxa_cobrada_profissional from taxas_cartao where forma_pagamento = forma_pagamento_principal)
      from ${visits} group by forma_pagamento_principal
    ) as report))`,
  "transacoes-por-estabelecimento": (visits) => `json_build_object('data', (
    select coalesce(json_agg(report order by valor_total desc, estabelecimento_id), '[]') from (
      select estabelecimento_id, (select nome from estabelecimentos e where e.salon_id = estabelecimento_id) as nome,
        count(*) as total_transacoes, round(sum(total), 2) as valor_total, round(sum(total) / count(*), 2) as ticket_medio,
        count(*) filter (where sent_to_erp) as enviadas_erp, count(*) filter (where not sent_to_erp) as pendentes_erp,
        round(coalesce(sum(total) filter (where not sent_to_erp), 0), 2) as valor_pendente
      from ${visits} group by estabelecimento_id
    ) as report))`,
  "nao-mapeados": (visits, question) => `(select json_build_object('profissionais', (
      select coalesce(json_agg(row_to_json(r) order by n), '[]')
      from json_array_elements(by_professional -> 'data') with ordinality as rows (row, n),
        json_to_record(row) as r (profissional text, profissional_salon_id text, estabelecimento_id text, total_transacoes int, valor_total numeric)
      where ${professionalColumn("erp_centro_custo_id", "r.profissional_salon_id", "r.estabelecimento_id")} is null
    ), 'estabelecimentos', (
      select coalesce(json_agg(json_build_object('id', id, 'nome', nome, 'salon_id', salon_id, 'erp_id', erp_id,
        'erp_centro_custo_id', erp_centro_custo_id, 'ativo', ativo, 'created_at', created_at) order by id), '[]')
      from estabelecimentos where ativo and erp_centro_custo_id is null
    )) from (select ${REPORTS["transacoes-por-profissional"]?.(visits, question)} as by_professional) as of_all)`,
  // Null for more than 1,100 periods, so at most 1,200 are generated. The series counts downwards, because
  // Postgres cannot store a month after the last one.
  "transacoes-por-periodo": (visits, { from, to, granularidade }) => {
    const unit = granularidade === "dia" ? "day" : "month";
    const periodOf = (instant: string) =>
      `date_trunc('${unit}', ${instant} at time zone 'America/Sao_Paulo')::date`;
    const periodOfEnd = (instant: bigint | undefined, fallback: string) =>
      instant === undefined ? fallback : periodOf(`timestamptz '${formatInstant(instant)}'`);
    return `(with visits as (
      select *, ${periodOf("data_hora")} as period from (select * from ${visits}) as v where isfinite(data_hora)
    ), periods as (
      select each::date as inicio from (select ${periodOfEnd(from, "(select min(period) from visits)")} as first, ${periodOfEnd(to, "(select max(period) from visits)")} as last) as ends,
        generate_series(last::timestamp, greatest(first::timestamp, last::timestamp - interval '1200 ${unit}'), interval '-1 ${unit}') as each
      where ${from !== undefined && to !== undefined} or exists (select from visits)
    )
    select case when (select count(*) from periods) <= 1100 then json_build_object('data', (
      select coalesce(json_agg(report order by inicio), '[]') from (
        select inicio, count(period) as total_transacoes, round(coalesce(sum(total), 0), 2) as valor_total,
          count(*) filter (where sent_to_erp) as enviadas_erp, count(*) filter (where not sent_to_erp) as pendentes_erp
        from periods left join visits on period = inicio group by inicio
      ) as report)) end)`;
  },
};

/** The expected clients of a range, or undefined if it has more than 400 days. */
export const expectedClients = async (db: pg.Client, question: Question): Promise<unknown> => {
  const dayOf = (end: bigint | undefined) =>
    `(timestamptz '${formatInstant(end ?? 0n)}' at time zone 'America/Sao_Paulo')::date`;
  const { rows: days } = await db.query(
    `select count(*)::int as n from generate_series(${dayOf(question.from)}, ${dayOf(question.to)}, interval '1 day')`,
  );
  if (days[0].n > 400) return undefined;
  const visits = `select * from transacoes ${whereOf([...filtersOf("", question), ...rangeConditions(question, "data_hora")])}`;
  // A client is new if the first of all visits of the client is in the range.
  const { rows } = await db.query(
    `with visits as (${visits}), firsts as (
       select cliente_salon_id, min(data_hora) >= timestamptz '${formatInstant(question.from ?? 0n)}' as is_new
       from transacoes ${whereOf(filtersOf("", question))} group by cliente_salon_id)
     select json_build_object('clientes', count(distinct cliente_salon_id), 'novos', count(distinct cliente_salon_id) filter (where is_new),
       'recorrentes', count(distinct cliente_salon_id) filter (where not is_new), 'visitas', count(*),
       'visitas_sem_cliente', count(*) - count(cliente_salon_id)) as body
     from visits left join firsts using (cliente_salon_id)`,
  );
  return rows[0].body;
};

/** The expected body of a report, as JSON text, or undefined if the service must reject the question. */
export const expectedReport = async (
  db: pg.Client,
  report: string,
  question: Question,
): Promise<string | undefined> => {
  const visits = `transacoes ${whereOf([...filtersOf("", question), ...rangeConditions(question, "data_hora")])}`;
  const { rows } = await db.query(`select ${REPORTS[report]?.(visits, question)}::text as body`);
  if (rows[0].body === null) return undefined;
  const body = JSON.parse(rows[0].body);
  if (report === "nao-mapeados") body.estabelecimentos.sort(compareNames);
  return JSON.stringify(body);
};

interface Freshness {
  data: { atraso_segundos: number | null }[];
  agora: string;
}

/** The expected freshness, now. */
export const expectedFreshness = async (db: pg.Client): Promise<Freshness> => {
  const { rows } = await db.query(`select json_build_object('data', json_agg(json_build_object(
      'job_name', name, 'ultimo_sucesso', completed, 'ultima_falha', failed,
      'em_andamento_desde', case newest.status when 'started' then newest.created_at end,
      'atraso_segundos', case when completed <= clock_timestamp() and isfinite(completed)
        then floor(extract(epoch from clock_timestamp() - completed)) when completed > now() then 0 end) order by n),
    'catalogo', (select coalesce(json_agg(units order by estabelecimento_id), '[]') from (
      select estabelecimento_id, max(synced_at) as synced_at from produtos group by estabelecimento_id) as units),
    'agora', clock_timestamp(), 'hoje', (clock_timestamp() at time zone 'America/Sao_Paulo')::date) as body
    from unnest('{sync-transacoes,send-receber,send-pagar}'::text[]) with ordinality as job (name, n)
      cross join lateral (select max(created_at) filter (where status = 'completed') as completed,
        max(created_at) filter (where status = 'failed') as failed from jobs_log where job_name = name) as ended
      left join lateral (select * from jobs_log where job_name = name order by created_at desc, id desc limit 1) as newest on true`);
  return rows[0].body;
};
