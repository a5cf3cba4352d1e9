import type { SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { LiesAhead } from "../../core/schema-metadata.ts";
import type { Scope } from "../../db/scope.ts";

/** A unit of the calendar, as `date_trunc` names it. */
export type CalendarUnit = "day" | "week" | "month" | "quarter" | "year";

/** What the SQL of a fact or a condition may depend on. */
export interface RowContext {
  scope: Scope;
  /** Selects the rows of the range and of the reader's units. */
  inRange: SQL | undefined;
}

type RowFact = SQL | ((context: RowContext) => SQL);

/** A table of facts, read by an index over `at`. */
export interface RowReading {
  from: PgTable;
  /** The time, or the date, of the range. */
  at: SQL;
  /** The SQL of each fact: the columns of the table, `starts_on`, and what is no column. */
  facts: Record<string, RowFact>;
}

/** A fact of a rollup: the column of that name, or an expression and the columns that it needs. */
type RollupFact = true | { sql: SQL; columns: string[] };

export interface RollupReading {
  rollup: PgTable;
  facts: Record<string, RollupFact>;
  /** Conditions that select a part of the rollup. */
  only?: Record<string, SQL>;
  /** Reads the sums of single days, so that a fact may use `starts_on`. */
  byDay?: boolean;
}

/**
 * Rows of a small table, by the month that they belong to. They are read only if a measure needs the fact
 * `onlyFor`.
 */
export interface MonthReading {
  onlyFor: string;
  months: PgTable;
  month: SQL;
  facts: Record<string, SQL>;
}

export type Reading = RollupReading | RowReading | MonthReading;

/** Readings that together have each row of the source once. */
export type Plan = Reading[];

/** The plans of one value of `data`. A source without that parameter has one entry. */
export interface Dates {
  /** The smallest first. The planner takes the first one that has all facts of a question. */
  plans: Plan[];
  /** The range filters a `date` column. */
  isDateColumn: boolean;
}

interface Key {
  field: z.ZodType;
  /** Over the facts. */
  sql: SQL | ((scope: Scope) => SQL);
}

interface Label {
  field: z.ZodType;
  /** Over a row of the answer. @param keys the key columns of the question */
  sql: (keys: string[], scope: Scope) => SQL;
}

export interface Dimension {
  /** Says what the name does not. */
  description?: string | undefined;
  facts: string[];
  keys: Record<string, Key>;
  /** Columns that are looked up by the keys. One with the name of a key is shown in its place. */
  labels?: Record<string, Label>;
  /** For a calendar dimension. */
  calendar?: CalendarUnit;
  /** For weekdays and hours, whose rows have no gaps (R22). */
  isCycle?: true;
  /** Whether a label reads the map of professionals. */
  readsProfessionals?: true;
  /** Only for readers with the right to personal data (R24). */
  isPersonal?: true;
}

export interface Measure {
  /** Its description is in the document, too. */
  field: z.ZodType;
  /** An aggregate over the facts. */
  sql: SQL;
  facts: string[];
  /** Its value without rows. */
  empty: "0" | "0.00" | "null";
  /** Whether it is among `medidas` if that is not sent (R21). */
  isDefault: boolean;
  /** Returns why this question may not ask for it, or undefined. The text completes "`medidas` …". */
  error?: (question: { dimensions: string[]; filters: string[] }) => string | undefined;
  /** It could show which visits are of one client. Without personal data, a reader gets it for whole months (R24). */
  linksVisits?: true;
  /** It depends on goals, which are of whole months: only these are compared (B1). */
  isOfGoals?: true;
}

export interface Filter {
  parameter: z.ZodType;
  facts: string[];
  /** The dimension without which it cannot be sent. */
  needs?: string;
  /** @param column the SQL of a fact */
  condition?: (value: SQL, column: (fact: string) => SQL, scope: Scope) => SQL;
  /** A condition on a row of the answer in the range, over its facts. What it leaves out is in no total either. */
  having?: (value: SQL) => SQL;
}

/** What a general report is made from. The route, the document, the tool and the CSV header follow from it (R20). */
export interface Source<Name extends string = string> {
  /** Its path and the name of its tool. */
  name: Name;
  summary: string;
  /** What a row of the source is, and what may be added up. */
  description: string;
  /** What the range is over, at the start of a sentence. */
  range: string;
  /** Whether the dates may lie ahead (I7, R23). */
  mayLieAhead?: LiesAhead;
  dates: Record<string, Dates>;
  /** The parameter `data`, if there is a choice of dates. */
  dataParameter?: z.ZodType<string, string | undefined>;
  /** `estabelecimento_id`; undefined for a source that the rights of units do not limit (A11). */
  unitParameter: z.ZodType<string | undefined, string | undefined> | undefined;
  dimensions: Record<string, Dimension>;
  measures: Record<string, Measure>;
  filters: Record<string, Filter>;
  needs?: "payments";
}
