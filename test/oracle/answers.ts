import type pg from "pg";
import { JobLog } from "../../src/api/v1/jobs-log/schemas.ts";
import { Lancamento } from "../../src/api/v1/lancamentos/schemas.ts";
import { PagamentoErp } from "../../src/api/v1/pagamentos-erp/schemas.ts";
import { Produto } from "../../src/api/v1/produtos/schemas.ts";
import { Profissional } from "../../src/api/v1/profissionais/schemas.ts";
import { Transacao } from "../../src/api/v1/transacoes/schemas.ts";
import { VendaProduto } from "../../src/api/v1/vendas-produto/schemas.ts";
import { type Rights, UNRESTRICTED } from "../../src/core/rights.ts";
import { dadosAte } from "./comparison.ts";
import { unitOfCentre } from "./general/sources.ts";
import { formatInstant, type Instant } from "./instants.ts";
import type { Question } from "./questions.ts";

// The expected responses, from plain SQL over the tables. It uses no view, function or rollup of the service,
// but states the rules independently, row by row.

/** SQL of a column of the professional with a `salon_id`: same unit, then active, then lowest id (V5). */
const professionalColumn = (column: string, salonId: string, unit: string) =>
  `(select ${column} from profissionais p where p.salon_id = ${salonId}
    order by (p.salon_estabelecimento_id is not distinct from ${unit}) desc, p.ativo desc, p.id limit 1)`;

const PROFESSIONAL_ID = "s ->> 'idProfissionalQueRealizouServico'";

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

/** The bytes of a name's letters without case and accents. */
const letters = (name: string) => Buffer.from(name.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase());

/** The order of a list by name: by the letters, then as stored (L1). Null is last. */
const compareNames = ({ nome: a }: { nome: string | null }, { nome: b }: { nome: string | null }) =>
  a === null || b === null
    ? Number(a === null) - Number(b === null)
    : Buffer.compare(letters(a), letters(b)) || Buffer.compare(Buffer.from(a), Buffer.from(b));

const sqlText = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** The SQL conditions of a range: no record without a date or with an infinite one matches. */
export const rangeConditions = (
  { from, to }: { from?: Instant | undefined; to?: Instant | undefined },
  column: string,
  isDate = false,
): string[] => {
  const at = (instant: bigint) =>
    isDate
      ? `(timestamptz '${formatInstant(instant)}' at time zone 'America/Sao_Paulo')::date`
      : `timestamptz '${formatInstant(instant)}'`;
  return [
    ...(from === undefined ? [] : [`${column} >= ${at(from)}`]),
    ...(to === undefined ? [] : [`${column} <= ${at(to)}`]),
    ...(from === undefined && to === undefined ? [] : [`isfinite(${column})`]),
  ];
};

const filter = (list: string, name: string, value: string): string => {
  if (list === "profissionais" && name === "estabelecimento_id")
    return `salon_estabelecimento_id = ${sqlText(value)}`;
  if (name === "nome_conta_classificacao") return `normalize(${name}) = normalize(${sqlText(value)})`;
  if (name === "da_unidade") return `(${unitOfCentre("id_centro_custo")}) = ${sqlText(value)}`;
  if (name === "sem_unidade")
    return `(${unitOfCentre("id_centro_custo")}) is ${value === "true" ? "" : "not "}null`;
  if (name === "valor_min") return `valor >= ${value} and valor <> 'NaN'`;
  return `${name} = ${sqlText(value)}`;
};

const whereOf = (conditions: string[]) => (conditions.length > 0 ? `where ${conditions.join(" and ")}` : "");

/** The parameters that say no condition on a column. */
const NO_CONDITIONS = ["nome", "data", "ordem", "limite"];

const filtersOf = (list: string, { filters }: Question) =>
  Object.entries(filters).flatMap(([name, value]) =>
    NO_CONDITIONS.includes(name) ? [] : [filter(list, name, value)],
  );

const composed = (text: string) => text.normalize("NFC").toLowerCase();

/** Filters by name in JavaScript, because databases differ in how they fold accented letters. */
const matchesName = (record: string, { filters: { nome } }: Question) =>
  nome === undefined || composed(JSON.parse(record).nome ?? "").includes(composed(nome));

/** An infinite due date is none. */
const BY_DUE_DATE = "case when isfinite(data_vencimento) then data_vencimento end nulls last, id";

