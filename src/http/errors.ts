import { z } from "@hono/zod-openapi";
import type { Context, ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "./router.ts";

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

const REASONS = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Content Too Large",
  414: "URI Too Long",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

export type RefusalStatus = keyof typeof REASONS;

/** An answer other than the one asked for. Throw it anywhere below a route; `onError` shapes it (E1). */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly headers: Record<string, string>;

  constructor(status: RefusalStatus, message: string, headers: Record<string, string> = {}, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.headers = headers;
  }
}

/** 503 for anything that is down, slow or overloaded and worth another try (E2). */
export const unavailable = (message: string, cause?: unknown) =>
  new Refusal(503, message, { "Retry-After": "2" }, cause);

/** A wait in whole seconds, rounded up so that a try after them passes (E4). */
export const waitSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** 429 that tells how many seconds to wait. */
export const tooMany = (waitMs: number, message: (seconds: number) => string) => {
  const seconds = waitSeconds(waitMs);
  return new Refusal(429, message(seconds), { "Retry-After": String(seconds) });
};

const refuse = (c: Context, status: RefusalStatus, message: string, headers: Record<string, string> = {}) =>
  c.json({ error: REASONS[status], message }, status as ContentfulStatusCode, headers);

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
