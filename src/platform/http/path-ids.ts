import { z } from "@hono/zod-openapi";
import { recordNotFound } from "../../core/errors.ts";
import { parseIntegerId, parseText } from "./params.ts";

/** The path parameter `{id}`. An id that no record can have is a 404 (I2). */
const pathId = (
  key: string,
  parse: (text: string) => string | undefined,
  metadata: { type: "string" | "integer"; description: string; example: string | number },
) => {
  const id = z.string().transform((text): string => {
    const value = parse(text);
    if (value === undefined) throw recordNotFound(text, key);
    return value;
  });
  return z.object({ id: id.openapi({ param: { name: "id", in: "path" }, ...metadata }) });
};

export const salonId = (example: string) =>
  pathId("salon_id", (text) => parseText(text, 64), {
    type: "string",
    description: "The record's `salon_id`, not its `id`.",
    example,
  });

export const integerId = (key: "id" | "erp_id", example: number) =>
  pathId(key, parseIntegerId, {
    type: "integer",
    description: `The record's \`${key}\`.`,
    example,
  });
