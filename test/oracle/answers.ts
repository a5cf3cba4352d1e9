import type pg from "pg";
import { JobLog } from "../../src/v1/jobs-log/schemas.ts";
import { Lancamento } from "../../src/v1/lancamentos/schemas.ts";
import { PagamentoErp } from "../../src/v1/pagamentos-erp/schemas.ts";
import { Produto } from "../../src/v1/produtos/schemas.ts";
import { Profissional } from "../../src/v1/profissionais/schemas.ts";
import { Transacao } from "../../src/v1/transacoes/schemas.ts";
import { VendaProduto } from "../../src/v1/vendas-produto/schemas.ts";
import { write } from "./instants.ts";
import type { Question } from "./questions.ts";

/**
 * What the API must answer, by the plainest SQL over the tables: no view, function or sum of the service's own. The
 * rules are written here a second time on purpose, row by row, with no thought of speed.
 */

/** The professional of a unit by id: of the same unit first, then active, then the lowest id. */
const professional = (column: string, salonId: string, unit: string) =>
  `(select ${column} from profissionais p where p.salon_id = ${salonId}
    order by (p.salon_estabelecimento_id is not distinct from ${unit}) desc, p.ativo desc, p.id limit 1)`;

const KEY = "s ->> 'idProfissionalQueRealizouServico'";

interface Source {
  table: string;
  /** The fields of a record in their order. */
  fields: Record<string, string>;
  order: string;
  /** The column a range is over, and whether it is a calendar date. */
  range?: string;
  isDate?: boolean;
}

/** The fields a record has by its schema, in order: the columns of the same names, but for those that are computed. */
const fieldsOf = ({ shape }: { shape: object }, computed: Record<string, string> = {}) => ({
  ...Object.fromEntries(Object.keys(shape).map((name) => [name, name])),
  ...computed,
});
const text = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `${name}::text`]));

