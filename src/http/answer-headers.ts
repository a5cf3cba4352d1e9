import type { Settings } from "../core/settings.ts";

interface Header {
  description: string;
  example: string | ((settings: Settings) => string);
}

/** Response headers that the OpenAPI document describes and that CORS exposes to other origins (E7). */
export const ANSWER_HEADERS = {
  "X-Request-Id": {
    description: "Names the request in our logs; a client's own is kept",
    example: "my-request-42",
  },
  ETag: {
    description: "Weak entity tag of the body, for `If-None-Match`",
    example: 'W/"uW5cgI9CZ1DGVoNerksIzspa"',
  },
  "Server-Timing": {
    description: "Milliseconds spent on finding out who asks, on the limits, on the database and in all",
    example: "auth;dur=0, limit;dur=2, db;dur=4, total;dur=5",
  },
  Link: {
    description: "Neighbouring pages: next, prev, first, last; by cursor: next",
    example: '</v1/produtos?page=2>; rel="next"',
  },
  "WWW-Authenticate": {
    description: "The challenge of RFC 6750",
    example: 'Bearer realm="api", error="invalid_token"',
  },
  Allow: { description: "The methods this path has", example: "GET, HEAD, OPTIONS" },
  RateLimit: {
    description:
      "What is left of each limit of the user, or without a token of the address, and in how many seconds the oldest request stops counting",
    example: ({ RATE_LIMIT_GLOBAL }) => `"global";r=${RATE_LIMIT_GLOBAL - 1};t=900`,
  },
  "RateLimit-Policy": {
    description: "Each limit: so many requests in any window of so many seconds",
    example: ({ RATE_LIMIT_GLOBAL }) => `"global";q=${RATE_LIMIT_GLOBAL};w=900`,
  },
  "Retry-After": { description: "Seconds to wait before the next try", example: "2" },
  "Preference-Applied": {
    description:
      "That unknown parameters were refused and all mistakes named at once, where `Prefer` asked for it",
    example: "handling=strict",
  },
} satisfies Record<string, Header>;

export type AnswerHeader = keyof typeof ANSWER_HEADERS;
