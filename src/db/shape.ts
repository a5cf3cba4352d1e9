import type { Format } from "../core/database.ts";

/** Which fields of a record are read, and how they are written. */
export interface Shape {
  /** In the schema's order; undefined for all fields (L8). */
  fields?: readonly string[] | undefined;
  /** Undefined for JSON. */
  format?: Format | undefined;
}
