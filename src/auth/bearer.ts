import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context, HonoRequest, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { endTime, startTime } from "hono/timing";
import type { AppEnv, Caller } from "../ground/context.ts";
import { Refusal, type RefusalStatus } from "../ground/errors.ts";
import { honourPrefer } from "../http/prefer.ts";
import { errors } from "../http/responses.ts";
import { count } from "../limits/middleware.ts";
import { verifyAccessToken } from "./access-token.ts";
import { AGENT_TOKEN_PREFIX, isAgentToken } from "./agent-token.ts";
import { callerOfAgent } from "./agents.ts";
import { addressClient, clientOf } from "./client.ts";
import { keyRing } from "./keys.ts";

/** The token of an `Authorization: Bearer` header; "" when the header is there and malformed (RFC 6750, 2.1). */
const presentedToken = (header: string | undefined): string | undefined =>
  /^bearer(?: |$)/i.test(header ?? "")
    ? (/^bearer +([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1] ?? "")
    : undefined;

/** Where an agent token is good: where nothing can be done with it but reading (A10). */
const takesAgents = ({ method, path }: HonoRequest): boolean =>
  path.startsWith("/v1/") ? method === "GET" || method === "HEAD" : path === "/mcp" && method === "POST";

/** The user of an agent token. Of one that is not known here, the address pays for finding out (E3). */
const findAgent = async (c: Context<AppEnv>, token: string): Promise<Caller | undefined> => {
  if (!takesAgents(c.req) || !isAgentToken(token)) return undefined;
  return callerOfAgent(c, token, async () => count(c, await addressClient(c)));
};

const callerBehind = async (c: Context<AppEnv>, token: string): Promise<Caller | undefined> =>
  token.startsWith(AGENT_TOKEN_PREFIX)
    ? findAgent(c, token)
    : verifyAccessToken(keyRing(c.var.settings.TOKEN_KEYS), token);

/** Finds out who is asking, without refusing anyone: some routes are open, and limits count everybody. */
export const identify = createMiddleware<AppEnv>(async (c, next) => {
  const token = presentedToken(c.req.header("Authorization"));
  startTime(c, "auth");
  c.set("caller", token ? await callerBehind(c, token) : undefined);
  endTime(c, "auth");
  c.set("client", await clientOf(c));
  await next();
});

/** 401 with the challenge of the bearer scheme (A3). */
export const unauthorized = (message: string, challenge = "") =>
  new Refusal(401, message, { "WWW-Authenticate": `Bearer realm="api"${challenge}` });

const INVALID = ', error="invalid_token"';

/** Why there is no caller, for whoever can mend it. */
const refusalOf = ({ req }: Context<AppEnv>): Refusal => {
  const token = presentedToken(req.header("Authorization"));
  if (token === undefined)
    return unauthorized(
      "Send an access token as `Authorization: Bearer <token>`; POST /auth/login issues one and POST /auth/refresh renews it.",
    );
  if (!token.startsWith(AGENT_TOKEN_PREFIX))
    return unauthorized(
      "The access token is invalid or expired. Renew it through POST /auth/refresh.",
      INVALID,
    );
  return takesAgents(req)
    ? unauthorized(
        "The agent token is incomplete, unknown or has ended. Whoever runs this service makes another; POST /auth/refresh renews access tokens only.",
        INVALID,
      )
    : unauthorized(
        "An agent token is for GET /v1/… and POST /mcp only. Here an access token is needed: POST /auth/login issues one and POST /auth/refresh renews it.",
        INVALID,
      );
};

/** Lets nobody pass without a valid token (A3). */
export const requireCaller: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (c.var.caller === undefined) throw refusalOf(c);
  await next();
};

/**
 * What a route spreads to ask for a bearer token: documents and enforces it, before its parameters are looked at,
 * and honours `Prefer: handling=strict` (I5).
 * @param request the route's parameters, if it has any
 */
export const bearer = <const Request extends NonNullable<RouteConfig["request"]>>(
  request: Request = {} as Request,
) => ({
  security: [{ bearer: [] }],
  middleware: [
    requireCaller,
    honourPrefer(request.query instanceof z.ZodObject ? request.query : z.object({})),
  ],
  request,
});

/**
 * A route that reads: GET, for users only, with the refusals all such routes have.
 * @param request the route's parameters; with a path id, 404 is among its answers
 * @param more refusals that are its own
 */
export const reading = <
  const Path extends string,
  const Request extends NonNullable<RouteConfig["request"]>,
  Answer extends RouteConfig["responses"][string],
  const More extends RefusalStatus = never,
>(
  path: Path,
  request: Request,
  answer: Answer,
  said: { operationId: string; summary: string; description: string },
  ...more: More[]
) => {
  const notFound = request.params ? errors(404) : {};
  return createRoute({
    ...bearer(request),
    ...said,
    method: "get",
    path,
    responses: {
      200: answer,
      ...errors<400 | 401 | 405 | 429 | 503 | More>(400, 401, 405, 429, 503, ...more),
      ...(notFound as Request extends { params: object } ? ReturnType<typeof errors<404>> : object),
    },
  });
};

/** The user behind a route that spreads `bearer`. */
export const callerOf = (c: { var: { caller: Caller | undefined } }): Caller => {
  if (c.var.caller === undefined) throw new Error("this route does not ask for a bearer");
  return c.var.caller;
};
