import { type Column, type SQL, sql } from "drizzle-orm";

/** An exact number as the text Postgres holds: money keeps its two decimals (V1). */
export const asText = (column: Column): SQL => sql`${column}::text`;

/** A sum of reais, exact until it is rounded to two decimals at the very end (V1). */
export const roundedSum = (column: Column | SQL): SQL => sql`round(coalesce(sum(${column}), 0), 2)`;
