import type { Context } from "hono";
import type { Schema } from "../../api/openapi/operations.ts";
import type { AppEnv } from "../../core/context.ts";
import type { InProcessRoutes } from "../../platform/http/in-process.ts";
import { unknownNameErrors } from "../../platform/http/prefer.ts";
import type { Tool } from "./tools.ts";

/** The result of a tool call. If `isError`, the text tells the model what to change. */
interface ToolResult {
  text: string;
  isError: boolean;
}

type Arguments = Record<string, unknown>;

/** The argument as text for a URL; undefined for lists and objects (M2). */
const toText = (value: unknown): string | undefined =>
  /^(string|number|boolean)$/.test(typeof value) ? String(value) : undefined;

/** Whether JSON may have rounded the number: an unsafe integer, or a fraction where text is expected (M2). */
const isRounded = (value: unknown, { type }: Schema): boolean =>
  typeof value === "number" && (Number.isInteger(value) ? !Number.isSafeInteger(value) : type === "string");

/** Returns the error in the argument's type, without the argument's name; undefined if the type is valid. */
const typeError = (value: unknown, schema: Schema, isRequired: boolean): string | undefined => {
  if (toText(value) === undefined)
    return `must be a string, a number or a boolean${isRequired ? "" : ", or be omitted"}.`;
  if (typeof value === "string" && !value.isWellFormed())
    return "contains a lone surrogate. Send valid Unicode text.";
  return isRounded(value, schema)
    ? "is a number that JSON may have rounded. Send it as a string."
    : undefined;
};

/** Returns the errors in argument names and types, one sentence each (M2). The route checks the values. */
const argumentErrors = (args: Arguments, { definition: { inputSchema } }: Tool): string[] => {
  const { required = [] } = inputSchema;
  const known = Object.keys(inputSchema.properties);
  const names = Object.keys(args);
  const isOmitted = (name: string) => !names.includes(name) || args[name] === null;
  const typeErrors = Object.entries(inputSchema.properties).flatMap(([name, schema]) => {
    const error = !isOmitted(name) && typeError(args[name], schema, required.includes(name));
    return error ? [`\`${name}\` ${error}`] : [];
  });
  return [
    ...required.filter(isOmitted).map((name) => `\`${name}\` is required.`),
    ...typeErrors,
    ...unknownNameErrors(
      names.filter((name) => !known.includes(name)),
      known,
      ["an argument of this tool", "arguments"],
    ),
  ];
};

const urlOf = (path: string, values: Map<string, string>): string => {
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
  const inQuery = [...values].filter(([name]) => !path.includes(`{${name}}`));
  return `${inPath}?${new URLSearchParams(inQuery)}`;
};

/** Ids that would change the path of the URL. No record has one of them. */
const INVALID_IDS = new Set(["", ".", ".."]);

const MAX_CHARACTERS = 100_000;

/** Suggests arguments that make the response shorter; none for a single record (M4). */
const shorterArguments = (
  { definition: { inputSchema }, defaults }: Tool,
  values: Map<string, string>,
): string[] => {
  const has = (name: string) => name in inputSchema.properties;
  const hasAllFields = has("campos") && values.get("campos") === defaults.campos;
  const fewerFields = hasAllFields ? ["`campos` set to the fields that you need"] : [];
  const size = ["per_page", "limite"].find(has);
  if (size !== undefined)
    return [...fewerFields, ...(values.get(size) === "1" ? [] : [`a smaller \`${size}\``])];
  return [
    ...fewerFields,
    ...(values.get("granularidade") === "dia" ? ["`granularidade` set to `mes`"] : []),
    ...(values.has("comparar") ? ["no `comparar`"] : []),
    ...(values.has("periodo") ? ["a shorter `periodo`"] : []),
    ...(has("data_inicio") && !values.has("periodo")
      ? ["a later `data_inicio`", "an earlier `data_fim`"]
      : []),
  ];
};

/** In a cursor list, how to continue after a record that is too long (M4). `JSON.parse` would round the id (I2). */
const continuationHint = (text: string): string => {
  const [, next] = /"next_after_id":(\d+),"has_more":true\}\}$/.exec(text) ?? [];
  return next ? ` To continue after it, send \`after_id\` ${next}.` : "";
};

const tooLongResult = (body: string, suggestions: string[]): ToolResult => ({
  text:
    `The result has ${body.length} characters, but the limit is ${MAX_CHARACTERS}. ` +
    (suggestions.length > 0
      ? `Call the tool again with ${suggestions.join(" or ")}.`
      : `No argument makes it shorter.${continuationHint(body)}`),
  isError: true,
});

/** Calls the tool's route in process (M3). @param routes the result of `inProcessRoutes` */
export const callTool = async (
  c: Context<AppEnv>,
  routes: InProcessRoutes,
  tool: Tool,
  args: Arguments,
): Promise<ToolResult> => {
  const errors = argumentErrors(args, tool);
  if (errors.length > 0) return { text: errors.join(" "), isError: true };
  // Some clients send `null` for each optional argument that they omit (M8).
  const given = Object.entries(args).filter(([, value]) => value !== null);
  const values = new Map(
    [...Object.entries(tool.defaults), ...given].map(([name, value]) => [name, toText(value) ?? ""]),
  );
  const id = values.get("id");
  if ("id" in tool.definition.inputSchema.properties && INVALID_IDS.has(id ?? ""))
    return {
      text:
        `No record that you may read has the id ${JSON.stringify(id)}. ` +
        "The description of `id` names the field to send.",
      isError: true,
    };
  // Strict handling reports all errors at once, but rejects `page` together with `after_id`. A tool ignores
  // `page` in that case, so its request is lenient.
  const isStrict = !(values.has("page") && values.has("after_id"));
  const request = new Request(new URL(urlOf(tool.path, values), c.req.url), {
    headers: { Prefer: `handling=${isStrict ? "strict" : "lenient"}` },
  });
  // Nothing is authenticated, counted or logged twice (M3).
  const call = {
    variables: { ...c.var, isToolCall: true },
    onEnd: (inner: Context<AppEnv>) => {
      c.error = inner.error;
      c.set("access", inner.var.access);
      c.set("bug", inner.var.bug);
    },
  };
  const response = await routes.fetch(request, { ...c.env, call }, c.executionCtx);
  const text = await response.text();
  if (!response.ok) return { text: JSON.parse(text).message, isError: true };
  if (text.length > MAX_CHARACTERS) return tooLongResult(text, shorterArguments(tool, values));
  return { text, isError: false };
};
