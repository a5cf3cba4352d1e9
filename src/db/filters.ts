import { and, type Column, eq, gte, lte, type SQL, sql } from "drizzle-orm";

/** `column = value`, or no condition when the filter was not given. */
export const eqIf = (column: Column, value: string | number | boolean | undefined): SQL | undefined =>
  value === undefined ? undefined : eq(column, value);

/** Both ends inclusive, either alone allowed (I3). */
export const between = (
  column: Column,
  range: { data_inicio?: string | undefined; data_fim?: string | undefined },
) =>
  and(
    range.data_inicio === undefined ? undefined : gte(column, range.data_inicio),
    range.data_fim === undefined ? undefined : lte(column, range.data_fim),
  );

/** ` where …`, or nothing. */
export const whereOf = (condition: SQL | undefined): SQL => (condition ? sql` where ${condition}` : sql``);
