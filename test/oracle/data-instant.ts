import type pg from "pg";
import type { Instant } from "./instants.ts";
import { DAY } from "./questions.ts";

interface Entry {
  id: number;
  job: string | null;
  status: string;
  at: Instant;
  /** In milliseconds. */
  took: number | null;
}

const MINUTE = 60_000_000n;

const later = (a: Instant, b: Instant) => (a > b ? a : b);

const startOf = ({ job, at, took }: Entry, entries: Entry[]): Instant => {
  const starts = entries.filter(
    (entry) =>
      entry.status === "started" &&
      job !== null &&
      entry.job === job &&
      entry.at <= at &&
      entry.at >= at - DAY,
  );
  if (starts.length > 0) return starts.map((entry) => entry.at).reduce(later);
  return at - BigInt(Math.max(took ?? 0, 0)) * 1000n;
};

/** The latest start of the last 20 runs that brought visits, in whole minutes; undefined without any (R23). */
const newestStart = async (db: pg.Client, now: Instant): Promise<Instant | undefined> => {
  const { rows } = await db.query(
    `select id::int, job_id as job, status, duration_ms as took, round(extract(epoch from created_at) * 1000000)::text as at
     from jobs_log where job_name = 'sync-transacoes' and isfinite(created_at)`,
  );
  const entries: Entry[] = rows.map((row) => ({ ...row, at: BigInt(row.at) }));
  const runs = entries
    .filter(({ status, at }) => status === "completed" && at <= now)
    .sort((a, b) => (a.at === b.at ? b.id - a.id : a.at > b.at ? -1 : 1))
    .slice(0, 20);
  return runs.length > 0 ? runs.map((run) => startOf(run, entries)).reduce(later) : undefined;
};

const inMinutes = (at: Instant): Instant => at - (((at % MINUTE) + MINUTE) % MINUTE);

/** How far the data reaches; without a completed run, until now. @param now epoch milliseconds */
export const dataInstant = async (db: pg.Client, now: number): Promise<Instant> =>
  inMinutes((await newestStart(db, BigInt(now) * 1000n)) ?? BigInt(now) * 1000n);

/** As `frescor` has it. */
export const dadosAte = async (db: pg.Client, now: number): Promise<Instant | undefined> => {
  const start = await newestStart(db, BigInt(now) * 1000n);
  return start === undefined ? undefined : inMinutes(start);
};
