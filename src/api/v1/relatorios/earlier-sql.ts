import { type SQL, sql } from "drizzle-orm";
import type { Earlier } from "../../../platform/db/statement.ts";

const instantJson = (value: SQL) => sql`to_json(${value}::timestamptz)::text`;

/** Starts the member `anterior`, without the closing brace (R10). */
export const earlierEnds = ({ data_inicio, data_fim, ate }: Earlier): SQL => {
  const end = sql`greatest(${data_inicio}, ${data_fim})`; // mistake: ends-before-it-starts
  return sql`',"anterior":{"inicio":' || ${instantJson(data_inicio)}
    || ',"fim":' || ${instantJson(end)}
    || ',"ate":' || coalesce(${instantJson(ate)}, 'null')`;
};
