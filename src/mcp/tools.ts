import type { buildDocument } from "../docs/document.ts";

type Document = ReturnType<typeof buildDocument>;

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** A JSON Schema from the OpenAPI document. */
export type Schema = Record<string, Json>;

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
}

export interface Tool {
  path: string;
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
    annotations: { readOnlyHint: true };
  };
}

/** Lower than the route's default, because a model reads every record (M4). */
export const PER_PAGE = 10;

/** Converts a parameter: OpenAPI has `example` where JSON Schema has `examples`. */
const argumentOf = ({ name, schema: { example = null, ...schema } }: Parameter): Schema => ({
  ...schema,
  ...(name === "per_page" && { default: PER_PAGE }),
  examples: [example],
});

const definitionOf = ({
  operationId,
  summary,
  description,
  parameters = [],
}: Operation): Tool["definition"] => ({
  name: operationId,
  title: summary,
  description,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, argumentOf(parameter)])),
    required: parameters.filter((parameter) => parameter.required).map(({ name }) => name),
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
});

const getOperations = ({ paths = {} }: Document): [path: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, { get } = {}]) =>
    path.startsWith("/v1/") && get ? [[path, get as unknown as Operation]] : [],
  );

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

/** Builds one tool per `GET` route under `/v1` from the document, keyed by tool name (M2). */
export const toolsOf = (document: Document): Map<string, Tool> => {
  const replacePaths = toolNameReplacer(document);
  return new Map(
    getOperations(document).map(([path, { operationId, summary, description, parameters }]) => {
      const operationJson = JSON.stringify({ operationId, summary, description, parameters });
      return [operationId, { path, definition: definitionOf(JSON.parse(replacePaths(operationJson))) }];
    }),
  );
};
