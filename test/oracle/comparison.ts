import type pg from "pg";
import { formatInstant, type Instant } from "./instants.ts";
import type { Question } from "./questions.ts";

const LOCAL = "at time zone 'America/Sao_Paulo'";

/** How each comparison moves a local timestamp, in plain SQL. */
const moved = (comparar: string, local: string) =>
  ({
    anterior: `${local} - (asked_till::date - since::date + 1) * interval '1 day'`,
    "semana-anterior": `${local} - interval '1 week'`,
    "mes-anterior": `${local} - interval '1 month'`,
    "ano-anterior": `${local} - interval '1 year'`,
  })[comparar] ?? "";

/** The first instant of the day of a local time. */
export const firstInstantOf = (local: string) => `(
  select min(at) from unnest(array[interval '-1 hour', '0']) as hour, lateral (select ${local}::date::timestamp ${LOCAL} + hour as at) as near
  where (at ${LOCAL})::date = ${local}::date)`;

/** Of the instants that an hour before or after have the same local time, the first or the last one. */
export const instantOf = (local: string, pick: "min" | "max") => `(
  select ${pick}(at) from unnest(array[interval '-1 hour', '0', '1 hour']) as hour, lateral (select ${local} ${LOCAL} + hour as at) as near
  where hour = '0' or at ${LOCAL} = ${local})`;

const MINUTE = 60_000;

/** The answer to requests, and their time. Asks again if a minute began meanwhile, because comparisons end with it. */
export const inOneMinute = async <T>(request: () => Promise<T>): Promise<{ answer: T; now: number }> => {
  for (;;) {
    const now = Date.now();
    const answer = await request();
    if (Math.floor(now / MINUTE) === Math.floor(Date.now() / MINUTE)) return { answer, now };
  }
};

type Ranged = Pick<Question, "from" | "to" | "comparar">;

/** As the service writes it. */
const written = (at: Instant): string => formatInstant(at).replace(/\.?0*Z$/, "+00:00");

interface Earlier<Asked> {
  question: Omit<Asked, "comparar">;
  inicio: string;
  fim: string;
  ate: string | null;
}

/** Moves the range back, with another end in place of its own. */
const move = async (db: pg.Client, { comparar = "anterior", from = 0n, to = 0n }: Ranged, end: Instant) => {
  const isMonths = /^(mes|ano)/.test(comparar) && end === to;
  const { rows } = await db.query(
    `select (extract(epoch from since) * 1000000)::bigint::text as "from", (extract(epoch from till) * 1000000)::bigint::text as "to",
       since <= till and extract(year from since ${LOCAL}) between 1900 and 2200 and extract(year from till ${LOCAL}) between 1900 and 2200 as served
     from (
       select case when since_starts_day then ${firstInstantOf("since")} else ${instantOf("since", "min")} end as since,
         case when till_starts_day then ${firstInstantOf("till")} else ${instantOf("till", "max")} end as till from (
         select since_starts_day, till_starts_day, ${moved(comparar, "since")} as since,
           case when ${isMonths} and extract(day from since) = 1 and extract(day from till + interval '1 day') = 1
             then (date_trunc('month', ${moved(comparar, "till")}) + interval '1 month')::date - 1 + till::time
             else ${moved(comparar, "till")} end as till
         from (
           select asked_till, since_starts_day, till_starts_day, case when since_starts_day then since::date else since end as since,
             case when till_starts_day then till::date else till end as till
           from (
             select since, till, asked_till, first = ${firstInstantOf("since")} as since_starts_day, last = ${firstInstantOf("till")} as till_starts_day
             from (select first, last, first ${LOCAL} as since, last ${LOCAL} as till, asked ${LOCAL} as asked_till
               from (values (timestamptz '${formatInstant(from)}', timestamptz '${formatInstant(end)}', timestamptz '${formatInstant(to)}')) as asked (first, last, asked)) as ends
           ) as ends
         ) as asked
       ) as moved
     ) as earlier`,
  );
  return { from: BigInt(rows[0].from), to: BigInt(rows[0].to), isServed: rows[0].served as boolean };
};

/** The latest start of the last 20 runs that brought visits, in whole minutes; undefined without any (R23). */
export const dadosAte = async (db: pg.Client, now: number): Promise<Instant | undefined> => {
  const { rows } = await db.query(
    `with logged as (select * from jobs_log where job_name = 'sync-transacoes' and isfinite(created_at)),
     runs as (
       select * from logged where status = 'completed' and created_at <= to_timestamp($1::numeric / 1000)
       order by created_at desc, id desc limit 20
     ),
     starts as (
       select coalesce(max(begun.created_at), run.created_at - greatest(run.duration_ms, 0) * interval '1 ms') as at
       from runs as run left join logged as begun on begun.status = 'started' and begun.job_id = run.job_id
         and begun.created_at between run.created_at - interval '24 hours' and run.created_at
       group by run.id, run.created_at, run.duration_ms
     )
     select (extract(epoch from date_trunc('minute', max(at))) * 1000000)::bigint::text as at from starts`,
    [now],
  );
  return rows[0].at === null ? undefined : BigInt(rows[0].at);
};

/** How far the data reaches; without a completed run, until now. @param now epoch milliseconds */
export const dataInstant = async (db: pg.Client, now: number): Promise<Instant> =>
  (await dadosAte(db, now)) ?? BigInt(now - (now % MINUTE)) * 1000n;

/** What moves in place of a later end: the data instant, now in minutes if the range contains it, or nothing (R23). */
export const reachedBy = async (
  db: pg.Client,
  until: "data-instant" | "now" | "end",
  { from = 0n }: Ranged,
  now: number,
): Promise<Instant | undefined> => {
  if (until === "data-instant") return dataInstant(db, now);
  const minute = BigInt(now - (now % MINUTE)) * 1000n;
  return until === "now" && from < minute ? minute : undefined;
};

/**
 * The same question about the range to compare with, or undefined if the service must reject it. If the data reaches
 * nothing of the range, the earlier range ends before it starts, so no row matches.
 */
export const earlierQuestion = async <Asked extends Ranged>(
  db: pg.Client,
  question: Asked,
  reached: Instant | undefined,
): Promise<Earlier<Asked> | undefined> => {
  const { comparar: _, ...others } = question;
  const { from = 0n, to = 0n } = question;
  const whole = await move(db, question, to);
  if (!whole.isServed) return undefined;
  const isCut = reached !== undefined && reached < to;
  const nothing = whole.from - 1n;
  const end = isCut ? (reached <= from ? nothing : (await move(db, question, reached)).to) : whole.to;
  return {
    question: { ...others, from: whole.from, to: end > nothing ? end : nothing },
    inicio: written(whole.from),
    fim: written(end > whole.from ? end : whole.from),
    ate: isCut ? written(reached) : null,
  };
};
