import { z } from "@hono/zod-openapi";

/** An object schema that is a named component of the OpenAPI document. */
export const record = <const Fields extends z.core.$ZodShape>(name: string, fields: Fields) =>
  z.object(fields).openapi(name);

const metadata = (example: unknown, description?: string) => ({
  ...(description !== undefined && { description }),
  example,
});

export const string = (example: string | null, description?: string) =>
  z.string().openapi(metadata(example, description));

export const int = (example: number, description?: string) => z.int().openapi(metadata(example, description));

export const boolean = (example: boolean, description?: string) =>
  z.boolean().openapi(metadata(example, description));

export const reais = (example = "123.40", description = "Amount in reais, as text with two decimals") =>
  string(example, description);

/** A date-time in UTC, with its offset (V3). */
export const instant = (example = "2026-11-21T12:00:00+00:00") =>
  z.iso.datetime({ offset: true }).openapi({ example });

export const syncedAt = () =>
  instant().openapi({
    description:
      "When a job last fetched this record from its source system, not when the record last changed. For the " +
      "freshness of all data, see `GET /v1/frescor`",
  });

export const day = (example = "2026-11-30") => z.iso.date().openapi({ example });

/** Completes the description of source data (V2). @param other what the value may be beside the documented type */
export const irregular = (other: string) =>
  `Irregular data of the source passes through unchanged, so the value may also be ${other}`;

/** A payload of a source system. Its numbers keep every digit (V2). */
export const payload = (description: string, example: Record<string, unknown>) =>
  z
    .looseObject({})
    .openapi({ description: `${description}. ${irregular("an array, text or a number")}`, example });
