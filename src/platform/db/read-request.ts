import type { Format } from "../../core/database.ts";
import type { ComparisonRule, InstantRange } from "../../core/periods.ts";
import type { Rights } from "../../core/rights.ts";

/** Which fields of a record are read, and how they are written. */
export interface Shape {
  /** In the schema's order; undefined for all fields (L8). */
  fields?: readonly string[] | undefined;
  /** Undefined for JSON. */
  format?: Format | undefined;
}

/** The parameters that are in a `ReadRequest`: they change the text of a statement. `periodo` becomes a range. */
export type RequestParameter = "estabelecimento_id" | "campos" | "formato" | "periodo" | "comparar";

/** What a request asks for, besides the values that a query compares with. */
export interface ReadRequest extends Shape {
  rights: Rights;
  /** When the request was made, in epoch ms: the present of ranges and due dates. */
  now: number;
  /** The unit that was asked for: `estabelecimento_id`. */
  unit?: string | undefined;
  /** Whether an assistant called the route as a tool. */
  isToolCall?: boolean | undefined;
  /** How to find the range to compare with (R10). */
  earlier?: ComparisonRule | undefined;
  /** With `earlier`: the same days in full, also beyond the data instant. */
  earlierInFull?: InstantRange | undefined;
}
