import { z } from "@hono/zod-openapi";
import { integer } from "../../../platform/http/params.ts";
import { record } from "../fields.ts";

export const reportOf = <const Row extends z.ZodType>(name: string, row: Row) =>
  record(name, { data: z.array(row) });
export const count = (description: string, example: number) => z.int().openapi({ description, example });
export const amount = (description: string, example: number) => z.number().openapi({ description, example });

/** The parameter `limite`, for rows in the order of `valor_total`. */
export const rowLimit = (max: number, example: number) =>
  integer({ min: 1, max, example, description: "Maximum rows, highest `valor_total` first. Default: all." });
