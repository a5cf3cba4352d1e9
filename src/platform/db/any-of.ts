import { type SQL, sql } from "drizzle-orm";

/** What a column equals, as the right side of `column = …`; undefined if it may have any value. */
export class AnyOf {
  readonly value: SQL | undefined;
  readonly areSeveral: boolean;
  readonly skipsIndex: boolean;

  constructor(value: SQL | undefined, { areSeveral = false, skipsIndex = false } = {}) {
    this.value = value;
    this.areSeveral = areSeveral;
    this.skipsIndex = skipsIndex;
  }
}

/** Any of the values in an array. @param values undefined if the filter was not given */
export const anyOf = (values: SQL | undefined): AnyOf | undefined =>
  values && new AnyOf(sql`any(${values}::text[])`, { areSeveral: true });
