import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { endTime, startTime } from "hono/timing";
import type { AppEnv, Caller } from "../../core/context.ts";
import { Refusal, type RefusalStatus } from "../../core/errors.ts";
import type { Right } from "../../core/rights.ts";
import { mcpUrl, originOf } from "../../platform/http/origin.ts";
import { applyPrefer } from "../../platform/http/prefer.ts";
import { errorResponses } from "../../platform/http/responses.ts";
import { chargeRequest } from "../limits/middleware.ts";
import { verifyAccessToken } from "./access-token.ts";
import { AGENT_TOKEN_PREFIX, isAgentToken } from "./agent-token.ts";
import { callerOfAgent } from "./agents.ts";
import { addressCounterName, counterNameOf } from "./counter-name.ts";
import { keyRing } from "./keys.ts";

/** Returns "" if the syntax is invalid (RFC 6750, 2.1), and undefined if the scheme is not `Bearer`. */
const bearerTokenOf = (header: string | undefined): string | undefined =>
  /^bearer(?: |$)/i.test(header ?? "")
    ? (/^bearer +([\w.~+/-]+=*)$/i.exec(header ?? "")?.[1] ?? "")
    : undefined;

const acceptsAgentTokens = (c: Context<AppEnv>): boolean => c.var.policy.agentTokens.includes(c.req.method);

/** Counts an uncached agent token for the client's address before looking it up (E3). */
const authenticateAgentToken = async (
  c: Context<AppEnv>,
  token: string,
  chargeLookup: () => Promise<void>,
): Promise<Caller | undefined> =>
  acceptsAgentTokens(c) && isAgentToken(token) ? callerOfAgent(c, token, chargeLookup) : undefined;

const authenticate = async (
  c: Context<AppEnv>,
  token: string,
  chargeLookup: () => Promise<void>,
): Promise<Caller | undefined> =>
  token.startsWith(AGENT_TOKEN_PREFIX)
    ? authenticateAgentToken(c, token, chargeLookup)
    : verifyAccessToken(
        keyRing(c.var.settings.TOKEN_KEYS),
        token,
        c.var.policy.acceptsAssistants ? { audience: mcpUrl(c), issuer: originOf(c) } : undefined,
      );

/** Lets requests without a valid token pass: some routes are public, and limits apply to every client. */
export const identify = createMiddleware<AppEnv>(async (c, next) => {
  const token = bearerTokenOf(c.req.header("Authorization"));
  startTime(c, "auth");
  const chargeLookup = async () => chargeRequest(c, await addressCounterName(c));
  c.set("caller", token ? await authenticate(c, token, chargeLookup) : undefined);
  endTime(c, "auth");
  c.set("counterName", await counterNameOf(c));
  await next();
});

/** Whether the token of a request that has run for long is still valid, with the rights that it had. */
export const isStillValid = async (c: Context<AppEnv>): Promise<boolean> => {
  const token = bearerTokenOf(c.req.header("Authorization")) ?? "";
  // The token is known, so its lookup is no guess that must be counted.
  const caller = await authenticate(c, token, async () => {});
  return JSON.stringify(caller?.rights) === JSON.stringify(callerOf(c).rights);
};

/** Creates a 401 with a `WWW-Authenticate` header (A3). @param challenge appended to that header */
export const unauthorized = (message: string, challenge = "") =>
  new Refusal(401, message, { "WWW-Authenticate": `Bearer realm="api"${challenge}` });

const INVALID_TOKEN = ', error="invalid_token"';

/** Tells assistants where to sign in by OAuth (RFC 9728, 5.1). */
const resourceMetadata = (c: Context<AppEnv>): string =>
  c.var.policy.acceptsAssistants
    ? `, resource_metadata="${originOf(c)}/.well-known/oauth-protected-resource/mcp"`
    : "";

const tokenRefusal = (c: Context<AppEnv>): Refusal => {
  const token = bearerTokenOf(c.req.header("Authorization"));
  const metadata = resourceMetadata(c);
  if (token === undefined)
    return unauthorized(
      "The access token is missing. Send it as `Authorization: Bearer <token>`. " +
        "POST /auth/login issues one and POST /auth/refresh renews it.",
      metadata,
    );
  if (!token.startsWith(AGENT_TOKEN_PREFIX))
    return unauthorized(
      "The access token is invalid or expired. Renew it with POST /auth/refresh" +
        `${c.var.policy.acceptsAssistants ? ", or with POST /oauth/token if it came from there" : ""}.`,
      `${INVALID_TOKEN}${metadata}`,
    );
  return acceptsAgentTokens(c)
    ? unauthorized(
        "The agent token is invalid, expired or revoked. Ask the operator for a new one. " +
          "POST /auth/refresh renews access tokens only.",
        `${INVALID_TOKEN}${metadata}`,
      )
    : unauthorized(
        "An agent token is valid only for GET /v1/… and POST /mcp. Send an access token. " +
          "POST /auth/login issues one and POST /auth/refresh renews it.",
        INVALID_TOKEN,
      );
};

export const requireCaller = createMiddleware<AppEnv>(async (c, next) => {
  if (c.var.caller === undefined) throw tokenRefusal(c);
  await next();
});

/**
 * Spread it into a route. Requires a token before it validates parameters (A3). Applies `Prefer` (I5).
 * @param checks run between the two
 */
export const bearer = <const Request extends NonNullable<RouteConfig["request"]>>(
  request: Request = {} as Request,
  checks: MiddlewareHandler[] = [],
) => ({
  security: [{ bearer: [] }],
  middleware: [
    requireCaller,
    ...checks,
    applyPrefer(request.query instanceof z.ZodObject ? request.query : z.object({})),
  ],
  request,
});

interface ProtectedGetOptions<Path, Request, Response, ExtraStatus> {
  path: Path;
  request: Request;
  response: Response;
  operationId: string;
  summary: string;
  description: string;
  /** The right that the route needs (A11), in the document. */
  "x-required-right"?: Right;
  /** Errors beyond those of every such route. */
  extraStatuses?: ExtraStatus[];
  checks?: MiddlewareHandler[];
}

/** Creates a `GET` route that requires a bearer token. */
export const protectedGet = <
  const Path extends string,
  const Request extends NonNullable<RouteConfig["request"]>,
  Response extends RouteConfig["responses"][string],
  const ExtraStatus extends RefusalStatus = never,
>({
  path,
  request,
  response,
  extraStatuses = [],
  checks,
  ...docs
}: ProtectedGetOptions<Path, Request, Response, ExtraStatus>) => {
  const notFound = request.params ? errorResponses(404) : {};
  return createRoute({
    ...bearer(request, checks),
    ...docs,
    method: "get",
    path,
    responses: {
      200: response,
      ...errorResponses<400 | 401 | 405 | 429 | 503 | ExtraStatus>(400, 401, 405, 429, 503, ...extraStatuses),
      ...(notFound as Request extends { params: object } ? ReturnType<typeof errorResponses<404>> : object),
    },
  });
};

/** Returns the authenticated user. @throws on a route that does not spread `bearer` */
export const callerOf = (c: { var: { caller: Caller | undefined } }): Caller => {
  if (c.var.caller === undefined) throw new Error("this route does not require a bearer token");
  return c.var.caller;
};
