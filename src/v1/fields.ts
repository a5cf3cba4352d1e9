import { z } from "@hono/zod-openapi";

/** Reais as numeric text with two decimals (V1). */
export const reais = (example = "123.40") =>
  z.string().openapi({ description: "Reais, numeric text with two decimals", example });

/** A point in time: UTC with its offset (V3). */
export const instant = (example = "2026-11-21T12:00:00+00:00") =>
  z.iso.datetime({ offset: true }).openapi({ example });

/** When a record was last synchronised. */
export const synced = () =>
  instant().openapi({
    description:
      "When the workers last fetched this record from the system it comes from, not when anything happened to it. " +
      "How fresh the data is as a whole: GET /v1/frescor",
  });

/** A calendar date (V3). */
export const day = (example = "2026-11-30") => z.iso.date().openapi({ example });

/** A payload as the source system returned it, digit for digit (V2). */
export const payload = (description: string, example: Record<string, unknown>) =>
  z.looseObject({}).openapi({ description, example });
