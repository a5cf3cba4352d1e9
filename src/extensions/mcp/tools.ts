import type { Document, Operation, Parameter, Schema } from "../../api/openapi/operations.ts";
import type { Right } from "../../core/rights.ts";
import { hiddenFields, recordFields, reportColumns, toolOperations } from "./operations.ts";
import { ARGUMENT_TEXTS, TOOL_TEXTS } from "./texts.ts";

/** Tools only read, and only from the warehouse (M8). */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false } as const;

export interface Tool {
  path: string;
  /** Arguments that a call has if it does not set them (M4). */
  defaults: Record<string, string | number>;
  /** The argument that is a part of the path. */
  key: string | undefined;
  /** Arguments that are true or omitted: `false` counts as omitted (M2). */
  flags: string[];
  /** The right without which each call is refused (M7). */
  needs: Right | undefined;
  /** Fields of a record that are hidden without the right to personal data (M7). */
  hiddenFields: string[];
  /** Fields of a record whose items are then shortened (A11). */
  shortenedFields: string[];
  definition: {
    name: string;
    title: string;
    description: string;
    inputSchema: {
      type: "object";
      properties: Record<string, Schema>;
      required?: string[];
    };
    annotations: typeof ANNOTATIONS;
  };
}

/** Lower than the route's default, because a model reads every record (M4). */
const PER_PAGE = 10;

/** The result of a tool is always JSON (X1), and never a whole list (X2). */
const OMITTED_PARAMETERS = new Set(["formato", "tudo"]);

/** What an error says as well, or the schema (M2, M6). */
const LONGER = / At most one period\.|(?<=Columns), comma-separated/g;

/** Whether a parameter takes `true`, and perhaps `false`. */
const isBoolean = ({ enum: values }: Schema): boolean =>
  values?.every((value) => ["true", "false"].includes(value)) ?? false;

/** Converts a parameter to what a model needs: an error names patterns and bounds (M6). */
const argumentOf = ({ name, schema }: Parameter, tool: string): Schema => {
  const { type = "string", enum: values, description, example } = schema;
  const byDefault = name === "per_page" ? PER_PAGE : values && schema.default;
  const isFreeText = type === "string" && values === undefined && schema["x-names"] === undefined;
  return {
    ...(isBoolean(schema) ? { type: "boolean" } : { type, ...(values && { enum: values }) }),
    ...(byDefault !== undefined && { default: byDefault }),
    description:
      ARGUMENT_TEXTS[`${tool}.${name}`] ??
      ARGUMENT_TEXTS[name] ??
      `${description?.replaceAll(LONGER, "")}${isFreeText ? ` Example: ${example}` : ""}`,
  };
};

/** A list leaves out payloads: they are most of its text, and rarely needed (M4). */
const defaultsOf = ({ parameters = [] }: Operation, fields: string[]): Tool["defaults"] => {
  const withoutPayload = fields.filter((name) => name !== "raw_data");
  return {
    ...(parameters.some(({ name }) => name === "per_page") && { per_page: PER_PAGE }),
    ...(withoutPayload.length < fields.length && { campos: withoutPayload.join(",") }),
  };
};

/**
 * Returns a function that replaces references like `GET /v1/produtos` in backticks by tool names: MCP clients know no
 * paths (M2). @throws if no tool has the path
 */
const toolNameReplacer = (operations: [path: string, operation: Operation][]) => {
  const names = new Map(operations.map(([path, { operationId }]) => [path, operationId]));
  return (text: string): string =>
    text.replace(/(?<=`)GET (\/v1\/[^`?]+)/g, (_, path: string) => {
      const name = names.get(path);
      if (name === undefined) throw new Error(`no tool has the path ${path}`);
      return name;
    });
};

/** Builds one tool per `GET` route under `/v1`, except the change feeds, keyed by tool name (M2). */
export const toolsOf = (document: Document): Map<string, Tool> => {
  const operations = toolOperations(document);
  const replacePaths = toolNameReplacer(operations);
  const toolOf = (path: string, operation: Operation): Tool => {
    const fields = recordFields(document, operation);
    const columns = reportColumns(document, operation);
    const parameters = (operation.parameters ?? []).filter(
      ({ name, schema }) => !OMITTED_PARAMETERS.has(name) && schema["x-only-with"] !== "tudo",
    );
    const required = parameters.flatMap((parameter) => (parameter.required ? [parameter.name] : []));
    // The description names what the result has, because a tool has no schema of it (M8).
    const description = [
      TOOL_TEXTS[operation.operationId] ?? operation.description,
      ...(fields.length > 0 ? [`Fields: ${fields.join(", ")}.`] : []),
      ...(columns === "" ? [] : [`Columns: ${columns}.`]),
    ].join(" ");
    const argument = (parameter: Parameter) => {
      const schema = argumentOf(parameter, operation.operationId);
      return { ...schema, description: replacePaths(schema.description ?? "") };
    };
    return {
      path,
      definition: {
        name: operation.operationId,
        title: operation.summary,
        description: replacePaths(description),
        inputSchema: {
          type: "object",
          properties: Object.fromEntries(parameters.map((one) => [one.name, argument(one)])),
          ...(required.length > 0 && { required }),
        },
        annotations: ANNOTATIONS,
      },
      defaults: defaultsOf(operation, fields),
      key: parameters.find((one) => one.in === "path")?.name,
      flags: parameters.flatMap(({ name, schema }) => (schema.enum?.join() === "true" ? [name] : [])),
      needs: operation["x-required-right"],
      hiddenFields: hiddenFields(document, operation, true),
      shortenedFields: hiddenFields(document, operation, "shortened"),
    };
  };
  return new Map(
    operations.map(([path, operation]) => [operation.operationId, toolOf(path, operation)] as const),
  );
};
