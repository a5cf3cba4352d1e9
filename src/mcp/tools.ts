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
  /** Its entry in `tools/list`. */
  listed: {
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

const listedOf = ({ operationId, summary, description, parameters = [] }: Operation): Tool["listed"] => ({
  name: operationId,
  title: summary,
  description,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(parameters.map((one) => [one.name, argumentOf(one)])),
    required: parameters.filter((one) => one.required).map(({ name }) => name),
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
});

const readsOf = ({ paths = {} }: Document): [path: string, read: Operation][] =>
  Object.entries(paths).flatMap(([path, { get } = {}]) =>
    path.startsWith("/v1/") && get ? [[path, get as unknown as Operation]] : [],
  );

/** Replaces paths of routes and names of reports with tool names: MCP clients do not know the paths (M2). */
export const wordsOf = (document: Document) => {
  const names = new Map(
    readsOf(document).flatMap(([path, { operationId }]) => [
      [path, operationId],
      [path.replace("/v1/relatorios/", ""), operationId],
    ]),
  );
  return (text: string): string =>
    text.replace(
      /(?:GET )?(\/v1\/[\w/{}-]+|[a-z]+(?:-[a-z]+)+)/g,
      (whole, path: string) => names.get(path) ?? whole,
    );
};

/** Builds one tool per `GET` route under `/v1` from the document, keyed by tool name (M2). */
export const toolsOf = (document: Document): Map<string, Tool> => {
  const inWords = wordsOf(document);
  return new Map(
    readsOf(document).map(([path, { operationId, summary, description, parameters }]) => {
      const said = JSON.stringify({ operationId, summary, description, parameters });
      return [operationId, { path, listed: listedOf(JSON.parse(inWords(said))) }];
    }),
  );
};
