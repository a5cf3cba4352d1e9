import { sql } from "drizzle-orm";
import { joined, numberLiteral } from "../../db/conditions.ts";
import { array, objectOf } from "../../db/json-sql.ts";
import { jsonReport } from "../../db/reports.ts";
import { JOB_NAMES, jobsLog as j } from "../jobs-log/table.ts";
import { produtos as p } from "../produtos/table.ts";
import type { Frescor } from "./schemas.ts";

/** The newest row of a job, optionally with one status. It reads one index entry. */
const newest = (what: ReturnType<typeof sql>, status = sql``) => sql`(
  select ${what} from ${j} where ${j.job_name} = job.name${status} order by ${j.created_at} desc, ${j.id} desc limit 1)`;
const newestOf = (status: "completed" | "failed") =>
  newest(sql`${j.created_at}`, sql` and ${j.status} = ${sql.raw(`'${status}'`)}`);

/** Subtracts numbers, because Postgres may reject infinite timestamps. The delay since -infinity is null (F1). */
const delay = sql`nullif(greatest(floor(extract(epoch from now()) - extract(epoch from ultimo_sucesso)), 0), 'Infinity')`;

const jobs = sql`
  select *, case when ultimo_sucesso is not null then ${delay} end as atraso_segundos
  from (
    select name as job_name, ${newestOf("completed")} as ultimo_sucesso, ${newestOf("failed")} as ultima_falha,
      ${newest(sql`case when ${j.status} = 'started' then ${j.created_at} end`)} as em_andamento_desde
    from (values ${joined(JOB_NAMES.map((name, n) => sql`(${numberLiteral(n)}, ${sql.raw(`'${name}'`)})`))}) as job(n, name)
    order by n offset 0
  ) as known`;

/** Units with products, found by a loose index scan: the cost does not grow with the catalogue. */
const catalogue = sql`
  with recursive unit(id) as (
    (select ${p.estabelecimento_id} from ${p} order by 1 limit 1)
    union all
    select (select ${p.estabelecimento_id} from ${p} where ${p.estabelecimento_id} > unit.id order by 1 limit 1)
    from unit where unit.id is not null
  )
  select id as estabelecimento_id,
    (select max(${p.synced_at}) from ${p} where ${p.estabelecimento_id} = unit.id) as synced_at
  from unit where id is not null order by id`;

// The ETag ignores `atraso_segundos`, which grows every second (F1). The pattern cannot match inside a JSON string,
// where quotes are escaped.
export const frescor = jsonReport<object, Frescor>(
  () => sql`select ${objectOf({ data: array(jobs), catalogo: array(catalogue) })} as body`,
  { etagSource: sql`regexp_replace(body, '"atraso_segundos":\\d+', '', 'g')` },
);
