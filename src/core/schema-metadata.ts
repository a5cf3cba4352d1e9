import type { Column, SQL } from "drizzle-orm";
import { z } from "zod";

/** A column with values of a parameter. It leads an index, or its table is small. */
export interface ValueSource {
  value: Column;
  /** The rows of each value, if the table is a rollup: those with most rows are suggested. */
  records?: Column;
  /** Whether a reader without personal data may see the value. */
  isShown?: SQL;
  /** The name of what has the value, for messages. */
  name?: Column;
  /** The unit of a row, where a reader limited to units may read only theirs (A11). */
  unit?: Column;
}

/** Whether the dates of a range may lie ahead: always, never, or with this value of the parameter `data`. */
export type LiesAhead = boolean | { data: string };

/** What the code knows about a schema besides its type. */
interface SchemaMetadata {
  /** A body whose `data` are rows, so it is also served as CSV (X1). */
  isTable?: true;
  /** A field or a filter that needs the right to personal data (A11). */
  isPersonal?: true;
  /** A personal field or filter that is not recorded: an answer with no other one is no access (A15). */
  isUnrecorded?: true;
  /** A filter by client id. The access log stores its value (A15). */
  isClienteId?: true;
  /** Where the values of a parameter occur, so that one that exists nowhere is a 400 (I8). */
  sources?: ValueSource[];
  /** What a message says instead of the values that exist, where these are of people. */
  howToFind?: string;
  /** A parameter that is unknown to the route unless `tudo=true` (X2). */
  isForWholeLists?: true;
  /** Of `periodo`: if dates may lie ahead, it is not cut at today (I7), and `comparar` keeps its end (R23). */
  mayLieAhead?: LiesAhead;
}

// zod would replace parts of a more exact type.
const registry = z.registry<object>();

/** Adds metadata to a schema. A schema made from it, as by `.optional()`, does not have it. */
export const withMetadata = <Of extends z.ZodType>(schema: Of, metadata: SchemaMetadata): Of => {
  registry.add(schema, { ...registry.get(schema), ...metadata });
  return schema;
};

export const metadataOf = (schema: z.core.$ZodType | undefined): SchemaMetadata =>
  (schema && registry.get(schema)) ?? {};
