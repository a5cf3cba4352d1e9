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

// Reads an empty body as `{}`, regardless of the content type (A8).
const missingBodyIsEmpty = createMiddleware(async (c, next) => {
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
        "Trades e-mail (any case) and password for an access token (15 minutes) and a refresh token (7 days, single use). " +
        "A wrong password, an unknown e-mail and an inactive user get the same answer. After 50 failures on one e-mail " +
        "in 15 minutes the answer is 429; an address the account has signed in from in the last 90 days counts for itself.",
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
        "Trades a refresh token for a new pair and revokes it at once. Using a spent token again revokes every token " +
        "that came of the same login. A changed password, a user who was disabled and a sign-out by the operator end " +
        "every session begun before. After a 503 the token still works.",
      request: { body: body(RefreshRequest) },
      responses: { 200: json(TokenResponse, "Renewed"), ...errors(400, 401, 405, 408, 413, 429, 503) },
    }),
    async (c) => c.json(await refresh(c, c.req.valid("json").refresh_token), 200),
  )
  .openapi(
    createRoute({
      ...bearer({ body: body(LogoutRequest, false) }),
      middleware: [...bearer().middleware, missingBodyIsEmpty],
      method: "post",
      path: "/logout",
      operationId: "logout",
      summary: "Sign out",
      description:
        "Revokes the refresh token in the body and all that came of the same login. The access token stays usable " +
        "until it expires. An unknown or dead token changes nothing.",
      responses: { 200: json(Message, "Signed out"), ...errors(400, 401, 405, 408, 413, 429, 503) },
    }),
    async (c) => {
      await logout(c, callerOf(c), c.req.valid("json").refresh_token);
      return c.json({ message: "Signed out. The access token ends by itself within 15 minutes." }, 200);
    },
  )
  .openapi(
    protectedGet("/me", {}, json(User, "The signed-in user"), {
      operationId: "me",
      summary: "Who am I",
      description: "The user the access token was issued to, as it was when the token was issued.",
    }),
    (c) => {
      const { id, email, name } = callerOf(c);
      return c.json({ id, email, name }, 200);
    },
  );
