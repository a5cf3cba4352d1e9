import type { buildDocument } from "../../api/openapi/document.ts";
import { policyOf } from "../../core/policies.ts";
import type { Right } from "../../core/rights.ts";

export type Document = ReturnType<typeof buildDocument>;

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** A JSON Schema from the OpenAPI document. */
export type Schema = Record<string, Json>;

export interface Parameter {
  name: string;
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Parameter[];
  /** The right that it needs (A11). */
  "x-required-right"?: Right;
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

export const getOperations = ({ paths = {} }: Document): [path: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, { get } = {}]) =>
    policyOf(path).isTool && get ? [[path, get as unknown as Operation]] : [],
  );

/** A schema with its references replaced by what they refer to. */
const resolve = (document: Document, { $ref, ...schema }: Schema): Schema => {
  const schemas = document.components?.schemas as Record<string, Schema> | undefined;
  return typeof $ref === "string" ? resolve(document, schemas?.[$ref.split("/").at(-1) ?? ""] ?? {}) : schema;
};

const propertiesOf = (document: Document, schema: Schema) =>
  (resolve(document, schema).properties ?? {}) as Record<string, Schema>;

const bodyOf = ({ responses }: Operation): Schema =>
  responses["200"]?.content?.["application/json"]?.schema ?? {};

/** The fields of a list's records; none for any other operation. */
const listedRecord = (document: Document, operation: Operation): Record<string, Schema> => {
  const { data } = propertiesOf(document, bodyOf(operation));
  const isList = operation.parameters?.some(({ name }) => name === "campos") && data?.items !== undefined;
  return isList ? propertiesOf(document, data.items as Schema) : {};
};

/** The names of the fields of a list's records; empty for any other operation. */
export const recordFields = (document: Document, operation: Operation): string[] =>
  Object.keys(listedRecord(document, operation));

/** The names of fields of a list's records, or of a single record, that are personal in this way (A11). */
export const hiddenFields = (document: Document, operation: Operation, how: true | "shortened"): string[] =>
  Object.entries({
    ...propertiesOf(document, bodyOf(operation)),
    ...listedRecord(document, operation),
  }).flatMap(([name, schema]) => (resolve(document, schema)["x-personal-data"] === how ? [name] : []));

/** The names in a body, with those of an inner object in braces. A body of rows has the names of its rows. */
const documentedColumns = (document: Document, schema: Schema): string => {
  const { items, required = [] } = resolve(document, schema);
  if (items !== undefined) return documentedColumns(document, items as Schema);
  const properties = propertiesOf(document, schema);
  // Without `anterior`, which is optional: the argument `comparar` describes it.
  const names = required as string[];
  if (names.join() === "data") return documentedColumns(document, properties.data ?? {});
  return names
    .map((name) => {
      const inner = documentedColumns(document, properties[name] ?? {});
      return inner === "" ? name : `${name} {${inner}}`;
    })
    .join(", ");
};

/** In characters. A body of several reports would exceed it: each of them has a tool that names its columns. */
const MAX_COLUMNS = 300;

/** The columns of a report, as its tool lists them (M8); empty where arguments choose them, and for lists. */
export const reportColumns = (document: Document, operation: Operation): string => {
  const choosesColumns = operation.parameters?.some(({ name }) => name === "medidas");
  if (!operation.tags.includes("relatorios") || choosesColumns) return "";
  const body = bodyOf(operation);
  const columns = documentedColumns(document, body);
  return columns.length > MAX_COLUMNS ? Object.keys(propertiesOf(document, body)).join(", ") : columns;
};
