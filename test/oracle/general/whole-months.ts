import type pg from "pg";
import { firstInstantOf } from "../comparison.ts";
import { dataInstant } from "../data-instant.ts";
import { formatInstant } from "../instants.ts";
import type { Range } from "./asked.ts";
import { TZ } from "./plain-source.ts";

const local = (at: bigint) => `(timestamptz '${formatInstant(at)}' at time zone ${TZ})`;
const micros = (at: string) => `(extract(epoch from ${at}) * 1000000)::bigint::text`;

/** The end of a range: that of its day if it lies within the last second of the day. */
export const dayEndOf = async (db: pg.Client, to: bigint): Promise<bigint> => {
  const next = firstInstantOf(`(${local(to)} + interval '1 day')`);
  const { rows } = await db.query(
    `select case when next - timestamptz '${formatInstant(to)}' <= interval '1 second' then ${micros("next")} end as next from (select ${next} as next) as day`,
  );
  return rows[0].next === null ? to : BigInt(rows[0].next) - 1n;
};

/** Whether a range is whole months of Brasília, up to the last second (R24). */
export const isWholeMonths = async (db: pg.Client, { from, to }: Range): Promise<boolean> => {
  if (from === undefined || to === undefined) return false;
  const after = (await dayEndOf(db, to)) + 1n;
  const { rows } = await db.query(`
    select first = ${firstInstantOf(local(from))} and extract(day from ${local(from)}) = 1
      and after = ${firstInstantOf(local(after))} and extract(day from ${local(after)}) = 1 as is_whole
    from (select timestamptz '${formatInstant(from)}' as first, timestamptz '${formatInstant(after)}' as after) as ends`);
  return rows[0].is_whole;
};

/** Whether the data has passed a range. @param now epoch milliseconds */
export const isPast = async (db: pg.Client, { to = 0n }: Range, now: number): Promise<boolean> =>
  (await dataInstant(db, now)) > to;