/** The expected records of a list, in order, as JSON text with the ids of their rows. */
export const expectedRows = async (
  db: pg.Client,
  list: string,
  question: Question,
): Promise<{ id: number; record: string }[]> => {
  const { table, fields, isDate, isByName, ...source } = SOURCES[list] as Source;
  const range = question.filters.data === "pagamento" ? "data_pagamento" : source.range;
  const order = question.filters.ordem === "vencimento" ? BY_DUE_DATE : source.order;
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

/** SQL of the units as JSON, in no order. */
const unitsWhere = (condition: string) => `(
  select coalesce(json_agg(json_build_object('id', id, 'nome', nome, 'salon_id', salon_id, 'erp_id', erp_id,
    'erp_centro_custo_id', erp_centro_custo_id, 'ativo', ativo, 'created_at', created_at) order by id), '[]')
  from estabelecimentos where ${condition})`;

/** The expected list of all units, or of some by their `salon_id`. */
export const expectedUnits = async (db: pg.Client, units: Rights["units"] = null): Promise<unknown[]> => {
  const condition = units === null ? "true" : `salon_id in (${units.map(sqlText)})`;
  const { rows } = await db.query(`select ${unitsWhere(condition)}::text as units`);
  return JSON.parse(rows[0].units).sort(compareNames);
};

const REPORTS: Record<string, (visits: string, question: Question) => string> = {
  resumo: (visits, question) => `json_build_object(
    'transacoes', (select json_build_object('total', count(*), 'valor_total', round(coalesce(sum(total), 0), 2),
      'enviadas_erp', count(*) filter (where sent_to_erp), 'pendentes_erp', count(*) filter (where not sent_to_erp)) from ${visits}),
    'lancamentos', (select json_build_object('total', count(*)) from lancamentos
      ${whereOf([...filtersOf("", question), ...rangeConditions(question, "synced_at")])}),
    'jobs_ultimas_24h', (select json_build_object('concluidos', count(*) filter (where status = 'completed'),
      'falhados', count(*) filter (where status = 'failed')) from jobs_log where created_at >= now() - interval '24 hours' and created_at <= now()))`,
  "transacoes-por-profissional": (visits, { filters: { limite } }) => `json_build_object('data', (
    select coalesce(json_agg(report order by valor_total desc, estabelecimento_id, profissional_salon_id nulls last), '[]') from (
      select ${professionalColumn("nome", "took_part.salon_id", "took_part.estabelecimento_id")} as profissional, took_part.salon_id as profissional_salon_id,
        estabelecimento_id, count(*) as total_transacoes, round(sum(total), 2) as valor_total
      from (
        select distinct t.id, t.total, t.estabelecimento_id, ${PROFESSIONAL_ID} as salon_id
        from (select * from ${visits}) t left join lateral jsonb_array_elements(
          case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s on ${PROFESSIONAL_ID} <> ''
      ) as took_part group by estabelecimento_id, salon_id
      order by valor_total desc, estabelecimento_id, profissional_salon_id nulls last limit ${limite ?? "null"}
    ) as report))`,
  "transacoes-por-forma-pagamento": (visits) => `json_build_object('data', (
    select coalesce(json_agg(report order by valor_total desc, forma_pagamento nulls last), '[]') from (
      select forma_pagamento_principal as forma_pagamento, count(*) as total_transacoes, round(sum(total), 2) as valor_total,
        round(sum(total) / count(*), 2) as ticket_medio,
        (select taxa_cobrada_profissional from taxas_cartao where forma_pagamento = forma_pagamento_principal)
      from ${visits} group by forma_pagamento_principal
    ) as report))`,
  "nao-mapeados": (visits, question) => `(select json_build_object('profissionais', (
      select coalesce(json_agg(row_to_json(r) order by n), '[]')
      from json_array_elements(by_professional -> 'data') with ordinality as rows (row, n),
        json_to_record(row) as r (profissional text, profissional_salon_id text, estabelecimento_id text, total_transacoes int, valor_total numeric)
      where ${professionalColumn("erp_centro_custo_id", "r.profissional_salon_id", "r.estabelecimento_id")} is null
    ), 'estabelecimentos', ${unitsWhere("ativo and erp_centro_custo_id is null")}) from (select ${REPORTS["transacoes-por-profissional"]?.(visits, question)} as by_professional) as of_all)`,
};

/** The expected body of a fixed report. */
export const expectedReport = async (
  db: pg.Client,
  report: string,
  question: Question,
): Promise<Record<string, unknown>> => {
  const visits = `transacoes ${whereOf([...filtersOf("", question), ...rangeConditions(question, "data_hora")])}`;
  const { rows } = await db.query(`select ${REPORTS[report]?.(visits, question)}::text as body`);
  const body = JSON.parse(rows[0].body);
  if (report === "nao-mapeados") body.estabelecimentos.sort(compareNames);
  return body;
};

/** The expected freshness, without what changes every second (test/api/v1/frescor.test.ts). */
export const expectedFreshness = async (
  db: pg.Client,
  { units, personalData, payments }: Rights = UNRESTRICTED,
): Promise<object> => {
  const ofUnits = units === null ? [] : [`estabelecimento_id in (${units.map(sqlText)})`];
  const { rows } = await db.query(
    `select json_build_object('data', json_agg(json_build_object(
      'job_name', name, 'ultimo_sucesso', completed, 'ultima_falha', failed,
      'em_andamento_desde', case newest.status when 'started' then newest.created_at end) order by n),
    'catalogo', (select coalesce(json_agg(units order by estabelecimento_id), '[]') from (
      select estabelecimento_id, max(synced_at) as synced_at from produtos ${whereOf(ofUnits)} group by estabelecimento_id) as units),
    'dados_ate', to_timestamp($4::numeric / 1000000), 'hoje', (clock_timestamp() at time zone 'America/Sao_Paulo')::date,
    'direitos', json_build_object('unidades', $1::text[], 'dados_pessoais', $2::boolean, 'pagamentos', $3::boolean)) as body
    from unnest('{sync-transacoes,send-receber,send-pagar}'::text[]) with ordinality as job (name, n)
      cross join lateral (select max(created_at) filter (where status = 'completed') as completed,
        max(created_at) filter (where status = 'failed') as failed from jobs_log where job_name = name) as ended
      left join lateral (select * from jobs_log where job_name = name order by created_at desc, id desc limit 1) as newest on true`,
    [units, personalData, payments, String((await dadosAte(db, Date.now())) ?? "") || null],
  );
  return rows[0].body;
};
