import { z } from "@hono/zod-openapi";
import { MAX_PASSWORD_BYTES } from "./passwords.ts";

export const Credentials = z
  .object(
    {
      email: z
        .email({ error: "must be an e-mail address" })
        .max(254, "must be at most 254 characters")
        .openapi({ example: "demo@example.com" }),
      password: z
        .string({ error: "must be text" })
        .min(1, "must not be empty")
        .refine((value) => new TextEncoder().encode(value).length <= MAX_PASSWORD_BYTES, {
          error: `must be at most ${MAX_PASSWORD_BYTES} bytes`,
        })
        .openapi({ format: "password", example: "demo-password" }),
    },
    "The body must be a JSON object with `email` and `password`",
  )
  .openapi("Credentials");

const refreshToken = z.string({ error: "must be text" }).min(1, "must not be empty");

export const RefreshRequest = z
  .object(
    { refresh_token: refreshToken.openapi({ example: "AQEAAAAAAAAAAV…" }) },
    "The body must be a JSON object with `refresh_token`",
  )
  .openapi("RefreshRequest");

export const LogoutRequest = z
  .object(
    {
      refresh_token: refreshToken
        .optional()
        .openapi({ description: "Ends the session of this token", example: "AQEAAAAAAAAAAV…" }),
      session: z.string({ error: "must be text" }).min(1, "must not be empty").optional().openapi({
        description: "Ends the session with this `id` of GET /auth/sessions",
        example: "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
      }),
      all: z
        .literal(true, { error: "must be true" })
        .optional()
        .openapi({ description: "Ends every session of the user", example: true }),
    },
    "The body must be a JSON object or empty",
  )
  .refine((body) => Object.values(body).filter((value) => value !== undefined).length <= 1, {
    error: "Send only one of `refresh_token`, `session` and `all`",
  })
  .openapi("LogoutRequest");

export const TokenResponse = z
  .object({
    access_token: z
      .string()
      .openapi({ description: "A JWT, valid for 15 minutes", example: "eyJhbGciOiJIUzI1NiIs…" }),
    refresh_token: z
      .string()
      .openapi({ description: "Opaque string, valid for 7 days and one use", example: "AQEAAAAAAAAAAV…" }),
    token_type: z.literal("Bearer").openapi({ example: "Bearer" }),
    expires_in: z.int().openapi({ description: "Lifetime of the access token in seconds", example: 900 }),
  })
  .openapi("TokenResponse");

/** The answer to a page whose refresh token is in a cookie (A12). */
export const KeptTokenResponse = TokenResponse.omit({ refresh_token: true });

const instant = (description: string, example: string) => z.iso.datetime().openapi({ description, example });

export const SessionList = z
  .object({
    data: z.array(
      z
        .object({
          id: z.string().openapi({ example: "0f1e2d3c4b5a69788796a5b4c3d2e1f0" }),
          started_at: instant("Time of the sign-in", "2026-11-20T12:00:00.000Z"),
          renewed_at: instant("Time of the last renewal", "2026-11-22T08:30:00.000Z"),
          expires_at: instant("The session ends then, unless it is renewed", "2026-11-29T08:30:00.000Z"),
          kind: z.enum(["api", "browser", "oauth"]).openapi({
            description:
              "`api`: signed in with POST /auth/login; `browser`: kept by a browser; `oauth`: an assistant",
            example: "browser",
          }),
          client: z.string().nullable().openapi({
            description:
              "The assistant's host, or its name if an operator registered it; null for other kinds",
            example: null,
          }),
          device: z
            .string()
            .nullable()
            .openapi({
              description:
                "Browser and system of the sign-in, in Portuguese; null if unknown. " +
                "For an assistant, where the user allowed it",
              example: "Chrome no Android",
            }),
          current: z
            .boolean()
            .openapi({ description: "Whether the access token belongs to this session", example: true }),
        })
        .openapi("Session"),
    ),
  })
  .openapi("SessionList");

export const User = z
  .object({
    id: z.int().openapi({ example: 1 }),
    email: z.email().openapi({ example: "demo@example.com" }),
    name: z.string().openapi({ example: "Demo" }),
  })
  .openapi("User");

export const Message = z
  .object({ message: z.string().openapi({ example: "Signed out." }) })
  .openapi("Message");
