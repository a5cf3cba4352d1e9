import {
  bodyOf,
  type Document,
  getOperations,
  nameOf,
  type Operation,
  type Schema,
  schemasOf,
} from "../../api/openapi/operations.ts";
import { policyOf } from "../../core/policies.ts";

/** The operations that are tools (M2). */
export const toolOperations = (document: Document) =>
  getOperations(document, (path) => policyOf(path).isTool);

/** A schema with its references replaced by what they refer to. */
const resolve = (document: Document, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolve(document, schemasOf(document)[nameOf(schema)] ?? {});

const propertiesOf = (document: Document, schema: Schema) => resolve(document, schema).properties ?? {};

/** The fields of a list's records; none for any other operation. */
const listedRecord = (document: Document, operation: Operation): Record<string, Schema> => {
  const { items } = propertiesOf(document, bodyOf(operation)).data ?? {};
  const isList = operation.parameters?.some(({ name }) => name === "campos");
  return isList && items ? propertiesOf(document, items) : {};
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
  if (items !== undefined) return documentedColumns(document, items);
  const properties = propertiesOf(document, schema);
  // Without `anterior`, which is optional: the argument `comparar` describes it.
  if (required.join() === "data") return documentedColumns(document, properties.data ?? {});
  return required
    .map((name) => {
      const inner = documentedColumns(document, properties[name] ?? {});
      return inner === "" ? name : `${name} {${inner}}`;
    })
    .join(", ");
};

/** In characters. A body of several reports exceeds it: each of them has a tool that names its columns. */
const MAX_COLUMNS = 300;

/**
 * The columns of a report, as its tool lists them (M8); empty where arguments choose them, for lists, and where they
 * are too many: then the description says what the answer has.
 */
export const reportColumns = (document: Document, operation: Operation): string => {
  const choosesColumns = operation.parameters?.some(({ name }) => name === "medidas");
  if (!operation.tags.includes("relatorios") || choosesColumns) return "";
  const columns = documentedColumns(document, bodyOf(operation));
  return columns.length > MAX_COLUMNS ? "" : columns;
};
