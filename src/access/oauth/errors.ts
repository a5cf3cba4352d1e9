import { createMiddleware } from "hono/factory";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";

type ErrorCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_token_type";

/** An error response of the token endpoint (RFC 6749, 5.2) or of revocation (RFC 7009, 2.2.1). */
export class OAuthError extends Refusal {
  readonly code: ErrorCode;

  constructor(
    code: ErrorCode,
    message: string,
    status: 400 | 401 = 400,
    headers: Record<string, string> = {},
  ) {
    super(status, message, headers);
    this.code = code;
  }
}

/** RFC 6749 has no codes for the limits and failures of a service, so use those of its section 4.1.2.1. */
const codeOf = (error: unknown, status: number): string => {
  if (error instanceof OAuthError) return error.code;
  if (status === 429 || status === 503) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
};

/** Replaces the usual error body by that of RFC 6749; `message` stays (A14). */
export const oauthErrors = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.res.status < 400) return;
  const { message } = await c.res.json<{ message: string }>();
  const { status } = c.res;
  const error = codeOf(c.error, status);
  c.res = c.json({ error, error_description: message, message }, status as ContentfulStatusCode);
});
