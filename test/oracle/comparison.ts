import type pg from "pg";
import { formatInstant } from "./instants.ts";
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
const instantOf = (local: string, pick: "min" | "max") => `(
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

interface Earlier<Asked> {
  question: Omit<Asked, "comparar">;
  /** As the service writes them. */
  inicio: string;
  fim: string;
}

/**
 * The same question about the range to compare with, or undefined if the service must reject it.
 * @param now epoch milliseconds; undefined if the dates of the range may lie ahead
 */
export const earlierQuestion = async <Asked extends Pick<Question, "from" | "to" | "comparar">>(
  db: pg.Client,
  question: Asked,
  now: number | undefined,
): Promise<Earlier<Asked> | undefined> => {
  const { comparar = "", from = 0n, to = 0n } = question;
  // If the range contains now, the earlier range ends at the current minute (R23).
  const minute = now === undefined ? 0n : BigInt(now - (now % MINUTE)) * 1000n;
  const isRunning = now !== undefined && from <= minute && to / 1000n > BigInt(now);
  const isMonths = /^(mes|ano)/.test(comparar) && !isRunning;
  const { rows } = await db.query(
    `select to_json(since) #>> '{}' as inicio, to_json(till) #>> '{}' as fim, (extract(epoch from since) * 1000000)::bigint::text as "from",
       (extract(epoch from till) * 1000000)::bigint::text as "to",
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
               from (values (timestamptz '${formatInstant(from)}', timestamptz '${formatInstant(isRunning ? minute : to)}', timestamptz '${formatInstant(to)}')) as asked (first, last, asked)) as ends
           ) as ends
         ) as asked
       ) as moved
     ) as earlier`,
  );
  const [{ inicio, fim, served, ...ends }] = rows;
  const { comparar: _, ...others } = question;
  return served
    ? { question: { ...others, from: BigInt(ends.from), to: BigInt(ends.to) }, inicio, fim }
    : undefined;
};
