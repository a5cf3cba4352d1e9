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
    { refresh_token: refreshToken.optional().openapi({ example: "AQEAAAAAAAAAAV…" }) },
    "The body must be a JSON object or empty",
  )
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
