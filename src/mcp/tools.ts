import type { buildDocument } from "../docs/document.ts";

type Document = ReturnType<typeof buildDocument>;

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** A schema of JSON, as the document has it. */
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
  /** Of its route. */
  path: string;
  /** As the protocol lists it. */
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

/** How many records a page has if nobody says: a model reads every one of them (M4). */
export const PER_PAGE = 10;

/** A parameter as an argument: its example where JSON Schema has it. */
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

/** The routes that read data, by path. */
const readsOf = ({ paths = {} }: Document): [path: string, read: Operation][] =>
  Object.entries(paths).flatMap(([path, { get } = {}]) =>
    path.startsWith("/v1/") && get ? [[path, get as unknown as Operation]] : [],
  );

/** Text about routes as text about tools: who has tools knows no paths. Reports go by the last part of theirs too. */
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

/** One tool for each route that reads data, made of what the document says of it, by its name (M2). */
export const toolsOf = (document: Document): Map<string, Tool> => {
  const inWords = wordsOf(document);
  return new Map(
    readsOf(document).map(([path, { operationId, summary, description, parameters }]) => {
      const said = JSON.stringify({ operationId, summary, description, parameters });
      return [operationId, { path, listed: listedOf(JSON.parse(inWords(said))) }];
    }),
  );
};
