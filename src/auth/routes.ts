import { createRoute } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { errors, json } from "../http/responses.ts";
import { createRouter } from "../http/router.ts";
import { bearer, callerOf, protectedGet } from "./bearer.ts";
import { Credentials, LogoutRequest, Message, RefreshRequest, TokenResponse, User } from "./schemas.ts";
import { login, logout, refresh } from "./sign-in.ts";

const body = <Schema>(schema: Schema, required = true) => ({
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
      responses: { 200: json(TokenResponse, "Signed in"), ...errors(400, 401, 405, 408, 413, 429, 503) },
    }),
    async (c) => c.json(await login(c, c.req.valid("json")), 200),
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
      responses: { 200: json(TokenResponse, "Renewed"), ...errors(400, 401, 405, 408, 413, 429, 503) },
    }),
    async (c) => c.json(await refresh(c, c.req.valid("json").refresh_token), 200),
  )
  .openapi(
    createRoute({
      ...bearer({ body: body(LogoutRequest, false) }),
      middleware: [...bearer().middleware, readEmptyBodyAsObject],
      method: "post",
      path: "/logout",
      operationId: "logout",
      summary: "Sign out",
      description:
        "Revokes the refresh token in the body and all others of the same sign-in. The access token stays valid until " +
        "it expires. An unknown or expired refresh token changes nothing.",
      responses: { 200: json(Message, "Signed out"), ...errors(400, 401, 405, 408, 413, 429, 503) },
    }),
    async (c) => {
      await logout(c, callerOf(c), c.req.valid("json").refresh_token);
      return c.json({ message: "Signed out. The access token expires within 15 minutes." }, 200);
    },
  )
  .openapi(
    protectedGet("/me", {}, json(User, "The signed-in user"), {
      operationId: "me",
      summary: "Get the signed-in user",
      description: "Returns the user of the access token, with the data from the time the token was issued.",
    }),
    (c) => {
      const { id, email, name } = callerOf(c);
      return c.json({ id, email, name }, 200);
    },
  );
