import { createRoute } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { errorResponses, jsonResponse } from "../../platform/http/responses.ts";
import { createRouter } from "../../platform/http/router.ts";
import { bearer, callerOf, protectedGet } from "./bearer.ts";
import { browser } from "./browser.ts";
import { clientLabels } from "./registered-clients.ts";
import {
  Credentials,
  LogoutRequest,
  Message,
  RefreshRequest,
  SessionList,
  TokenResponse,
  User,
} from "./schemas.ts";
import {
  endAllSessions,
  endSessionById,
  endSessionByToken,
  listSessions,
  ownTerms,
  renewSession,
  startSession,
} from "./sessions.ts";
import { verifyCredentials } from "./sign-in.ts";
import { sendSignedOut } from "./sign-out.ts";

const body = <Schema>(schema: Schema, { required = true } = {}) => ({
  required,
  content: { "application/json": { schema } },
});

// An omitted or empty body is read as `{}`, regardless of its content type (A8).
const readEmptyBodyAsObject = createMiddleware(async (c, next) => {
  const text = (await c.req.text()).trim() || "{}";
  const headers = new Headers(c.req.raw.headers);
  headers.set("Content-Type", "application/json");
  headers.delete("Content-Length");
  c.req.raw = new Request(c.req.url, { method: "POST", headers, body: text });
  c.req.bodyCache = {};
  await next();
});

export const auth = createRouter()
  .openapi(
    createRoute({
      security: [],
      method: "post",
      path: "/login",
      operationId: "login",
      summary: "Sign in",
      description:
        "Returns an access token (15 minutes) and a refresh token (7 days, single use) for an e-mail and a password. " +
        "The e-mail is case-insensitive. A wrong password, an unknown e-mail and a disabled user get the same 401. " +
        "After 50 failures with one e-mail in 15 minutes, the response is a 429. Each of the last 10 addresses that " +
        "signed in to the account within 90 days has a separate count.",
      request: { body: body(Credentials) },
      responses: {
        200: jsonResponse(TokenResponse, "Signed in"),
        ...errorResponses(400, 401, 405, 408, 413, 429, 503),
      },
    }),
    async (c) => {
      const account = await verifyCredentials(c, c.req.valid("json"));
      return c.json(await startSession(c, account, ownTerms(c, "api", account)), 200);
    },
  )
  .openapi(
    createRoute({
      security: [],
      method: "post",
      path: "/refresh",
      operationId: "refresh",
      summary: "Renew the tokens",
      description:
        "Exchanges a refresh token for a new pair of tokens. The refresh token works once. If it is sent again, all " +
        "refresh tokens of the same sign-in are revoked. All earlier sessions of a user end when the user gets a new " +
        "password, is disabled, or is signed out by the operator. After a 503, send the same refresh token again. If " +
        "the response is then a 401, sign in again.",
      request: { body: body(RefreshRequest) },
      responses: {
        200: jsonResponse(TokenResponse, "Renewed"),
        ...errorResponses(400, 401, 405, 408, 413, 429, 503),
      },
    }),
    async (c) => {
      const { refresh_token: refreshToken } = c.req.valid("json");
      return c.json(await renewSession(c, { kind: "api", refreshToken, clientId: null }), 200);
    },
  )
  .openapi(
    createRoute({
      ...bearer({ body: body(LogoutRequest, { required: false }) }),
      middleware: [...bearer().middleware, readEmptyBodyAsObject],
      method: "post",
      path: "/logout",
      operationId: "logout",
      summary: "Sign out",
      description:
        "Revokes the refresh token in the body and all others of the same sign-in. With `session`, ends the session " +
        "with that id; with `all`, every session of the user. Access tokens stay valid until they expire. An unknown " +
        "or expired refresh token and an unknown id change nothing. A browser empties its cache of this service " +
        "(`Clear-Site-Data`).",
      responses: {
        200: jsonResponse(Message, "Signed out"),
        ...errorResponses(400, 401, 405, 408, 413, 429, 503),
      },
    }),
    async (c) => {
      const { identity } = callerOf(c);
      const { refresh_token: refreshToken, session, all } = c.req.valid("json");
      if (refreshToken !== undefined) await endSessionByToken(c, "api", refreshToken, { user: identity });
      if (session !== undefined) await endSessionById(c, identity, session);
      if (all) await endAllSessions(c, identity);
      return sendSignedOut(c);
    },
  )
  .openapi(
    protectedGet({
      path: "/sessions",
      request: {},
      response: jsonResponse(SessionList, "The sessions of the user, newest first"),
      operationId: "sessions",
      summary: "List your sessions",
      description:
        "Returns the sessions of the signed-in user that have not ended, newest first. POST /auth/logout with " +
        "`session` ends one. Its access token then stays valid for at most 15 minutes.",
    }),
    async (c) => {
      const { identity, family } = callerOf(c);
      const sessions = await listSessions(c, identity);
      const labels = await clientLabels(
        c,
        sessions.flatMap(({ clientId }) => clientId ?? []),
      );
      const time = (ms: number) => new Date(ms).toISOString();
      const data = sessions
        // Sessions of a client that was removed cannot be renewed (A14).
        .filter(({ clientId }) => clientId === null || labels.has(clientId))
        .map(({ id, kind, clientId, device, startedAt, renewedAt, expiresAt }) => ({
          id,
          started_at: time(startedAt),
          renewed_at: time(renewedAt),
          expires_at: time(expiresAt),
          kind,
          client: clientId === null ? null : (labels.get(clientId) ?? null),
          device,
          current: id === family,
        }));
      return c.json({ data }, 200);
    },
  )
  .openapi(
    protectedGet({
      path: "/me",
      request: {},
      response: jsonResponse(User, "The signed-in user"),
      operationId: "me",
      summary: "Get the signed-in user",
      description: "Returns the user of the access token, with the data from the time the token was issued.",
    }),
    (c) => {
      const { id, profile } = callerOf(c);
      // Only tokens that this path does not accept have none (A10, A14).
      if (profile === undefined) throw new Error("the token does not name its user");
      return c.json({ id, ...profile }, 200);
    },
  )
  .route("/browser", browser);
