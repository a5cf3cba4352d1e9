import { type Column, type SQL, sql } from "drizzle-orm";

/** An exact number as the text Postgres holds: money keeps its two decimals (V1). */
export const asText = (column: Column): SQL => sql`${column}::text`;
