import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../../../core/database.ts";
import type { Rights } from "../../../core/rights.ts";
import { joinWithCommas, numberLiteral } from "../../../platform/db/conditions.ts";
import { jsonQuery } from "../../../platform/db/json-queries.ts";
import { jsonArray, jsonObject } from "../../../platform/db/json-sql.ts";
import type { ReadRequest } from "../../../platform/db/read-request.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import { DATA_REACHED } from "../../../platform/db/statement.ts";
import { JOB_NAMES, jobsLog as j } from "../jobs-log/table.ts";
import { produtos as p } from "../produtos/table.ts";
import type { Direitos, Frescor } from "./schemas.ts";

/** A value of the job's newest row, optionally with a condition on its status. Reads one index entry. */
const newestValue = (value: ReturnType<typeof sql>, status = sql``) => sql`(
  select ${value}
  from ${j}
  where ${j.job_name} = job.name${status}
  order by ${j.created_at} desc, ${j.id} desc
  limit 1
)`;
const newestTime = (status: "completed" | "failed") =>
  newestValue(sql`${j.created_at}`, sql` and ${j.status} = ${sql.raw(`'${status}'`)}`);

// Subtracts epoch seconds, because Postgres before 17 cannot subtract infinite timestamps. The delay is null
// if `ultimo_sucesso` is -infinity (F1).
const delay = sql`nullif(
  greatest(floor(extract(epoch from now()) - extract(epoch from ultimo_sucesso)), 0),
  'Infinity'
)`;

const jobNames = joinWithCommas(
  JOB_NAMES.map((name, n) => sql`(${numberLiteral(n)}, ${sql.raw(`'${name}'`)})`),
);

const jobTimes = sql`
  select name as job_name,
    ${newestTime("completed")} as ultimo_sucesso,
    ${newestTime("failed")} as ultima_falha,
    ${newestValue(sql`case when ${j.status} = 'started' then ${j.created_at} end`)} as em_andamento_desde
  from (values ${jobNames}) as job(n, name)
  order by n
  offset 0`;

export const jobs = sql`
  select *, case when ultimo_sucesso is not null then ${delay} end as atraso_segundos
  from (${jobTimes}) as job_times`;

/** Units with products, found by a loose index scan: the cost does not grow with the catalogue. */
export const catalogue = sql`
  with recursive unit(id) as (
    (select ${p.estabelecimento_id} from ${p} order by 1 limit 1)
    union all
    select (select ${p.estabelecimento_id} from ${p} where ${p.estabelecimento_id} > unit.id order by 1 limit 1)
    from unit
    where unit.id is not null
  )
  select id as estabelecimento_id,
    (select max(${p.synced_at}) from ${p} where ${p.estabelecimento_id} = unit.id) as synced_at
  from unit
  where id is not null
  order by id`;

const clock = {
  dados_ate: sql`coalesce(to_json(${DATA_REACHED})::text, 'null')`,
  agora: sql`to_json(now())::text`,
  hoje: sql`to_json((now() at time zone 'America/Sao_Paulo')::date)::text`,
};

interface Placeholders {
  /** As JSON. */
  direitos: SQL;
}

// mistake: freshness-of-one-unit
export const selectFreshness = ({ direitos }: Placeholders, { ownUnits }: Scope): SQL => {
  const condition = ownUnits.value && sql` where estabelecimento_id = ${ownUnits.value}`;
  const own = condition ? sql`select * from (${catalogue}) as units${condition}` : catalogue;
  const parts = { data: jsonArray(jobs), catalogo: jsonArray(own), ...clock, direitos };
  return sql`select ${jsonObject(parts)} as body`;
};

/**
 * The body without what changes every second (F1). The pattern cannot match inside a JSON string, where quotes
 * are escaped.
 */
export const withoutClock = (body: SQL): SQL =>
  sql`regexp_replace(${body}, '"(atraso_segundos":\\d+|agora":"[^"]+")', '', 'g')`; // mistake: same-tag

/** The rights of the reader, as answers name them. */
export const direitosOf = ({ units, personalData, payments }: Rights): Direitos => ({
  unidades: units === null ? null : [...units],
  dados_pessoais: personalData,
  pagamentos: payments,
});

const readFreshness = jsonQuery<{ direitos: string }, Frescor>(selectFreshness, {
  etagSource: withoutClock(sql`body`),
});

export const frescor = (db: Db, request: ReadRequest) =>
  readFreshness(db, request, { direitos: JSON.stringify(direitosOf(request.rights)) });
