import { policyOf } from "../../core/policies.ts";
import type { Settings } from "../../core/settings.ts";
import { ANSWER_HEADERS, type AnswerHeader } from "../../platform/http/response-headers.ts";
import {
  type Document,
  nameOf,
  type Operation,
  type Response,
  type Schema,
  schemasOf,
} from "./operations.ts";

const headersOf = (settings: Settings) =>
  Object.fromEntries(
    Object.entries(ANSWER_HEADERS).map(([name, { description, example }]) => [
      name,
      {
        description,
        schema: { type: "string" as const },
        example: typeof example === "string" ? example : example(settings),
      },
    ]),
  );

const BY_STATUS: Record<string, AnswerHeader[]> = {
  "401": ["WWW-Authenticate"],
  "405": ["Allow"],
  "429": ["Retry-After"],
  "503": ["Retry-After"],
};

/** Responses without rate limit headers: the request may not have been counted. */
const UNCOUNTED = new Set(["413", "503"]);

const NOT_MODIFIED: Response = { description: "Not modified: `If-None-Match` matches the current `ETag`." };

/**
 * Adds an example to each 200, built from the examples of its fields, and the headers of each status.
 * Adds 304 where responses carry an `ETag` (E6). Mutates and returns `document`.
 */
export const addExamplesAndHeaders = (document: Document, settings: Settings): Document => {
  const schemas = schemasOf(document);
  for (const [path, methods] of Object.entries(document.paths ?? {})) {
    // The tag is the first path segment after `/v1`.
    const [, tag = "docs"] = /^\/(?:v1\/)?([\w-]+)(?:\/|$)/.exec(path) ?? [];
    for (const [method, { security, operationId, ...route }] of Object.entries(
      methods as Record<string, Omit<Operation, "tags">>,
    )) {
      const { responses } = route;
      const operation = { security, operationId, tags: [tag], ...route };
      Object.assign(methods, { [method]: operation });
      const { hasEtag } = policyOf(path);
      const hasPeriod = operation.parameters?.some(({ name }) => name === "periodo");
      if (hasEtag) responses["304"] = { ...NOT_MODIFIED };
      for (const [status, response] of Object.entries(responses)) {
        const names: AnswerHeader[] = ["X-Request-Id", "Server-Timing", ...(BY_STATUS[status] ?? [])];
        if (!UNCOUNTED.has(status)) names.push("RateLimit", "RateLimit-Policy");
        if (hasEtag && /^(200|304)$/.test(status)) names.push("ETag");
        if (hasPeriod && /^(200|304)$/.test(status)) names.push("Applied-Range");
        // Only these responses are sent after `Prefer` was read, which follows authentication.
        if (security.length && /^(200|304|400|404|410)$/.test(status)) names.push("Preference-Applied");
        const media = response.content?.["application/json"];
        if (media?.schema && status === "200")
          media.example = answerOf(operation, exampleOf(media.schema, schemas));
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
  document.components = { ...document.components, headers: headersOf(settings) };
  return document;
};

/**
 * The answer to the question that the examples of a general report's parameters ask: of all dimensions, only those of
 * `por`, and no comparison.
 */
const answerOf = ({ parameters = [] }: Pick<Operation, "parameters">, example: unknown): unknown => {
  const { por, medidas } = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const { data, totais } = example as { data?: object[]; totais?: object };
  if (por === undefined || medidas === undefined || data === undefined || totais === undefined)
    return example;
  const names = new Set([por.example, ...(medidas["x-names"] ?? [])]);
  const keep = (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => names.has(name)));
  return { ...(example as object), data: data.map(keep), totais: keep(totais) };
};

const exampleOf = (schema: Schema, schemas: Record<string, Schema>): unknown => {
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref) return exampleOf(schemas[nameOf(schema)] ?? {}, schemas);
  if (schema.anyOf?.[0]) return exampleOf(schema.anyOf[0], schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  // Optional fields come only with the parameter that asks for them.
  const isSent = (name: string) => schema.required?.includes(name) ?? true;
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => isSent(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, schemas)]));
};
