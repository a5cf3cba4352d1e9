import type { buildDocument } from "../docs/document.ts";

type Document = ReturnType<typeof buildDocument>;

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** A JSON Schema from the OpenAPI document. */
export type Schema = Record<string, Json>;

/** Tools only read, and only from the warehouse (M8). */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;

interface Parameter {
  name: string;
  required?: boolean;
  schema: Schema;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: Parameter[];
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

export interface Tool {
  path: string;
  /** Arguments that a call has if it does not set them (M4). */
  defaults: Record<string, string | number>;
  definition: {
    name: string;
    title: string;
    description: string;
    inputSchema: {
      type: "object";
      properties: Record<string, Schema>;
      required: string[];
      additionalProperties: false;
    };
    annotations: typeof ANNOTATIONS;
  };
}

/** Lower than the route's default, because a model reads every record (M4). */
const PER_PAGE = 10;

/** The result of a tool is always JSON (X1). */
const OMITTED_PARAMETERS = new Set(["formato"]);

/** Arguments of several tools, each with the description that most of them have, and an example. */
type SharedArguments = Map<string, { description: string; example: Json }>;

/**
 * Converts a parameter: OpenAPI has `example` where JSON Schema has `examples`. Omits what the instructions say.
 */
const argumentOf = (
  { name, schema: { example = null, description = "", pattern, ...schema } }: Parameter,
  shared: SharedArguments,
): Schema => ({
  ...schema,
  ...(name === "per_page" && { default: PER_PAGE }),
  ...(description !== shared.get(name)?.description && {
    ...(pattern !== undefined && { pattern }),
    description,
    examples: [example],
  }),
});

type ToolText = Required<Omit<Operation, "responses">>;

const definitionOf = (
  { operationId, summary, description, parameters }: ToolText,
  shared: SharedArguments,
): Tool["definition"] => ({
  name: operationId,
  title: summary,
  description,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      parameters.map((parameter) => [parameter.name, argumentOf(parameter, shared)]),
    ),
    required: parameters.filter((parameter) => parameter.required).map(({ name }) => name),
    additionalProperties: false,
  },
  annotations: ANNOTATIONS,
});

/** A model keeps no copy, so the change feeds are no tools (M2). */
const isToolPath = (path: string) => path.startsWith("/v1/") && !path.startsWith("/v1/alteracoes/");

const getOperations = ({ paths = {} }: Document): [path: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, { get } = {}]) =>
    isToolPath(path) && get ? [[path, get as unknown as Operation]] : [],
  );

/** The names of the fields of a list's records; empty for any other operation. */
const recordFields = ({ components }: Document, { responses }: Operation): string[] => {
  const resolve = ({ $ref, ...schema }: Schema): Schema =>
    typeof $ref === "string"
      ? resolve((components?.schemas?.[$ref.split("/").at(-1) ?? ""] ?? {}) as Schema)
      : schema;
  const { properties } = resolve(responses["200"]?.content?.["application/json"]?.schema ?? {});
  const { data, pagination } = (properties ?? {}) as Record<string, Schema>;
  if (pagination === undefined) return [];
  return Object.keys(resolve((data?.items ?? {}) as Schema).properties ?? {});
};

/** A list leaves out payloads: they are most of its text, and rarely needed (M4). */
const defaultsOf = (fields: string[]): Tool["defaults"] => {
  const withoutPayload = fields.filter((name) => name !== "raw_data");
  return {
    ...(fields.length > 0 && { per_page: PER_PAGE }),
    ...(withoutPayload.length < fields.length && { campos: withoutPayload.join(",") }),
  };
};

/** Returns a function that replaces paths and report names by tool names: MCP clients know no paths (M2). */
export const toolNameReplacer = (document: Document) => {
  const names = new Map(
    getOperations(document).flatMap(([path, { operationId }]) => [
      [path, operationId],
      [path.replace("/v1/relatorios/", ""), operationId],
    ]),
  );
  return (text: string): string =>
    text.replace(
      /(?:GET )?(\/v1\/[\w/{}-]+|[a-z]+(?:-[a-z]+)+)/g,
      (match, path: string) => names.get(path) ?? match,
    );
};

const MIN_SHARED = 3;

/** The most frequent description of each argument that several tools have (M2). */
const sharedArgumentsOf = (tools: ToolText[]): SharedArguments => {
  const all = tools.flatMap(({ parameters }) =>
    parameters.map(({ name, schema: { description = "", example = null } }) => ({
      name,
      description: String(description),
      example,
    })),
  );
  const counts = new Map<string, number>();
  const keyOf = (one: (typeof all)[number]) => `${one.name} ${one.description}`;
  const countOf = (one: (typeof all)[number]) => counts.get(keyOf(one)) ?? 0;
  for (const one of all) counts.set(keyOf(one), countOf(one) + 1);
  const frequent = all.filter((one) => countOf(one) >= MIN_SHARED);
  // The last one of a name wins.
  const ascending = frequent.toSorted((a, b) => countOf(a) - countOf(b));
  return new Map(ascending.map(({ name, ...rest }) => [name, rest]));
};

/** The texts of a tool. A list names its fields for `campos`, because a tool has no schema of its result. */
const textOf = (
  { operationId, summary, description, parameters = [] }: Operation,
  fields: string[],
): ToolText => ({
  operationId,
  summary,
  description: fields.length > 0 ? `${description} Fields: ${fields.join(", ")}.` : description,
  parameters: parameters.filter(({ name }) => !OMITTED_PARAMETERS.has(name)),
});

/**
 * Builds one tool per `GET` route under `/v1`, except the change feeds, keyed by tool name (M2).
 * @returns also the part of the instructions about arguments that several tools share
 */
export const toolsOf = (document: Document) => {
  const replacePaths = toolNameReplacer(document);
  const all = getOperations(document).map(([path, operation]) => {
    const fields = recordFields(document, operation);
    const text: ToolText = JSON.parse(replacePaths(JSON.stringify(textOf(operation, fields))));
    return { path, text, defaults: defaultsOf(fields) };
  });
  const shared = sharedArgumentsOf(all.map(({ text }) => text));
  const tools = all.map(({ path, text, defaults }): [string, Tool] => [
    text.operationId,
    { path, definition: definitionOf(text, shared), defaults },
  ]);
  const lines = [...shared].map(
    // The fields of `campos` depend on the tool.
    ([name, { description, example }]) =>
      `- ${name}: ${description}${name === "campos" ? "" : ` Example: ${example}`}`,
  );
  const sharedArguments = `## Arguments without a description\n\n${lines.join("\n")}\n`;
  return { tools: new Map(tools), sharedArguments };
};
