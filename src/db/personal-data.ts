import type { z } from "zod";

const personalFields = new WeakSet<z.ZodType>();

/** Marks a field as personal: without the right to personal data, it is null, and a payload is empty (A11). */
export const personal = <Field extends z.ZodType>(field: Field): Field => {
  const marked = (field as Field & { openapi(metadata: object): Field }).openapi({ "x-personal-data": true });
  personalFields.add(marked);
  return marked;
};

export const isPersonal = (field: z.ZodType): boolean => personalFields.has(field);
