import type { Settings } from "../../core/settings.ts";

interface Header {
  description: string;
  example: string | ((settings: Settings) => string);
}

/** Response headers that the OpenAPI document describes and that CORS exposes to other origins (E7). */
export const ANSWER_HEADERS = {
  "X-Request-Id": {
    description:
      "Id of the request in the logs: the client's `X-Request-Id` if that is valid, else a new one",
    example: "my-request-42",
  },
  ETag: {
    description: "Weak entity tag of the body. Send it as `If-None-Match`",
    example: 'W/"uW5cgI9CZ1DGVoNerksIzspa"',
  },
  "Server-Timing": {
    description: "Milliseconds spent on authentication, rate limits and the database, and in total",
    example: "auth;dur=0, limit;dur=2, db;dur=4, total;dur=5",
  },
  Link: {
    description: "Links to other pages: `next`, `prev`, `first` and `last`; with a cursor only `next`",
    example: '</v1/produtos?page=2>; rel="next"',
  },
  "Applied-Range": {
    description: "The range that `periodo` named: `<data_inicio>/<data_fim>`",
    example: "2026-11-01T00:00:00-03:00/2026-11-23T23:59:59.999999-03:00",
  },
  "WWW-Authenticate": {
    description: "Bearer challenge (RFC 6750)",
    example: 'Bearer realm="api", error="invalid_token"',
  },
  Allow: { description: "Methods that this path allows", example: "GET, HEAD, OPTIONS" },
  RateLimit: {
    description:
      "Each limit that the request counts in: `r` requests are left, and one more is available in `t` seconds",
    example: ({ RATE_LIMIT_GLOBAL }) => `"global";r=${RATE_LIMIT_GLOBAL - 1};t=900`,
  },
  "RateLimit-Policy": {
    description: "Each limit: at most `q` requests in any `w` seconds",
    example: ({ RATE_LIMIT_GLOBAL }) => `"global";q=${RATE_LIMIT_GLOBAL};w=900`,
  },
  "Retry-After": { description: "Seconds to wait before the next request", example: "2" },
  "Preference-Applied": {
    description:
      "Present if the request sent `Prefer: handling=strict`: " +
      "unknown parameters are errors, and one 400 reports all errors",
    example: "handling=strict",
  },
} satisfies Record<string, Header>;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;
