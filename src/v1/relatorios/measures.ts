import { sql } from "drizzle-orm";

/** What `granularidade` may be, as the sums know it. */
export const PERIODS = { dia: "day", mes: "month" } as const;
export type Granularity = keyof typeof PERIODS;

/** What is added up of visits. */
export const TOTALS = ["records", "total"];

/** How many there are, of rows that `partialSums` gives. */
export const recordCount = sql`coalesce(sum(records), 0)`;

/** Reais, exact until they are rounded to two decimals at the very end (V1). */
export const totalInReais = sql`round(coalesce(sum(total), 0), 2)`;

/** How many visits were sent to the ERP, and how many were not. */
export const sendStatus = {
  enviadas_erp: sql`coalesce(sum(records) filter (where sent_to_erp), 0)`,
  pendentes_erp: sql`coalesce(sum(records) filter (where not sent_to_erp), 0)`,
};
