import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { routePath } from "hono/route";
import { callerOf } from "../../access/auth/bearer.ts";
import type { Access, AppEnv } from "../../core/context.ts";
import { metadataOf } from "../../core/schema-metadata.ts";
import { kindOf } from "../../platform/db/kinds.ts";
import type { Shape } from "../../platform/db/read-request.ts";
import { personalFiltersOf } from "./rights-checks.ts";

type Schema = z.core.$ZodType;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && "_zod" in value;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The schemas that a schema is made of, each with its name if it is a field. */
const partsOf = ({ _zod: { def } }: Schema): [name: string | undefined, part: Schema][] =>
  Object.entries(def).flatMap(([key, value]) => {
    if (isSchema(value)) return [[undefined, value]];
    const parts = isObject(value) ? Object.entries(value).filter((entry) => isSchema(entry[1])) : [];
    return parts.map(([name, part]) => [key === "shape" ? name : undefined, part]);
  });

interface PersonalField {
  /** The names of the fields of a row that lead to it, and its own. */
  path: string[];
  /** CSV has it only if `campos` names it (X1). */
  isJson: boolean;
}

/** The personal fields in a schema (A11), wherever they are. */
const personalFieldsOf = (schema: Schema, path: string[] = []): PersonalField[] => {
  const { isPersonal, isUnrecorded } = metadataOf(schema);
  if (isPersonal) return isUnrecorded ? [] : [{ path, isJson: kindOf(schema as z.ZodType) === "json" }];
  return partsOf(schema).flatMap(([name, part]) =>
    personalFieldsOf(part, name === undefined ? path : [...path, name]),
  );
};

/** The key of the rows in a body that has more than rows. */
const ENVELOPE = "data";

const withoutEnvelope = ({ path, isJson }: PersonalField): PersonalField => ({
  path: path[0] === ENVELOPE ? path.slice(1) : path,
  isJson,
});

type Parameters = Record<string, unknown>;

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/**
 * Builds the function that returns the record of an answer (A15), or undefined if the answer has no personal data or
 * the reader has no right to them. A filter by client counts, too: every row is that client's.
 */
export const accessRecorder = (answer: z.ZodType, filters: Record<string, z.ZodType>) => {
  const personalFields = personalFieldsOf(answer).map(withoutEnvelope);
  const personalFilters = personalFiltersOf(filters).filter(
    (name) => !metadataOf(filters[name]).isUnrecorded,
  );
  const isInAnswer = ({ path, isJson }: PersonalField, { fields, format }: Shape) =>
    fields === undefined ? !(isJson && format) : path.some((name) => fields.includes(name));
  return (
    c: Context<AppEnv>,
    parameters: Parameters,
    shape: Shape,
    body?: Uint8Array,
  ): Access | undefined => {
    const sent = personalFilters.filter((name) => parameters[name] !== undefined);
    const isPersonal = sent.length > 0 || personalFields.some((field) => isInAnswer(field, shape));
    if (!isPersonal || !callerOf(c).rights.personalData) return undefined;
    const filter = sent.find((name) => metadataOf(filters[name]).isClienteId);
    return {
      route: routePath(c, -1),
      record: textOf(parameters.id),
      clienteId: filter === undefined ? undefined : textOf(parameters[filter]),
      isCsv: shape.format !== undefined,
      body,
    };
  };
};
