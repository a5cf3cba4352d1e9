import type { Column, SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { z } from "zod";
import type { Right } from "../../../core/rights.ts";
import type { LiesAhead } from "../../../core/schema-metadata.ts";
import type { Range } from "../../../platform/db/range-sums.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import type { Earlier } from "../../../platform/db/statement.ts";

/** A length of calendar periods, as `date_trunc` names it. */
export type CalendarGrain = "day" | "week" | "month" | "quarter" | "year";

/** A table of facts, or one of those that a source unites. */
export interface Part {
  facts: PgTable;
  /** The time, or the date, of the range. */
  at: Column;
  /** Its day in Brasília. */
  day: Column;
  /** The smallest first. */
  rollups: PgTable[];
  /** The columns of the source, if its table is not `facts`: over those of `facts`, `records` and `starts_on`. */
  columns?: Record<string, Column | SQL>;
  /**
   * Selects what is read in place of `facts`, of the range and the units. Without it, or without a result, that is the
   * table. @param columns the names of those that the question needs
   */
  rows?: (context: RangeContext, columns: string[]) => SQL | undefined;
  /** Rows are of whole months: those that the range touches. They are read only if a question needs this column. */
  ofMonthsFor?: Column;
}

interface Key {
  field: z.ZodType;
  /** Over the columns of the source and `starts_on`. */
  sql: SQL | ((scope: Scope) => SQL);
}

/** What the SQL of a measure or a filter may depend on: the rights, the range that is read, and the parameters. */
export interface RangeContext {
  scope: Scope;
  range: Range | Earlier;
  /** The placeholders of the parameters that were sent. */
  placeholders: Record<string, SQL | undefined>;
  /** Those of the question, by name. */
  dimensions: string[];
  measures: string[];
  filters: string[];
}

interface Label {
  field: z.ZodType;
  /** Over a row of the answer. @param keys the key columns of the question */
  sql: (keys: string[], scope: Scope) => SQL;
}

export interface Dimension {
  /** Says what the name does not. */
  description?: string | undefined;
  keys: Record<string, Key>;
  /** Columns that are looked up by the keys. One with the name of a key is shown in its place. */
  labels?: Record<string, Label>;
  /** For a calendar dimension. */
  calendar?: CalendarGrain;
  /** For weekdays and hours, whose rows have no gaps (R22). */
  isCycle?: true;
  /** The order of its values, which is the default order of the rows. @param key the value */
  order?: (key: SQL) => SQL;
  /** Whether a label reads the map of professionals. */
  readsProfessionals?: true;
  /** Only for readers with the right to personal data (R24). */
  isPersonal?: true;
}

export interface Measure {
  /** For the document and for `explicar`. */
  description: string;
  /** Of the value, unless its type has one. */
  example?: number;
  field: z.ZodType;
  /** An aggregate over the columns of the source and `records`. */
  sql: SQL | ((context: RangeContext) => SQL);
  /** Its value without rows: a constant, or SQL over the keys of the row, which are null in the total. */
  empty: "0" | "0.00" | "null" | ((context: Pick<RangeContext, "scope" | "dimensions">) => SQL);
  /** Whether it is among `medidas` if that is not sent (R21). */
  isDefault: boolean;
  /** Returns why this question may not ask for it, or undefined. The text completes "`medidas` …". */
  error?: (question: { dimensions: string[]; filters: string[] }) => string | undefined;
  /** It needs single facts: a rollup sums several, and may subtract some. */
  readsFacts?: true;
  /** It could show which visits are of one client. Without personal data, a reader gets it for whole months (R24). */
  linksVisits?: true;
  /** It depends on goals, which are of whole months: only these are compared (B1). */
  isOfGoals?: true;
  /** It depends on visits that come so many days after the range (R26). */
  daysAhead?: number;
}

export interface Filter {
  parameter: z.ZodType;
  /** The dimension without which it cannot be sent. */
  needsDimension?: string;
  /** The measures without which it cannot be sent: it changes nothing but these. */
  needsMeasures?: string[];
  /** Whether it needs an end of a range. */
  needsRange?: true;
  /** Over the columns of the source. */
  condition?: (value: SQL, context: RangeContext) => SQL;
  /** A condition on a row of the answer in the range, over its facts. What it leaves out is in no total either. */
  having?: (value: SQL) => SQL;
}

/** What may be asked of facts. */
export interface Declarations {
  /** Names the columns of dimensions, measures and filters. */
  facts: PgTable;
  /** The parts of each value of `data`. A source without that parameter has one entry. */
  dates: Record<string, Part[]>;
  /** `estabelecimento_id`; undefined for a source that the rights of units do not limit (A11). */
  unitParameter: z.ZodType<string | undefined, string | undefined> | undefined;
  dimensions: Record<string, Dimension>;
  measures: Record<string, Measure>;
  filters: Record<string, Filter>;
  /** It is compared only once the data has passed the range: bills of coming days have no revenue yet (R27). */
  isComparedWhenOver?: true;
}

/** A list whose records are the rows of a source (R28). */
export interface RecordList {
  /** Below `/v1`, and the name of its tool. */
  path: string;
  tool: string;
  /** The filters that have the same meaning in both. */
  filters: string[];
  /** The values of `data` by which the list has ranges, too. */
  dates: string[];
  /** Whether the list has the parameter `data`. */
  hasDates?: true;
}

/** What a general report is made from. The route, the document, the tool and the CSV header follow from it (R20). */
export interface Source<Name extends string = string> extends Declarations {
  /** Its path and the name of its tool. */
  name: Name;
  summary: string;
  /** What may be added up, and what to use for something else. */
  description: string;
  /** What a row of the source is, for `explicar`. */
  row: string;
  list?: RecordList;
  /** What the range is over, at the start of a sentence. */
  range: string;
  /** Whether the dates may lie ahead (I7, R23). */
  mayLieAhead?: LiesAhead;
  /** The parameter `data`, if there is a choice of dates. */
  dateParameter?: z.ZodType<string, string | undefined>;
  needs?: Right;
}
