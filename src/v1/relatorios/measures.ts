import { sql } from "drizzle-orm";

export const TOTALS = ["records", "total"];

/** Adds up the partial counts of `partialSums`. */
export const recordCount = sql`coalesce(sum(records), 0)`;

/** Rounds only the final sum (V1). */
export const totalInReais = sql`round(coalesce(sum(total), 0), 2)`;

export const sendStatus = {
  enviadas_erp: sql`coalesce(sum(records) filter (where sent_to_erp), 0)`,
  pendentes_erp: sql`coalesce(sum(records) filter (where not sent_to_erp), 0)`,
};
