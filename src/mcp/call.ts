import { type Context, Hono } from "hono";
import type { AppEnv } from "../core/context.ts";
import { ID_IN_PATH } from "../core/errors.ts";
import { onError } from "../http/errors.ts";
import { IN_URL } from "../http/params.ts";
import { aboutUnknown } from "../http/prefer.ts";
import { PER_PAGE, type Schema, type Tool } from "./tools.ts";

/** The result of a tool call. If `isError`, the text tells the model what to change. */
interface Outcome {
  text: string;
  isError: boolean;
}

type Arguments = Record<string, unknown>;

/** Maps each in-process request to the context of the MCP request that caused it. */
const outers = new WeakMap<Request, Context<AppEnv>>();

/**
 * Wraps the routes for in-process calls. They inherit the caller, database and deadline of the MCP request and report
 * errors to it, so nothing is authenticated, counted or logged twice (M3).
 */
export const inProcess = (routes: Hono<AppEnv>): Hono<AppEnv> => {
  const inner = new Hono<AppEnv>();
  inner.use(async (c, next) => {
    const outer = outers.get(c.req.raw) as Context<AppEnv>;
    for (const [name, value] of Object.entries(outer.var)) c.set(name as "bug", value);
    await next();
    outer.error = c.error;
    outer.set("bug", c.var.bug);
  });
  inner.route("/", routes);
  inner.onError(onError);
  return inner;
};

/** The argument as text for a URL; undefined for lists, objects and null (M2). */
const asText = (value: unknown): string | undefined =>
  /^(string|number|boolean)$/.test(typeof value) ? String(value) : undefined;

/** Whether JSON may have rounded the number: an unsafe integer, or a fraction where text is expected (M2). */
const isRounded = (value: unknown, { type }: Schema): boolean =>
  typeof value === "number" && (Number.isInteger(value) ? !Number.isSafeInteger(value) : type === "string");

/** Returns the error in the argument's type, without the argument's name; undefined if the type is valid. */
const aboutKind = (value: unknown, schema: Schema, isRequired: boolean): string | undefined => {
  if (asText(value) === undefined)
    return `must be a string, a number or a boolean${isRequired ? "" : ", or be omitted"}.`;
  if (typeof value === "string" && !value.isWellFormed())
    return "contains a lone surrogate. Send valid Unicode text.";
  return isRounded(value, schema)
    ? "is a number that JSON may have rounded. Send it as a string."
    : undefined;
};

/** Returns the errors that the route cannot detect, one sentence each (M2). */
const mistakesIn = (given: Arguments, { listed: { inputSchema } }: Tool): string[] => {
  const known = Object.keys(inputSchema.properties);
  const names = Object.keys(given);
  const odd = Object.entries(inputSchema.properties).flatMap(([name, schema]) => {
    const wrong = names.includes(name) && aboutKind(given[name], schema, inputSchema.required.includes(name));
    return wrong ? [`\`${name}\` ${wrong}`] : [];
  });
  return [
    ...inputSchema.required.filter((name) => !names.includes(name)).map((name) => `\`${name}\` is required.`),
    ...odd,
    ...aboutUnknown(
      names.filter((name) => !known.includes(name)),
      known,
      ["an argument of this tool", "arguments"],
    ),
  ];
};

const urlOf = (path: string, given: Map<string, string>): string => {
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given.get(name) ?? ""));
  const inQuery = [...given].filter(([name]) => !path.includes(`{${name}}`));
  return `${inPath}?${new URLSearchParams(inQuery)}`;
};

/** Ids that would change the path of the URL. No record has them. */
const NO_ID = new Set(["", ".", ".."]);

/** Adapts a route's message to a tool, which has no path and no URL. */
const inTools = (message: string): string => message.replaceAll(IN_URL, "").replace(ID_IN_PATH, "`id`");

const MAX_CHARACTERS = 100_000;

/** The arguments that make a response shorter; none for a single record (M4). */
const whatShortens = ({ listed: { inputSchema } }: Tool, given: Map<string, string>): string[] => {
  const has = (name: string) => name in inputSchema.properties;
  const size = ["per_page", "limite"].find(has);
  if (size !== undefined) return given.get(size) === "1" ? [] : [`a smaller \`${size}\``];
  return [
    ...(given.get("granularidade") === "dia" ? ["`granularidade` set to `mes`"] : []),
    ...(has("data_inicio") ? ["a later `data_inicio`"] : []),
    ...(has("data_fim") ? ["an earlier `data_fim`"] : []),
  ];
};

/** In a cursor list, how to continue after a record that is too long (M4). */
const wayPast = (text: string): string => {
  const { next_after_id: next } = JSON.parse(text).pagination ?? {};
  return next ? ` To continue after it, send \`after_id\` ${next}.` : "";
};

const tooLong = (answer: string, ways: string[]): Outcome => ({
  text:
    `The result has ${answer.length} characters, but the limit is ${MAX_CHARACTERS}. ` +
    (ways.length > 0
      ? `Call the tool again with ${ways.join(" or ")}.`
      : `It is a single record, so no argument makes it shorter.${wayPast(answer)}`),
  isError: true,
});

/** Calls the tool's route in process (M3). @param routes the result of `inProcess` */
export const call = async (
  c: Context<AppEnv>,
  routes: Hono<AppEnv>,
  tool: Tool,
  args: Arguments,
): Promise<Outcome> => {
  const mistakes = mistakesIn(args, tool);
  if (mistakes.length > 0) return { text: mistakes.join(" "), isError: true };
  const presets = "per_page" in tool.listed.inputSchema.properties ? { per_page: PER_PAGE } : {};
  const given = new Map(
    Object.entries({ ...presets, ...args }).map(([name, value]) => [name, asText(value) ?? ""]),
  );
  const { id } = tool.listed.inputSchema.properties;
  if (id !== undefined && NO_ID.has(given.get("id") ?? ""))
    return {
      text: `No record has the id ${JSON.stringify(given.get("id"))}. Expected: ${id.description}.`,
      isError: true,
    };
  // Strict handling reports all errors at once, but it rejects `page` with `after_id`. Tools ignore `page` there.
  const isStrict = !(given.has("page") && given.has("after_id"));
  const request = new Request(new URL(urlOf(tool.path, given), c.req.url), {
    headers: { Prefer: `handling=${isStrict ? "strict" : "lenient"}` },
  });
  outers.set(request, c);
  const answer = await routes.fetch(request, c.env, c.executionCtx);
  const text = await answer.text();
  if (!answer.ok) return { text: inTools(JSON.parse(text).message), isError: true };
  if (text.length > MAX_CHARACTERS) return tooLong(text, whatShortens(tool, given));
  return { text, isError: false };
};
