import { sql } from "drizzle-orm";
import { array, object, objectOf } from "../../db/bodies.ts";
import { joined, number } from "../../db/conditions.ts";
import { JOB_NAMES, jobsLog as j } from "../jobs-log/table.ts";
import { produtos as p } from "../produtos/table.ts";
import type { Frescor } from "./schemas.ts";

/** The newest entry of a job's history, of one status or of any: a single step into an index. */
const newest = (what: ReturnType<typeof sql>, status = sql``) => sql`(
  select ${what} from ${j} where ${j.job_name} = job.name${status} order by ${j.created_at} desc, ${j.id} desc limit 1)`;
const newestOf = (status: "completed" | "failed") =>
  newest(sql`${j.created_at}`, sql` and ${j.status} = ${sql.raw(`'${status}'`)}`);

/** Subtracted as numbers, as an infinite date may not be subtracted: since -infinity it is no number of seconds. */
const delay = sql`nullif(greatest(floor(extract(epoch from now()) - extract(epoch from ultimo_sucesso)), 0), 'Infinity')`;

const jobs = sql`
  select *, case when ultimo_sucesso is not null then ${delay} end as atraso_segundos
  from (
    select name as job_name, ${newestOf("completed")} as ultimo_sucesso, ${newestOf("failed")} as ultima_falha,
      ${newest(sql`case when ${j.status} = 'started' then ${j.created_at} end`)} as em_andamento_desde
    from (values ${joined(JOB_NAMES.map((name, n) => sql`(${number(n)}, ${sql.raw(`'${name}'`)})`))}) as job(n, name)
    order by n offset 0
  ) as known`;

/** The units that have products, each found in an index behind the one before it, whatever the catalogue's size. */
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

/**
 * How fresh the data is (F1). The entity tag leaves out what grows by the second: a text that looks like it within a
 * value has its quotes escaped.
 */
export const frescor = object<object, Frescor>(
  () => sql`select ${objectOf({ data: array(jobs), catalogo: array(catalogue) })} as body`,
  { lasting: sql`regexp_replace(body, '"atraso_segundos":\\d+', '', 'g')` },
);
