import { z } from "@hono/zod-openapi";
import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../ground/context.ts";
import { REASONS, Refusal, type RefusalStatus } from "../ground/errors.ts";

/** The one error shape (E1): `error` is the reason phrase, `message` tells the reader what to do. */
export const ErrorBody = z
  .object({
    error: z.string().openapi({ description: "The reason phrase of the status", example: "Bad Request" }),
    message: z.string().openapi({
      description: "What went wrong and what to do about it",
      example: '`per_page` must be an integer from 1 to 200, for example 50; got "0".',
    }),
  })
  .openapi("Error");

/** The answer of a refusal. */
export const refuse = (
  c: Context,
  status: RefusalStatus,
  message: string,
  headers: Record<string, string> = {},
) => c.json({ error: REASONS[status], message }, status as ContentfulStatusCode, headers);

/** Every thrown error becomes one answer: a Refusal as it says, a framework refusal reworded, the rest a 500. */
export const onError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof Refusal) return refuse(c, error.status, error.message, error.headers);
  if (error instanceof HTTPException) {
    const message =
      error.status === 415
        ? "The body must be JSON: send it with Content-Type: application/json."
        : "The body is not valid JSON.";
    return refuse(c, 400, message);
  }
  c.set("bug", error);
  return refuse(c, 500, `This is a bug on our side. Report it with request id ${c.var.requestId}.`);
};

/**
 * Nothing is at this path (E1). Answered and not thrown: what Hono's own middleware then finds to be a path with other
 * methods must not look like a refusal of ours.
 */
export const unknownPath = (c: Context): Response =>
  refuse(c, 404, "There is nothing at this path. GET /llms.txt lists the paths.");

/** The path has other methods: 405 with `Allow` (E1). @param methods those of the routes, HEAD among them */
export const wrongMethod = (c: Context, methods: string[]): never => {
  const list = [...methods, "OPTIONS"].join(", ");
  throw new Refusal(405, `${c.req.method} is not possible here. This path has ${list}.`, { Allow: list });
};
