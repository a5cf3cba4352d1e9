import {
  type Document,
  getOperations,
  type Json,
  type Operation,
  type Parameter,
  recordFields,
  reportColumns,
  type Schema,
} from "./operations.ts";

/** Tools only read, and only from the warehouse (M8). */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;

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
  { name, schema: { example = null, description = "", pattern, format, "x-names": _, ...schema } }: Parameter,
  shared: SharedArguments,
): Schema => ({
  ...schema,
  // The description has the names of `x-names`. The width of a number is for generated clients (D2).
  ...(format !== undefined && !["integer", "number"].includes(String(schema.type)) && { format }),
  ...(name === "per_page" && { default: PER_PAGE }),
  ...(description !== shared.get(name)?.description && {
    ...(pattern !== undefined && { pattern }),
    description,
    examples: [example],
  }),
});

type ToolText = Required<Omit<Operation, "responses" | "tags">>;

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

/** A list leaves out payloads: they are most of its text, and rarely needed (M4). */
const defaultsOf = ({ parameters = [] }: Operation, fields: string[]): Tool["defaults"] => {
  const withoutPayload = fields.filter((name) => name !== "raw_data");
  return {
    ...(parameters.some(({ name }) => name === "per_page") && { per_page: PER_PAGE }),
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

/** The texts of a tool. They name what its result has, because a tool has no schema of it (M8). */
const textOf = (
  { operationId, summary, description, parameters = [] }: Operation,
  fields: string[],
  columns: string,
): ToolText => ({
  operationId,
  summary,
  description: [
    description,
    ...(fields.length > 0 ? [`Fields: ${fields.join(", ")}.`] : []),
    ...(columns === "" ? [] : [`Columns: ${columns}.`]),
  ].join(" "),
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
    const columns = reportColumns(document, operation);
    const text: ToolText = JSON.parse(replacePaths(JSON.stringify(textOf(operation, fields, columns))));
    return { path, text, defaults: defaultsOf(operation, fields) };
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
