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

/** Arguments of names that are separated by commas. Models also send them as an array. */
const NAME_LISTS = new Set(["por", "medidas", "ordem", "campos"]);

const isOmitted = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Reads careless arguments as they were meant (M2). Some clients send `null` for what they omit (M8). */
const readArguments = (args: Arguments, { flags, definition: { inputSchema } }: Tool): Arguments => {
  const isKnown = (name: string) => Object.hasOwn(inputSchema.properties, name);
  const isLeftOut = (name: string, value: unknown) =>
    isKnown(name) && (isOmitted(value) || (flags.includes(name) && String(value) === "false"));
  const sent = Object.entries(args)
    .filter(([name, value]) => !isLeftOut(name, value))
    .map(([name, value]) => {
      const isNames = NAME_LISTS.has(name) && Array.isArray(value) && value.every((one) => toText(one));
      return [name, isNames ? value.join() : value] as const;
    });
  const { unidade, ...others } = Object.fromEntries(sent);
  if (!isKnown("estabelecimento_id") || isKnown("unidade")) return Object.fromEntries(sent);
  const { estabelecimento_id = unidade } = others;
  // Two that differ stay, so that `unidade` is an error.
  if (isOmitted(unidade)) return others;
  return toText(estabelecimento_id) === toText(unidade)
    ? { ...others, estabelecimento_id }
    : Object.fromEntries(sent);
};

/** What a part of a date is called in `periodo`. */
const PERIOD_EXAMPLES = new Map([
  ["mes", "2026-10"],
  ["ano", "2026"],
  ["dia", "2026-10-31"],
]);

/** The error for a part of a date, or a second unit, sent as an argument; undefined for other names (M2). */
const misplacedNameError = (name: string, isKnown: (name: string) => boolean): string | undefined => {
  const example = PERIOD_EXAMPLES.get(name);
  if (example !== undefined && isKnown("periodo"))
    return `\`${name}\` is not an argument of this tool. Send \`periodo\`, for example ${example}.`;
  return name === "unidade" && isKnown("estabelecimento_id")
    ? "`unidade` must not differ from `estabelecimento_id`. Omit `unidade`."
    : undefined;
};

/** Whether JSON may have rounded the number: an unsafe integer, or a fraction where text is expected (M2). */
const isRounded = (value: unknown, { type }: Schema): boolean =>
  typeof value === "number" && (Number.isInteger(value) ? !Number.isSafeInteger(value) : type === "string");

/** Returns the error in the argument's type, without the argument's name; undefined if the type is valid. */
const typeError = (value: unknown, schema: Schema, isRequired: boolean): string | undefined => {
  if (toText(value) === undefined) {
    const not = Array.isArray(value) ? ", not an array" : "";
    return `must be a string, a number or a boolean${not}${isRequired ? "" : ", or be omitted"}.`;
  }
  if (typeof value === "string" && !value.isWellFormed())
    return "contains a lone surrogate. Send valid Unicode text.";
  return isRounded(value, schema)
    ? "is a number that JSON may have rounded. Send it as a string."
    : undefined;
};

/** Returns the errors in argument names and types, one sentence each (M2). The route checks the values. */
const argumentErrors = (args: Arguments, { definition: { inputSchema } }: Tool): string[] => {
  const { properties, required = [] } = inputSchema;
  const known = Object.keys(properties);
  const isKnown = (name: string) => known.includes(name);
  const typeErrors = Object.entries(properties).flatMap(([name, schema]) => {
    const error = Object.hasOwn(args, name) && typeError(args[name], schema, required.includes(name));
    return error ? [`\`${name}\` ${error}`] : [];
  });
  const unknown = Object.keys(args).filter((name) => !isKnown(name));
  const misplaced = unknown.filter((name) => misplacedNameError(name, isKnown) !== undefined);
  return [
    ...required.filter((name) => !Object.hasOwn(args, name)).map((name) => `\`${name}\` is required.`),
    ...typeErrors,
    ...misplaced.flatMap((name) => misplacedNameError(name, isKnown) ?? []),
    ...unknownNameErrors(
      unknown.filter((name) => !misplaced.includes(name)),
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
  // A series has all its periods, and `limite` would cut the rest.
  const isByDay = /\b(dia|semana)\b/.test(values.get("por") ?? "");
  const longerPeriods = isByDay ? ["`mes` in `por`", "a shorter range"] : [];
  if (size !== undefined) {
    const smaller = values.get(size) === "1" ? [] : [`a smaller \`${size}\``];
    return [...fewerFields, ...longerPeriods, ...smaller];
  }
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
  sent: Arguments,
): Promise<ToolResult> => {
  const args = readArguments(sent, tool);
  const errors = argumentErrors(args, tool);
  if (errors.length > 0) return { text: errors.join(" "), isError: true };
  const values = new Map(
    Object.entries({ ...tool.defaults, ...args }).map(([name, value]) => [name, toText(value) ?? ""]),
  );
  const { key } = tool;
  const id = key && values.get(key);
  if (key !== undefined && INVALID_IDS.has(id ?? ""))
    return {
      text:
        `No record that you may read has the ${key} ${JSON.stringify(id)}. ` +
        `The description of \`${key}\` names what to send.`,
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
