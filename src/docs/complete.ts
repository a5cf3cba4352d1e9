import type { OpenAPIHono } from "@hono/zod-openapi";

type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;
type Responses = Record<string, Response>;

interface Schema {
  $ref?: string;
  example?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}

const header = (description: string, example: string) => ({
  description,
  schema: { type: "string" as const },
  example,
});

const HEADERS = {
  "X-Request-Id": header("Names the request in our logs; a client's own is kept", "my-request-42"),
  ETag: header("Weak entity tag of the body, for `If-None-Match`", 'W/"uW5cgI9CZ1DGVoNerksIzspa"'),
  "Server-Timing": header(
    "Milliseconds spent on finding out who asks, on the limits and on the database",
    "auth;dur=0, limit;dur=2, db;dur=4",
  ),
  Link: header(
    "Neighbouring pages: next, prev, first, last; by cursor: next",
    '</v1/produtos?page=2>; rel="next"',
  ),
  "WWW-Authenticate": header("The challenge of RFC 6750", 'Bearer realm="api", error="invalid_token"'),
  Allow: header("The methods this path has", "GET, HEAD, OPTIONS"),
  RateLimit: header(
    "What is left of each limit, and in how many seconds the oldest request stops counting",
    '"global";r=499;t=900',
  ),
  "RateLimit-Policy": header(
    "Each limit: so many requests in any window of so many seconds",
    '"global";q=500;w=900',
  ),
  "Retry-After": header("Seconds to wait before the next try", "2"),
};

type HeaderName = keyof typeof HEADERS;

/** The headers a status brings, whatever the route. */
const BY_STATUS: Record<string, HeaderName[]> = {
  "401": ["WWW-Authenticate"],
  "405": ["Allow"],
  "429": ["Retry-After"],
  "503": ["Retry-After"],
};

/** Answers that may come before a request is counted, or because it could not be. */
const UNCOUNTED = new Set(["413", "503"]);

const NOT_MODIFIED: Response = { description: "The answer is the one `If-None-Match` names." };

/**
 * Completes an emitted document with what follows from it: an example of each answer, put together from the
 * examples of its fields; the headers that come with each status; 304 where answers carry an `ETag` (E6).
 */
export const complete = (document: Document): Document => {
  const schemas = document.components?.schemas as Record<string, Schema>;
  for (const [path, methods] of Object.entries(document.paths ?? {})) {
    for (const operation of Object.values(methods) as { responses: Responses }[]) {
      const { responses } = operation;
      const cached = path.startsWith("/v1/") || path === "/openapi.yaml";
      if (cached) responses["304"] = { ...NOT_MODIFIED };
      for (const [status, response] of Object.entries(responses)) {
        const names: HeaderName[] = ["X-Request-Id", ...(BY_STATUS[status] ?? [])];
        if (!UNCOUNTED.has(status)) names.push("RateLimit", "RateLimit-Policy");
        if (cached && /^(200|304)$/.test(status)) names.push("ETag", "Server-Timing");
        const media = response.content?.["application/json"];
        if (media?.schema && status === "200") media.example = exampleOf(media.schema, schemas);
        if ((media?.example as { pagination?: unknown })?.pagination) names.push("Link");
        response.headers = Object.fromEntries(
          names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
        );
      }
      operation.responses = Object.fromEntries(
        Object.entries(responses).sort(([a], [b]) => a.localeCompare(b)),
      );
    }
  }
  document.components = { ...document.components, headers: HEADERS };
  return document;
};

const exampleOf = (schema: Schema, schemas: Record<string, Schema>): unknown => {
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref) return exampleOf(schemas[schema.$ref.split("/").pop() ?? ""] ?? {}, schemas);
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  const fields = Object.entries(schema.properties ?? {});
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, schemas)]));
};
