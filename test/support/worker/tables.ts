import { type Document, operationsOf, type Schema } from "../document.ts";
import { readDocument } from "./api.ts";

type RawJson = (key: string, value: unknown, context: { source: string }) => unknown;
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (text: string) => unknown;
  isRawJSON: (value: unknown) => boolean;
};
export const isRawJson = isRawJSON;

/** Parses JSON. Its numbers keep every digit when they are written again. */
export const exactJson = (text: string): unknown =>
  (JSON.parse as (text: string, revive: RawJson) => unknown)(text, (_, value, { source }) =>
    typeof value === "number" ? rawJSON(source) : value,
  );

const resolve = ({ components }: Document, schema: Schema = {}): Schema => {
  if (schema.$ref)
    return resolve({ components } as Document, components.schemas[schema.$ref.split("/").at(-1) ?? ""]);
  return schema.anyOf?.[0] ? resolve({ components } as Document, schema.anyOf[0]) : schema;
};

/** The record that a list, a change feed or a single record returns, or the row of a report. */
const recordOf = (document: Document, schema: Schema | undefined): Schema => {
  const body = resolve(document, schema);
  const item = resolve(document, resolve(document, body.properties?.data).items);
  if (item.properties === undefined) return body;
  return item.properties.registro ? resolve(document, item.properties.registro) : item;
};

/** The schema of a record by path, for the routes that have a parameter. An id in the path is the documented example. */
export const recordsByPath = async (parameter: string): Promise<Record<string, Record<string, Schema>>> => {
  const document = await readDocument();
  const routes = operationsOf(document).filter(({ operation }) =>
    operation.parameters?.some(({ name }) => name === parameter),
  );
  return Object.fromEntries(
    routes.map(({ path, operation }) => {
      const id = operation.parameters?.find((one) => one.in === "path")?.schema.example;
      const { properties = {} } = recordOf(
        document,
        operation.responses[200]?.content?.["application/json"]?.schema,
      );
      return [path.replace(/\{\w+\}/, String(id)), properties];
    }),
  );
};
