export interface Schema {
  "x-only-with"?: string;
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  [keyword: string]: unknown;
}

export interface Parameter {
  name: string;
  in: "query" | "path";
  description?: string;
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: boolean;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: unknown;
  responses: Record<string, Answer>;
}

/** A response. In an operation, all but a 200 are references to `components`. */
interface Answer {
  $ref?: string;
  headers?: unknown;
  content?: Record<string, { schema: Schema; example?: unknown }>;
}

export interface Document {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Answer>;
    parameters: Record<string, Parameter>;
    headers: Record<string, unknown>;
    securitySchemes: unknown;
  };
}

/** Replaces references to shared parameters by these. Mutates and returns the document. */
export const withParameters = (document: Document): Document => {
  const { parameters } = document.components;
  for (const { operation } of operationsOf(document))
    for (const [index, one] of (operation.parameters ?? []).entries())
      if ("$ref" in one)
        Object.assign(operation.parameters ?? [], {
          [index]: parameters[`${one.$ref}`.split("/").at(-1) ?? ""],
        });
  return document;
};

/** The response of an operation, without its reference. */
export const answerOf = ({ components }: Document, { responses }: Operation, status: string): Answer => {
  const { $ref, ...answer } = responses[status] ?? {};
  return $ref === undefined ? answer : (components.responses[$ref.split("/").at(-1) ?? ""] ?? {});
};

export const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );

/** Copies a schema and disallows additional properties, unless the schema allows them explicitly. */
export const forbidExtraProperties = (schema: Schema): Schema => {
  // Drop the example: the validator would read an `id` inside it as the schema's `$id`.
  const { example: _, ...copy }: Schema = schema;
  if (copy.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([name, field]) => [name, forbidExtraProperties(field)]),
    );
    copy.additionalProperties ??= false;
  }
  if (copy.items) copy.items = forbidExtraProperties(copy.items);
  if (copy.anyOf) copy.anyOf = copy.anyOf.map(forbidExtraProperties);
  return copy;
};
