import { type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { COMPARISONS } from "../../../core/periods.ts";
import type { Earlier } from "../../../platform/db/statement.ts";
import { oneOf } from "../../../platform/http/params.ts";
import { instant, record } from "../fields.ts";

/** The parameter of the reports that can be compared with an earlier range (R10). */
export const comparison = {
  comparar: oneOf(
    COMPARISONS,
    "Adds `anterior`: as many days before, or the same a week, month or year earlier. Needs a range.",
  ).optional(),
};

const ends = {
  inicio: instant("2026-10-01T03:00:00+00:00").openapi({ description: "Start of the earlier range" }),
  fim: instant("2026-10-23T14:18:00+00:00").openapi({ description: "End of the earlier range" }),
  ate: instant("2026-11-23T14:18:00+00:00")
    .nullable()
    .openapi({ description: "How far the data reached, if the earlier range ends there; else `null`" }),
};

const instantJson = (value: SQL) => sql`to_json(${value}::timestamptz)::text`;

/** Starts the member `anterior`, without the closing brace (R10). */
export const earlierEnds = ({ data_inicio, data_fim, ate }: Earlier): SQL => {
  const end = sql`greatest(${data_inicio}, ${data_fim})`; // mistake: ends-before-it-starts
  return sql`',"anterior":{"inicio":' || ${instantJson(data_inicio)}
    || ',"fim":' || ${instantJson(end)}
    || ',"ate":' || coalesce(${instantJson(ate)}, 'null')`;
};

/** The range that the rows of a general report are compared with. */
export const RangeAnterior = record("RangeAnterior", ends).openapi({
  description: "With `comparar`: the earlier range",
});

/** The schema of a report that is compared as a whole. */
export const comparableReport = <const Fields extends z.core.$ZodShape>(name: string, fields: Fields) => {
  const earlier = record(`${name}Anterior`, { ...ends, ...fields }).openapi({
    description: "With `comparar`: the same report over the earlier range, from the same snapshot",
  });
  return record(name, { ...fields, anterior: earlier.optional() });
};
