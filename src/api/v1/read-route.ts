import type { RouteConfig, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { callerOf, protectedGet } from "../../access/auth/bearer.ts";
import { type AppEnv, WATCH_USER } from "../../core/context.ts";
import type { Db, Format, JsonText, SentText } from "../../core/database.ts";
import { Refusal, type RefusalStatus } from "../../core/errors.ts";
import type { Right } from "../../core/rights.ts";
import { metadataOf } from "../../core/schema-metadata.ts";
import { firstPart, type ReadPart } from "../../platform/db/parts.ts";
import type { ReadRequest, RequestParameter } from "../../platform/db/read-request.ts";
import { withTurns } from "../../platform/db/turns.ts";
import { formatOf, sendTable, withFormat } from "../../platform/http/csv.ts";
import { isStrict } from "../../platform/http/prefer.ts";
import { cutOf, type RangeParameters, resolveRanges } from "../../platform/http/ranges.ts";
import { type jsonResponse, sendFinishedText } from "../../platform/http/responses.ts";
import { isWhole, wholeListErrors, withWholeList } from "../../platform/http/whole-list.ts";
import { accessRecorder } from "./access-record.ts";
import { assertFits } from "./body-limit.ts";
import { existenceCheck } from "./existing-values.ts";
import { queryParametersOf, rightsChecks } from "./rights-checks.ts";
import { sendWholeList } from "./whole-list-stream.ts";

type Request = Pick<NonNullable<RouteConfig["request"]>, "query" | "params">;
type Validated<R extends Request, Name extends keyof Request> = R[Name] extends z.ZodType
  ? z.output<R[Name]>
  : object;

/** The parameters of a query: those of the route without those that change its statement. */
type Parameters<R extends Request> = Omit<Validated<R, "query"> & Validated<R, "params">, RequestParameter>;

/** The parameters of any route. Those that are not declared here are values that a query compares with. */
interface ReadParameters extends RangeParameters {
  estabelecimento_id?: string;
  campos?: string[];
  formato?: Format | "ndjson";
  after_id?: string;
  data?: unknown;
  [name: string]: unknown;
}

/** How a route reads its answer from the database. */
interface ReadOptions<R extends Request, Answer> {
  /** Its statement may cost much, so a user runs few of them at once (R22). */
  isReport?: true | undefined;
  /** The columns of the answer for the record of access (A15), where another parameter than `campos` chooses them. */
  recordedColumns?: ((parameters: Record<string, unknown>) => string[]) | undefined;
  /** @param parameters the others, with the ends of `periodo` */
  read: (db: Db, request: ReadRequest, parameters: Parameters<R>) => Promise<JsonText<Answer>>;
  /** Reads a part of the whole list, if the route is a list (X2). */
  readPart?: ReadPart<Parameters<R>> | undefined;
}

interface ReadRouteOptions<
  Path extends string,
  R extends Request,
  Answer extends z.ZodType,
  ExtraStatus extends RefusalStatus,
> extends ReadOptions<R, z.output<Answer>> {
  path: Path;
  request?: R;
  response: ReturnType<typeof jsonResponse<Answer>>;
  operationId: string;
  summary: string;
  description: string;
  extraStatuses?: ExtraStatus[];
  /** The right that the route needs (A11). */
  needs?: Right;
}

const RECORD = new TextEncoder().encode('{"data":[{');

/** Whether no row may have matched: then a filter may have a value that exists nowhere (I8). */
const mayBeEmpty = ({ isEmpty, body }: SentText<unknown>): boolean =>
  isEmpty ?? !RECORD.every((byte, n) => body[n] === byte);

/** What a request asks for. `parameters` has all that were sent, `query` those of the route itself. */
const requestOf = (
  c: Context<AppEnv>,
  { declared, isTable }: { declared: ReturnType<typeof queryParametersOf>; isTable: boolean | undefined },
) => {
  // The type of `valid` depends on the route, which is generic here.
  const valid = c.req.valid as (part: string) => object | undefined;
  // Path parameters win over query parameters of the same name.
  const parameters: ReadParameters = { ...valid.call(c.req, "query"), ...valid.call(c.req, "param") };
  const { estabelecimento_id: unit, campos: fields, formato, ...others } = parameters;
  const { now, isToolCall } = c.var;
  const { query, applied, ...ranges } = resolveRanges(others, now, cutOf(declared, others));
  const format = isTable && formato !== "ndjson" ? formatOf(c, formato) : undefined;
  const asked: ReadRequest = { rights: callerOf(c).rights, unit, fields, format, now, isToolCall, ...ranges };
  return { parameters, query, applied, asked };
};

/** The database as reports use it. The watch asks its few reports at once, and has a connection of its own. */
const databaseOfReports = (c: Context<AppEnv>): Db => {
  const { db, deadline } = c.var;
  const { id: user } = callerOf(c);
  return user === WATCH_USER ? db : withTurns(db, { user, deadline, clientDisconnected: c.req.raw.signal });
};

/** Derives from the declaration of a route what all its requests share. */
const derivedFrom = <R extends Request>(
  request: R,
  answer: z.ZodType,
  { needs, isList }: { needs: Right | undefined; isList: boolean },
) => {
  const { isTable } = metadataOf(answer);
  const declared = queryParametersOf(request);
  const fullRequest = isList ? withWholeList(request) : isTable ? withFormat(request) : request;
  const allParameters = queryParametersOf(fullRequest);
  const checks = rightsChecks(request, needs);
  // A route that needs a right, or has a filter by unit or client, may refuse its reader.
  const refusals: 403[] = checks.length > 0 || "estabelecimento_id" in declared ? [403] : [];
  return {
    isTable,
    declared,
    fullRequest,
    allParameters,
    // Links lead to pages (L5).
    known: Object.keys(allParameters).filter((name) => !metadataOf(allParameters[name]).isForWholeLists),
    checks,
    refusals,
    assertValuesExist: existenceCheck(declared),
    accessOf: accessRecorder(answer, declared),
  };
};

/** Builds the handler. It gets requests whose parameters are valid. */
const handlerOf = <R extends Request, Answer>(
  { isTable, declared, allParameters, known, assertValuesExist, accessOf }: ReturnType<typeof derivedFrom<R>>,
  { isReport, recordedColumns, read, readPart }: ReadOptions<R, Answer>,
) => {
  type Q = Parameters<R>;
  return async (c: Context<AppEnv>) => {
    const { parameters, query, applied, asked } = requestOf(c, { declared, isTable });
    const { rights, unit, fields, format, now } = asked;
    const db = isReport ? databaseOfReports(c) : c.var.db;
    const shape = { fields: recordedColumns?.(parameters) ?? fields, format };
    const checkValues = async () => {
      if (c.var.isToolCall || isStrict(c.req.header("Prefer")))
        await assertValuesExist(c.var.db, { rights, unit, now }, parameters);
    };
    // In strict reading, `applyPrefer` has named these with all other errors.
    const [excluded] = wholeListErrors(c, allParameters);
    if (excluded) throw new Refusal(400, excluded);
    if (readPart && isWhole(c, allParameters)) {
      if (applied !== undefined) c.header("Applied-Range", applied.join("/"));
      return sendWholeList(c, {
        isCsv: format !== undefined,
        first: firstPart(parameters.after_id ?? "0"),
        readPart: (start) => readPart(db, asked, query as object as Q, start),
        onFirst: async ({ records }) => {
          if (records === 0) await checkValues();
          c.set("access", accessOf(c, parameters, shape));
        },
      });
    }
    const text = assertFits(await read(db, asked, query as object as Q), known, parameters);
    // Last, so that the other errors come first.
    if (mayBeEmpty(text)) await checkValues();
    c.set("access", accessOf(c, parameters, shape, text.body));
    const sending = { known, range: applied };
    return isTable ? sendTable(c, text, format, sending) : sendFinishedText(c, text, sending);
  };
};

/**
 * Builds a `GET` route that sends the body from Postgres: JSON or, for a table, also CSV. The route requires
 * a token (401), validates parameters (400; an invalid path id is a 404) and applies `Prefer:
 * handling=strict`.
 */
export const readRoute = <
  const Path extends string,
  Answer extends z.ZodType,
  R extends Request = object,
  const ExtraStatus extends RefusalStatus = never,
>({
  path,
  request = {} as R,
  response,
  extraStatuses = [],
  needs,
  isReport,
  recordedColumns,
  read,
  readPart,
  ...docs
}: ReadRouteOptions<Path, R, Answer, ExtraStatus>) => {
  const { schema } = response.content["application/json"];
  const derived = derivedFrom(request, schema, { needs, isList: readPart !== undefined });
  const { fullRequest, refusals, checks } = derived;
  const route = protectedGet({
    ...docs,
    ...(needs && { "x-required-right": needs }),
    path,
    request: fullRequest,
    response,
    extraStatuses: [...extraStatuses, ...refusals],
    checks,
  });
  return { route, handler: handlerOf(derived, { isReport, recordedColumns, read, readPart }) };
};
