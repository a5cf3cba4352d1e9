import type { z } from "zod";
import { withMetadata } from "../../core/schema-metadata.ts";

/**
 * Marks a field as personal: without the right to personal data, it is null, and a payload is empty (A11).
 * @param how whether only parts of its items are left out
 */
export const personal = <Field extends z.ZodType>(field: Field, how: true | "shortened" = true): Field => {
  const documented = field as Field & { openapi(metadata: object): Field };
  return withMetadata(documented.openapi({ "x-personal-data": how }), { isPersonal: true });
};
