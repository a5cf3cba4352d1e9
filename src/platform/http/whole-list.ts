import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { withMetadata } from "../../core/schema-metadata.ts";
import { FORMAT_TEXT } from "./csv.ts";
import { idCursor, oneOf, querySchema, trueOrFalse } from "./params.ts";

const tudo = () =>
  trueOrFalse(
    "`true`: all records that match in one response, lowest `id` first: a JSON object on each line " +
      "(`application/x-ndjson`), or CSV. Each line has its `id`, last unless it is among the fields. If the " +
      "connection breaks off, drop an unfinished last line and send the last `id` as `after_id`.",
  );

const formato = () => oneOf(["csv", "excel", "ndjson"], `${FORMAT_TEXT} \`ndjson\`: for \`tudo=true\`.`);

const cursor = idCursor("With `tudo=true`: records with a greater `id`.").optional();

/** The cursor of a list that has none without `tudo`: there, any value is that of an unknown parameter (L4). */
const otherwiseUnknown = () =>
  withMetadata(
    z.unknown().optional().openapi({
      type: "integer",
      minimum: 0,
      example: 0,
      description: "With `tudo=true`: records with a greater `id`.",
      "x-only-with": "tudo",
    }),
    { isForWholeLists: true },
  );

/** Adds the parameters that read a whole list (X2). */
export const withWholeList = <R extends { query?: unknown }>(request: R): R => {
  const query = (request.query ?? querySchema({})) as z.ZodObject;
  const parameters = { formato: formato().optional(), tudo: tudo().optional() };
  if ("after_id" in query.shape) return { ...request, query: query.safeExtend(parameters) };
  const issueOf = (q: Record<string, unknown>) =>
    q.tudo === true ? cursor.safeParse(q.after_id).error?.issues[0] : undefined;
  const withCursor = query
    .safeExtend({ ...parameters, after_id: otherwiseUnknown() })
    .refine((q) => issueOf(q) === undefined, {
      path: ["after_id"],
      error: ({ input }) => issueOf(input as Record<string, unknown>)?.message,
      when: () => true,
    });
  return { ...request, query: withCursor };
};

/** Whether a request asks for a whole list. @param shape the query parameters of its route */
export const isWhole = (c: Context, shape: z.core.$ZodShape): boolean =>
  "tudo" in shape && String(c.req.queries("tudo")) === "true";

const NOT_WITH_WHOLE = ["page", "per_page", "ordem"];

/** What must not be combined (X2), a sentence each. */
export const wholeListErrors = (c: Context, shape: z.core.$ZodShape): string[] => {
  if (isWhole(c, shape))
    return NOT_WITH_WHOLE.filter((name) => c.req.query(name) !== undefined).map(
      (name) => `\`${name}\` must not be given together with \`tudo=true\`. Omit one of them.`,
    );
  return "tudo" in shape && c.req.query("formato") === "ndjson"
    ? ["`formato` must not be `ndjson` without `tudo=true`. Send that too, or omit `formato`."]
    : [];
};
