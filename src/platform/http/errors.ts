import { z } from "@hono/zod-openapi";
import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../../core/context.ts";
import { REASON_PHRASES, Refusal, type RefusalStatus } from "../../core/errors.ts";

/** The body of every error (E1). */
export const ErrorBody = z
  .object({
    error: z.string().openapi({ description: "Reason phrase of the status", example: "Bad Request" }),
    message: z.string().openapi({
      description: "What is wrong and what to do",
      example: '`per_page` must be an integer from 1 to 200, for example 50; got "0".',
    }),
  })
  .openapi("Error");

const errorResponse = (
  c: Context,
  status: RefusalStatus,
  message: string,
  headers: Record<string, string> = {},
) => c.json({ error: REASON_PHRASES[status], message }, status as ContentfulStatusCode, headers);

/** Formats a thrown error: a Refusal as it is, Hono's HTTPException as a 400, any other error as a 500. */
export const onError: ErrorHandler<AppEnv> = (error, c) => {
  if (error instanceof Refusal) return errorResponse(c, error.status, error.message, error.headers);
  if (error instanceof HTTPException) {
    const message =
      error.status === 415
        ? "The body must be JSON. Send it with `Content-Type: application/json`."
        : "The body is not valid JSON. Send a JSON object.";
    return errorResponse(c, 400, message);
  }
  c.set("bug", error);
  return errorResponse(
    c,
    500,
    `An internal error occurred. Report it with the request id ${c.var.requestId}.`,
  );
};

/** Returns the 404: if it were thrown, Hono's `methodNotAllowed` could not replace it by a 405 (E1). */
export const unknownPath = (c: Context<AppEnv>): Response => {
  c.set("isUnknownPath", true);
  return errorResponse(c, 404, "This path does not exist. GET /llms.txt lists the paths.");
};

/** @param methods the path's methods, HEAD included @throws Refusal 405 with `Allow` (E1) */
export const wrongMethod = (c: Context, methods: string[]): never => {
  const list = [...methods, "OPTIONS"].join(", ");
  throw new Refusal(405, `This path does not allow ${c.req.method}. Use one of ${list}.`, { Allow: list });
};
