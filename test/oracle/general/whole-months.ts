import type pg from "pg";
import { firstInstantOf } from "../comparison.ts";
import { formatInstant } from "../instants.ts";
import type { Range } from "./asked.ts";
import { TZ } from "./plain-source.ts";

const local = (at: bigint) => `(timestamptz '${formatInstant(at)}' at time zone ${TZ})`;

/** Whether a range is whole months of Brasília, of which the last may end with today (R24). */
export const isWholeMonths = async (db: pg.Client, { from, to }: Range): Promise<boolean> => {
  if (from === undefined || to === undefined) return false;
  const { rows } = await db.query(`
    select first = ${firstInstantOf(local(from))} and extract(day from ${local(from)}) = 1
      and after = ${firstInstantOf(local(to + 1n))}
      and (extract(day from ${local(to + 1n)}) = 1 or ${local(to)}::date = (now() at time zone ${TZ})::date) as is_whole
    from (select timestamptz '${formatInstant(from)}' as first, timestamptz '${formatInstant(to + 1n)}' as after) as ends`);
  return rows[0].is_whole;
};
