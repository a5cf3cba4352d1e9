import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { jsonResponse } from "../../platform/http/responses.ts";
import { createRouter } from "../../platform/http/router.ts";
import { Credentials, KeptTokenResponse, Message } from "./schemas.ts";
import {
  deleteSessionCookie,
  readSessionCookie,
  readSessionCookies,
  setSessionCookie,
} from "./session-cookie.ts";
import { endSessionByToken, ownTerms, renewSession, startSession, type TokenPair } from "./sessions.ts";
import { verifyCredentials } from "./sign-in.ts";
import { sendSignedOut } from "./sign-out.ts";

/** Keeps the refresh token in the cookie and leaves it out of the body. */
const withoutRefreshToken = (c: Context<AppEnv>, { refresh_token, ...body }: TokenPair) => {
  setSessionCookie(c, refresh_token);
  return body;
};

/** Sessions that a page keeps in a cookie (A12). Not in the document: only pages of this service may call them. */
export const browser = createRouter()
  .openapi(
    createRoute({
      hide: true,
      method: "post",
      path: "/login",
      request: { body: { required: true, content: { "application/json": { schema: Credentials } } } },
      responses: { 200: jsonResponse(KeptTokenResponse, "Signed in") },
    }),
    async (c) => {
      const account = await verifyCredentials(c, c.req.valid("json"));
      return c.json(
        withoutRefreshToken(c, await startSession(c, account, ownTerms(c, "browser", account))),
        200,
      );
    },
  )
  .openapi(
    createRoute({
      hide: true,
      method: "post",
      path: "/refresh",
      responses: { 200: jsonResponse(KeptTokenResponse, "Renewed") },
    }),
    async (c) => {
      try {
        const refreshToken = readSessionCookie(c);
        return c.json(
          withoutRefreshToken(c, await renewSession(c, { kind: "browser", refreshToken, clientId: null })),
          200,
        );
      } catch (error) {
        // The session has ended. After any other error it may go on.
        if (error instanceof Refusal && error.status === 401) deleteSessionCookie(c);
        throw error;
      }
    },
  )
  .openapi(
    createRoute({
      hide: true,
      method: "post",
      path: "/logout",
      responses: { 200: jsonResponse(Message, "Signed out") },
    }),
    async (c) => {
      await Promise.all(readSessionCookies(c).map((token) => endSessionByToken(c, "browser", token)));
      deleteSessionCookie(c);
      return sendSignedOut(c);
    },
  );
