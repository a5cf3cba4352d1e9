import { z } from "@hono/zod-openapi";
import { Refusal } from "../ground/errors.ts";
import { parseInteger, parseText } from "./params.ts";

/** @param key which field of the record the id in the path is */
const noRecord = (id: string, key: string) =>
  `No record has the id ${JSON.stringify(id.slice(0, 64))}. The id in this path is the record's \`${key}\`.`;

/** A path id; text that is no id of any record answers 404 (I2). */
const pathId = <T>(key: string, parse: (text: string) => T | undefined) =>
  z.string().transform((text, context): T => {
    const id = parse(text);
    if (id !== undefined) return id;
    context.addIssue({ code: "custom", message: noRecord(text, key) });
    return z.NEVER;
  });

/** `{id}` of the resources named by their `salon_id`. */
export const salonId = (example: string) =>
  z.object({
    id: pathId("salon_id", (text) => parseText(text, 64)).openapi({
      type: "string",
      param: { name: "id", in: "path" },
      description: "The record's `salon_id`, and not its `id`",
      example,
    }),
  });

/** `{id}` of the resources named by a number. */
export const integerId = (key: "id" | "erp_id", example: number) =>
  z.object({
    id: pathId(key, (text) => parseInteger(text)).openapi({
      type: "integer",
      param: { name: "id", in: "path" },
      description: `The record's \`${key}\``,
      example,
    }),
  });

/** The record, or 404 that names the id. */
export const orNotFound = <T>(record: T | undefined, id: string | number, key: string): T => {
  if (record === undefined) throw new Refusal(404, noRecord(String(id), key));
  return record;
};
