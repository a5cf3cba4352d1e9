import type { RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { protectedGet } from "../auth/bearer.ts";
import type { AppEnv } from "../core/context.ts";
import type { Db, JsonText } from "../core/database.ts";
import type { RefusalStatus } from "../core/errors.ts";
import { type json, jsonText } from "../http/responses.ts";

type Request = Pick<NonNullable<RouteConfig["request"]>, "query" | "params">;
type Part<R extends Request, Name extends keyof Request> = R[Name] extends z.ZodType
  ? z.output<R[Name]>
  : object;

interface Read<
  Path extends string,
  R extends Request,
  Answer extends z.ZodType,
  Extra extends RefusalStatus,
> {
  path: Path;
  request?: R;
  answer: ReturnType<typeof json<Answer>>;
  operationId: string;
  summary: string;
  description: string;
  /** Error statuses beyond those of every route. */
  refusals?: Extra[];
  read: (db: Db, parameters: Part<R, "query"> & Part<R, "params">) => Promise<JsonText<z.output<Answer>>>;
}

/**
 * Builds a `GET` route that sends the JSON body from Postgres. The route requires a token (401), validates parameters
 * (400; an invalid path id is a 404) and honours `Prefer: handling=strict`.
 */
export const readRoute = <
  const Path extends string,
  Answer extends z.ZodType,
  R extends Request = object,
  const Extra extends RefusalStatus = never,
>({
  path,
  request = {} as R,
  answer,
  refusals = [],
  read,
  ...words
}: Read<Path, R, Answer, Extra>) => ({
  route: protectedGet(path, request, answer, words, ...refusals),
  handler: async (c: Context<AppEnv>) => {
    // Hono types `valid` by the route, which is not known here.
    const valid = c.req.valid as (part: string) => object | undefined;
    const parameters = { ...valid.call(c.req, "query"), ...valid.call(c.req, "param") };
    return jsonText(c, await read(c.var.db, parameters as never));
  },
});