const SOURCES: Record<string, Source> = {
  transacoes: {
    table: "transacoes",
    fields: fieldsOf(Transacao, {
      ...text("total", "valor_pagamento"),
      servicos: `case when jsonb_typeof(servicos) = 'array' then (
        select coalesce(jsonb_agg(case when jsonb_typeof(s) = 'object' then s || jsonb_build_object(
            'profissional_nome', ${professional("nome", KEY, "t.estabelecimento_id")},
            'erp_centro_custo_id', ${professional("erp_centro_custo_id", KEY, "t.estabelecimento_id")}) else s end order by n), '[]')
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
    fields: fieldsOf(PagamentoErp, { pago: "situacao = 2", ...text("valor") }),
    order: "id desc",
    range: "data_vencimento",
    isDate: true,
  },
  "vendas-produto": {
    table: "vendas_produto",
    fields: fieldsOf(VendaProduto, {
      unidade_nome: "(select nome from estabelecimentos e where e.salon_id = t.estabelecimento_id)",
      ...text("quantidade", "valor_unitario", "valor_total"),
    }),
    // A line without a date stands where one dated -infinity would.
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
    order: "nome, id",
  },
  produtos: {
    table: "produtos",
    fields: fieldsOf(Produto),
    order: "nome nulls last, estabelecimento_id, salon_id",
  },
};

const quote = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** What a range asks of a column. A record without a date falls out; one dated -infinity counts as such a record. */
const within = ({ from, to }: Question, column: string, isDate = false): string[] => {
  const at = (instant: bigint) =>
    isDate
      ? `(timestamptz '${write(instant)}' at time zone 'America/Sao_Paulo')::date`
      : `timestamptz '${write(instant)}'`;
  return [
    ...(from === undefined ? [] : [`${column} >= ${at(from)}`]),
    ...(to === undefined ? [] : [`${column} <= ${at(to)}`]),
    ...(from === undefined && to === undefined ? [] : [`${column} > '-infinity'`]),
  ];
};

const filter = (list: string, name: string, value: string): string => {
  if (list === "profissionais" && name === "estabelecimento_id")
    return `salon_estabelecimento_id = ${quote(value)}`;
  return `${name} = ${quote(value)}`;
};

const whereOf = (conditions: string[]) => (conditions.length > 0 ? `where ${conditions.join(" and ")}` : "");

const filtersOf = (list: string, { filters }: Question) =>
  Object.entries(filters).flatMap(([name, value]) => (name === "nome" ? [] : [filter(list, name, value)]));

/** A name that holds the text in any case: databases differ in what they know of accented letters, so it is asked here. */
const isNamed = (record: string, { filters: { nome } }: Question) =>
  nome === undefined || (JSON.parse(record).nome ?? "").toLowerCase().includes(nome.toLowerCase());

/** All records of a list that meet a question, in the list's order, each as JSON text. */
export const recordsOf = async (db: pg.Client, list: string, question: Question): Promise<string[]> => {
  const { table, fields, order, range, isDate } = SOURCES[list] as Source;
  const columns = Object.entries(fields).map(([name, value]) => `${value} as ${name}`);
  const conditions = [...filtersOf(list, question), ...(range ? within(question, range, isDate) : [])];
  const { rows } = await db.query(
    `select to_json(record)::text as record from (
       select row_number() over (order by ${order}) as place, t.* from ${table} t ${whereOf(conditions)}
     ) t cross join lateral (select ${columns.join()}) as record order by place`,
  );
  return rows
    .map(({ record }) => JSON.stringify(JSON.parse(record)))
    .filter((record) => isNamed(record, question));
};

const REPORTS: Record<string, (visits: string, question: Question) => string> = {
  resumo: (visits, question) => `json_build_object(
    'transacoes', (select json_build_object('total', count(*), 'valor_total', round(coalesce(sum(total), 0), 2),
      'enviadas_erp', count(*) filter (where sent_to_erp), 'pendentes_erp', count(*) filter (where not sent_to_erp)) from ${visits}),
    'lancamentos', (select json_build_object('total', count(*)) from lancamentos
      ${whereOf([...filtersOf("", question), ...within(question, "synced_at")])}),
    'jobs_ultimas_24h', (select json_build_object('concluidos', count(*) filter (where status = 'completed'),
      'falhados', count(*) filter (where status = 'failed')) from jobs_log where created_at >= now() - interval '24 hours' and created_at <= now()))`,
  "transacoes-por-profissional": (visits) => `json_build_object('data', (
    select coalesce(json_agg(report order by valor_total desc, estabelecimento_id, profissional_salon_id nulls last), '[]') from (
      select ${professional("nome", "took_part.salon_id", "took_part.estabelecimento_id")} as profissional, took_part.salon_id as profissional_salon_id,
        estabelecimento_id, count(*) as total_transacoes, round(sum(total), 2) as valor_total
      from (
        select distinct t.id, t.total, t.estabelecimento_id, ${KEY} as salon_id
        from (select * from ${visits}) t left join lateral jsonb_array_elements(
          case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s on ${KEY} <> ''
      ) as took_part group by estabelecimento_id, salon_id
    ) as report))`,
  "transacoes-por-forma-pagamento": (visits) => `json_build_object('data', (
    select coalesce(json_agg(report order by valor_total desc, forma_pagamento nulls last), '[]') from (
      select forma_pagamento_principal as forma_pagamento, count(*) as total_transacoes, round(sum(total), 2) as valor_total,
        round(sum(total) / count(*), 2) as ticket_medio,
        (select taxa_cobrada_profissional from taxas_cartao where forma_pagamento = forma_pagamento_principal)
      from ${visits} group by forma_pagamento_principal
    ) as report))`,
};

/** What a report must answer, as JSON text. */
export const reportOf = async (db: pg.Client, report: string, question: Question): Promise<string> => {
  const visits = `transacoes ${whereOf([...filtersOf("", question), ...within(question, "data_hora")])}`;
  const { rows } = await db.query(`select ${REPORTS[report]?.(visits, question)}::text as body`);
  return JSON.stringify(JSON.parse(rows[0].body));
};
