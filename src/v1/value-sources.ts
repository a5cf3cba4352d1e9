import type { Column } from "drizzle-orm";
import type { z } from "zod";

/** A column with values of a parameter. It leads an index, or its table is small. */
export interface ValueSource {
  value: Column;
  /** The name of what has the value, for messages. */
  name?: Column;
  /** The unit of a row, where a reader limited to units may read only theirs (A11). */
  unit?: Column;
}

const registry = new WeakMap<z.ZodType, ValueSource[]>();

/** Declares where the values of a parameter occur, so that one that exists nowhere is a 400 (I8). */
export const withSources = <Parameter extends z.ZodType>(
  parameter: Parameter,
  ...sources: ValueSource[]
): Parameter => {
  registry.set(parameter, sources);
  return parameter;
};

export const sourcesOf = (filters: Record<string, z.ZodType>): [name: string, sources: ValueSource[]][] =>
  Object.entries(filters).flatMap(([name, parameter]) => {
    const sources = registry.get(parameter);
    return sources ? [[name, sources]] : [];
  });
