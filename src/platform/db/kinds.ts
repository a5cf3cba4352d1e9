import { z } from "zod";

type Kind = "text" | "number" | "boolean" | "date" | "date-time" | "json";

/** By column, in order: how its values are written in CSV (X1). */
export type Kinds = Record<string, Kind>;

export const kindOf = (field: z.ZodType): Kind => {
  if (field instanceof z.ZodNullable || field instanceof z.ZodOptional)
    return kindOf(field.unwrap() as z.ZodType);
  if (field instanceof z.ZodNumber) return "number";
  if (field instanceof z.ZodBoolean) return "boolean";
  if (field instanceof z.ZodISODate) return "date";
  if (field instanceof z.ZodISODateTime) return "date-time";
  return field instanceof z.ZodString || field instanceof z.ZodEnum ? "text" : "json";
};

export const kindsOf = (row: z.ZodObject): Kinds =>
  Object.fromEntries(Object.entries(row.shape).map(([name, field]) => [name, kindOf(field as z.ZodType)]));
