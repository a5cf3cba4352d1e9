import type pg from "pg";
import { firstInstantOf } from "../comparison.ts";
import { formatInstant } from "../instants.ts";
import type { Range } from "./asked.ts";
import type { GeneralQuestion } from "./general-question.ts";
import { TZ } from "./plain-source.ts";

const local = (at: bigint) => `(timestamptz '${formatInstant(at)}' at time zone ${TZ})`;
const micros = (at: string) => `(extract(epoch from ${at}) * 1000000)::bigint::text`;

/** How many months earlier a comparison of so many whole months begins. */
const MONTHS_BACK: Partial<Record<NonNullable<GeneralQuestion["comparar"]>, string>> = {
  anterior: "months",
  "mes-anterior": "1",
  "ano-anterior": "12",
};

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

/** The whole months that whole months are compared with. */
export const monthsEarlier = async (
  db: pg.Client,
  { from = 0n, to = 0n }: Range,
  comparar: NonNullable<GeneralQuestion["comparar"]>,
) => {
  const back = MONTHS_BACK[comparar];
  if (back === undefined) return undefined;
  const { rows } = await db.query(`
    select ${micros("since")} as "from", ${micros("till")} as "to", to_json(since) #>> '{}' as inicio, to_json(till) #>> '{}' as fim
    from (
      select ${firstInstantOf("start")} as since, ${firstInstantOf("(start + months * interval '1 month')")} - interval '1 microsecond' as till
      from (
        select first - ${back} * interval '1 month' as start, months from (
          select date_trunc('month', ${local(from)}) as first,
            (select count(*)::int from generate_series(date_trunc('month', ${local(from)}), ${local(to)}, interval '1 month')) as months
        ) as asked
      ) as moved
    ) as ends`);
  const [{ inicio, fim, ...ends }] = rows;
  return { inicio, fim, range: { from: BigInt(ends.from), to: BigInt(ends.to) } };
};
