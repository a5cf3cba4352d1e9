import type { z } from "zod";
import { withMetadata } from "../core/schema-metadata.ts";

/**
 * Marks a field as personal: without the right to personal data, it is null, and a payload is empty (A11).
 * @param how whether only parts of its items are left out
 */
export const personal = <Field extends z.ZodType>(field: Field, how: true | "shortened" = true): Field => {
  const documented = field as Field & { openapi(metadata: object): Field };
  return withMetadata(documented.openapi({ "x-personal-data": how }), { isPersonal: true });
};

/** Marks a text that says nothing about a client, nor the CPF of a professional. Each text of a row is marked (A11). */
export const harmless = <Field extends z.ZodType>(field: Field): Field =>
  withMetadata(field, { isHarmless: true });
