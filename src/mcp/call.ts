import { type Context, Hono } from "hono";
import type { AppEnv } from "../ground/context.ts";
import { ID_IN_PATH } from "../ground/errors.ts";
import { onError } from "../http/errors.ts";
import { IN_URL } from "../http/params.ts";
import { aboutUnknown } from "../http/prefer.ts";
import { PER_PAGE, type Schema, type Tool } from "./tools.ts";

/** What a model gets of a call: an answer, or what to do differently. */
interface Outcome {
  text: string;
  isError: boolean;
}

type Arguments = Record<string, unknown>;

/** The request that brought a call, by the request its route is asked with. */
const outers = new WeakMap<Request, Context<AppEnv>>();

/**
 * The very routes for a request that has been let in: they take over its caller, its database and its deadline, and it is
 * told of what was thrown. Nothing is asked, counted or logged a second time (M3).
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

/** An argument as a URL would have it: numbers and flags may be given as what they are, or as text. */
const asText = (value: unknown): string | undefined =>
  /^(string|number|boolean)$/.test(typeof value) ? String(value) : undefined;

/** A number JSON may have rounded on its way: as text it would be another one than was sent. */
const isRounded = (value: unknown, { type }: Schema): boolean =>
  typeof value === "number" && (Number.isInteger(value) ? !Number.isSafeInteger(value) : type === "string");

/** What is wrong with one argument's kind, as a sentence without its name; undefined if nothing is. */
const aboutKind = (value: unknown, schema: Schema, isRequired: boolean): string | undefined => {
  if (asText(value) === undefined)
    return `must be text, a number, true or false${isRequired ? "" : "; leave it out to say nothing of it"}.`;
  if (typeof value === "string" && !value.isWellFormed())
    return "contains a lone surrogate: send valid Unicode text.";
  return isRounded(value, schema)
    ? "is a number that does not arrive digit for digit: give it as text."
    : undefined;
};

/** What is wrong with the arguments before any route has looked at them, a sentence each (M2). */
const mistakesIn = (given: Arguments, { listed: { inputSchema } }: Tool): string[] => {
  const known = Object.keys(inputSchema.properties);
  const names = Object.keys(given);
  const odd = Object.entries(inputSchema.properties).flatMap(([name, schema]) => {
    const wrong = names.includes(name) && aboutKind(given[name], schema, inputSchema.required.includes(name));
    return wrong ? [`\`${name}\` ${wrong}`] : [];
  });
  return [
    ...inputSchema.required
      .filter((name) => !names.includes(name))
      .map((name) => `\`${name}\` must be given.`),
    ...odd,
    ...aboutUnknown(
      names.filter((name) => !known.includes(name)),
      known,
      "an argument of this tool",
    ),
  ];
};

/** The route's path and query for these arguments. */
const urlOf = (path: string, given: Map<string, string>): string => {
  const inPath = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given.get(name) ?? ""));
  const inQuery = [...given].filter(([name]) => !path.includes(`{${name}}`));
  return `${inPath}?${new URLSearchParams(inQuery)}`;
};

/** Ids that would make another path of a route's, and no record has. */
const NO_ID = new Set(["", ".", ".."]);

/** A route's message for who knows neither its path nor its URL. */
const inTools = (message: string): string => message.replaceAll(IN_URL, "").replace(ID_IN_PATH, "The `id`");

const MAX_CHARACTERS = 100_000;

/** Which arguments make an answer shorter; none if it is one record (M4). */
const whatShortens = ({ listed: { inputSchema } }: Tool, given: Map<string, string>): string[] => {
  const has = (name: string) => name in inputSchema.properties;
  const size = ["per_page", "limite"].find(has);
  if (size !== undefined) return given.get(size) === "1" ? [] : [`a smaller \`${size}\``];
  return [
    ...(given.get("granularidade") === "dia" ? ["`granularidade` mes"] : []),
    ...(has("data_inicio") ? ["a later `data_inicio`"] : []),
    ...(has("data_fim") ? ["an earlier `data_fim`"] : []),
  ];
};

/** How a list by cursor goes on behind its one record. */
const wayPast = (text: string): string => {
  const { next_after_id: next } = JSON.parse(text).pagination ?? {};
  return next ? ` To go past it, ask on with \`after_id\` ${next}.` : "";
};

const tooLong = (answer: string, ways: string[]): Outcome => ({
  text:
    `The answer has ${answer.length} characters, and a tool's answer may have ${MAX_CHARACTERS}. ` +
    (ways.length > 0
      ? `Ask again with ${ways.join(" or ")}.`
      : `It is one record, and no argument makes it shorter.${wayPast(answer)}`),
  isError: true,
});

/**
 * Calls a tool: its route, asked with these arguments within the request that brought the call (M3).
 * @param routes as `inProcess` gives them
 */
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
      text: `No record has the id ${JSON.stringify(given.get("id"))}. What goes there: ${id.description}.`,
      isError: true,
    };
  // All mistakes are named at once. A `page` beside `after_id` is ignored, as everywhere, and strictness would refuse it.
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
