import { type SQL, sql } from "drizzle-orm";
import { catalogue, jobs } from "../../api/v1/frescor/queries.ts";
import { jobsLog as j } from "../../api/v1/jobs-log/table.ts";
import type { Db } from "../../core/database.ts";
import { UNRESTRICTED } from "../../core/rights.ts";
import { jsonArray } from "../../platform/db/json-sql.ts";
import { statement } from "../../platform/db/statement.ts";

export interface Problem {
  kind: "late" | "failed" | "catalogue" | "database" | "audit" | "figure" | "rule";
  /** The job, the unit or the rule. */
  name: string;
  /** When it began, in ISO 8601. */
  since: string;
  /** Of a figure: its value, and the limit of its rule. */
  value?: number;
  above?: number;
  below?: number;
  /** Why a rule was not checked: the status of its report. */
  status?: number;
}

/** `since` is null if the database does not know it: a job never completed, or an infinite timestamp. */
export type FoundProblem = Omit<Problem, "since"> & { since: string | null };

/** The catalogues are loaded weekly. */
export const MAX_CATALOGUE_DAYS = 8;
const CATALOGUE_AGE = sql.raw(`interval '${MAX_CATALOGUE_DAYS} days'`);

interface WatchQuery {
  /** Seconds since 1970. */
  at: number;
  lateSeconds: number;
}

/** The job's newest run that ended, or its newest success. Rows of one instant are ordered by id, as in the list. */
const newest = (columns: SQL, status: SQL) =>
  sql`(select ${columns} from ${j} where ${j.job_name} = job.job_name and ${j.status} ${status}
      order by ${j.created_at} desc, ${j.id} desc limit 1)`;

const toStatement = statement<WatchQuery>(({ at, lateSeconds }) => {
  const now = sql`to_timestamp(${at}::double precision)`;
  const lateness = sql`${lateSeconds}::double precision * interval '1 second'`;
  const lastStatus = newest(sql`${j.status}`, sql`<> 'started'`);
  const lastSuccessId = newest(sql`${j.id}`, sql`= 'completed'`);
  const firstFailure = sql`(select min(${j.created_at}) from ${j} where ${j.job_name} = job.job_name
      and ${j.status} = 'failed' and (ultimo_sucesso is null or ${j.created_at} > ultimo_sucesso
        or (${j.created_at} = ultimo_sucesso and ${j.id} > ${lastSuccessId})))`;
  const problems = sql`
    select kind, name, case when since between '0001-01-01Z' and '9999-12-31Z' then since end as since from (
      select 'late' as kind, job_name as name, ultimo_sucesso + ${lateness} as since from job
      where ultimo_sucesso is null or ultimo_sucesso < ${now} - ${lateness}
      union all
      select 'failed', job_name, ${firstFailure} from job where ${lastStatus} = 'failed'
      union all
      select 'catalogue', estabelecimento_id, synced_at + ${CATALOGUE_AGE} from unit_catalogue
      where synced_at < ${now} - ${CATALOGUE_AGE}
    ) as problem`;
  return sql`with job as (${jobs}), unit_catalogue as (${catalogue})
    select ${jsonArray(problems)}::text as body`;
});

/** Reads the problems of the data at a time. @param at epoch ms @throws Refusal if the database does not answer */
export const readProblems = async (db: Db, at: number, lateSeconds: number): Promise<FoundProblem[]> => {
  const row = await db<{ body: Uint8Array }>(
    toStatement({ rights: UNRESTRICTED, now: at }, { at: at / 1000, lateSeconds }),
  );
  return JSON.parse(new TextDecoder().decode(row?.body));
};
