import fc from "fast-check";
import { type Document, type Operation, operationsOf, type Parameter, type Schema } from "./document.ts";
import type { createBodyValidator } from "./validity.ts";

/** The unit under which the rows with extreme values are inserted. */
export const EDGE_CASE_UNIT = "nasty é'%_\\";

/** Random bytes for a URL: some escaped correctly, some incorrectly, some not at all. */
const bytes = fc
  .uint8Array({ maxLength: 24 })
  .map((all) =>
    Array.from(all, (byte) =>
      byte > 0x20 && byte < 0x7f && !/[#?]/.test(String.fromCharCode(byte)) && byte % 3 !== 0
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, "0")}`,
    ).join(""),
  );

const hostile = fc.oneof(
  bytes,
  fc.string({ unit: "grapheme", maxLength: 70 }).map(encodeURIComponent),
  fc.constantFrom(
    "",
    "%",
    "%00",
    "' or 1=1 --",
    "%25%5F",
    "\\",
    "NaN",
    "-1",
    "1e309",
    "9".repeat(40),
    EDGE_CASE_UNIT,
    "a".repeat(4000),
  ),
);

/** Names of periods, valid for the most part. */
const periodName = fc.oneof(
  fc.constantFrom("hoje", "ontem", "7-dias", "30-dias", "90-dias", "proximos-7-dias", "proximos-30-dias"),
  fc.constantFrom("semana", "semana-passada", "mes", "mes-passado", "trimestre", "trimestre-passado"),
  fc.constantFrom("ano", "ano-passado", "2026-T4", "1900-T1", "2026-S48", "2026-S53", "2025-S53"),
  fc
    .date({
      min: new Date("1899-12-30T00:00:00Z"),
      max: new Date("2201-01-02T00:00:00Z"),
      noInvalidDate: true,
    })
    .chain((date) => fc.constantFrom(4, 7, 10).map((length) => date.toISOString().slice(0, length))),
);

const wellFormed = (schema: Schema): fc.Arbitrary<string> => {
  if (String(schema.pattern).includes("hoje")) return periodName;
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String));
  if (schema.type === "integer") {
    const [min, max] = [Number(schema.minimum ?? 0), Number(schema.maximum ?? Number.MAX_SAFE_INTEGER)];
    return fc
      .oneof(
        fc.integer({ min, max: Math.min(max, min + 300) }),
        fc.maxSafeNat().filter((n) => n >= min && n <= max),
        fc.constant(max),
      )
      .map(String);
  }
  if (schema.type === "number")
    return fc
      .tuple(fc.nat({ max: 9999 }), fc.constantFrom("", ".5", ".05", ".99"))
      .map((parts) => parts.join(""));
  if (schema.pattern) return fc.constant(String(schema.example));
  if (schema.format === "date-time") {
    const zones = fc.constantFrom("Z", "z", "-03:00", "-0300", "-03", "+14:00", "%2B05:30", "-14:00");
    const span = {
      min: new Date("1900-01-02T00:00:00Z"),
      max: new Date("2200-12-30T00:00:00Z"),
      noInvalidDate: true,
    };
    return fc.tuple(fc.date(span), zones).map(([date, zone]) => `${date.toISOString().slice(0, 23)}${zone}`);
  }
  return fc.oneof(
    fc.constantFrom("101", "202", "7003", "Aluguel", "leo", encodeURIComponent(EDGE_CASE_UNIT)),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 }).map(encodeURIComponent),
  );
};

const parameterOf = ({ name, schema }: Parameter) =>
  fc
    .oneof({ weight: 5, arbitrary: wellFormed(schema) }, { weight: 1, arbitrary: hostile })
    .map((value) => `${name}=${value}`);

/** A generated request. `operation` is set if the request targets a documented operation. */
export interface GeneratedRequest {
  url: string;
  init: RequestInit;
  operation?: Operation;
}

/**
 * Generates requests from the document's parameters, mostly with valid values, sometimes with hostile ones.
 * @param bearers valid `Authorization` values
 */
export const documentedRequests = (document: Document, bearers: string[]): fc.Arbitrary<GeneratedRequest> =>
  fc
    .constantFrom(...operationsOf(document).filter(({ path }) => path.startsWith("/v1/")))
    .chain(({ path, operation }) => {
      const known = operation.parameters ?? [];
      const query = fc.tuple(
        ...known
          .filter((one) => one.in === "query")
          .map((one) => fc.option(parameterOf(one), { freq: 2, nil: undefined })),
      );
      const id = fc.oneof(fc.constantFrom("T1", "L1", "1", "900003"), hostile);
      const headers = fc.record(
        {
          "If-None-Match": fc.constantFrom("*", 'W/"x"', ",,,", '"'),
          Prefer: fc.constantFrom("handling=strict", "handling=lenient", "x"),
          Accept: fc.constantFrom("text/html", "*/*", "application/json;q=0", "text/csv", "text/*;q=0.1"),
          "X-Request-Id": fc.string({ unit: "grapheme-ascii", maxLength: 80 }),
        },
        { requiredKeys: [] },
      );
      const bearer = fc.constantFrom(...bearers);
      return fc.record({ id, query, headers, bearer }).map((given) => ({
        operation,
        url: `${path.replace(/\{\w+\}/, given.id)}?${given.query.filter(Boolean).join("&")}`,
        init: { headers: { ...given.headers, Authorization: given.bearer } },
      }));
    });

const message = (tools: string[]) =>
  fc.record({
    jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0", 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    method: fc.constantFrom(
      "tools/call",
      "tools/call",
      "tools/call",
      "tools/list",
      "initialize",
      "ping",
      "server/discover",
      "x",
    ),
    params: fc.oneof(
      fc.record(
        {
          name: fc.oneof(fc.constantFrom(...tools), fc.string({ unit: "binary" })),
          arguments: fc.oneof(
            fc.dictionary(
              fc.oneof(
                fc.constantFrom("page", "per_page", "id", "data_inicio", "after", "after_id", "nome"),
                fc.string(),
              ),
              fc.oneof(fc.nat({ max: 200 }), fc.jsonValue(), fc.string({ unit: "binary" })),
              { maxKeys: 3 },
            ),
            fc.jsonValue(),
          ),
          protocolVersion: fc.constantFrom("2025-11-25", "x"),
        },
        { requiredKeys: ["name"] },
      ),
      fc.jsonValue(),
    ),
  });

/**
 * Generates MCP messages: mostly tool calls, with valid, odd or missing arguments.
 * @param bearers valid `Authorization` values
 */
export const mcpRequests = (document: Document, bearers: string[]): fc.Arbitrary<GeneratedRequest> => {
  const tools = operationsOf(document)
    .filter(({ path }) => path.startsWith("/v1/"))
    .map(({ operation }) => operation.operationId);
  return fc
    .record({
      body: fc.oneof({ weight: 9, arbitrary: message(tools) }, { weight: 1, arbitrary: fc.jsonValue() }),
      bearer: fc.constantFrom(...bearers),
      revision: fc.constantFrom(undefined, undefined, "2026-07-28", "2025-11-25", "x"),
    })
    .map(({ body, bearer, revision }) => ({
      url: "/mcp",
      init: {
        method: "POST",
        body: JSON.stringify(body),
        headers: {
          Authorization: bearer,
          "Content-Type": "application/json",
          ...(revision && { "Mcp-Protocol-Version": revision }),
        },
      },
    }));
};

/** A request object takes only ASCII in its headers. */
const headerText = fc.string({ unit: "grapheme-ascii", maxLength: 40 }).map((text) => text.trim());

const METHODS = ["GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"];
const STARTS = [
  "",
  "/v1",
  "/v1/transacoes",
  "/v1/lancamentos",
  "/v1/relatorios",
  "/auth",
  "/auth/login",
  "/auth/refresh",
  "/auth/logout",
  "/operations/summary",
  "/docs",
  "/painel",
  "/health",
  "/mcp",
];

/** Generates requests without the document: random method, path, query, body and headers. */
export const arbitraryRequests = (bearers: string[]): fc.Arbitrary<GeneratedRequest> =>
  fc
    .record({
      method: fc.constantFrom(...METHODS),
      path: fc
        .tuple(fc.constantFrom(...STARTS), fc.constantFrom("", "/"), bytes)
        .map((parts) => parts.join("")),
      query: bytes,
      body: fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json(),
        fc.constantFrom('{"email":"a@example.com","password":', '{"refresh_token":"x"}'),
      ),
      headers: fc.record(
        {
          Authorization: fc.oneof(
            fc.constantFrom(...bearers),
            headerText,
            headerText.map((token) => `Bearer ${token}`),
            fc.stringMatching(/^agt_[\w-]{40,44}$/).map((token) => `Bearer ${token}`),
          ),
          "Content-Type": fc.oneof(
            fc.constantFrom("application/json", "application/json;charset=utf-16", "multipart/form-data"),
            headerText,
          ),
          Accept: headerText,
          Cookie: headerText,
          "If-None-Match": headerText,
          Origin: headerText,
          Prefer: headerText,
          "X-Forwarded-For": headerText,
          "X-Request-Id": headerText,
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ method, path, query, body, headers }) => ({
      url: `${path.startsWith("/") ? path : `/${path}`}?${query}`,
      init: { method, headers, ...(/^(GET|HEAD|OPTIONS)$/.test(method) ? {} : { body }) },
    }));

/**
 * Checks the response to a generated request. Returns what is wrong, or undefined if it is correct.
 * @param violations validates a body against the document's schemas
 */
export const findViolation = (
  { url, init, operation }: GeneratedRequest,
  status: number,
  text: string,
  violations: ReturnType<typeof createBodyValidator>,
): string | undefined => {
  const answer = `${init.method ?? "GET"} ${url} answered ${status} ${text.slice(0, 200)}`;
  // An isolate sends three whole lists at once (X2).
  if (status === 503 && text.includes("whole lists are being sent")) return undefined;
  if (status >= 500) return answer;
  // Every bearer is valid. Without this check, a run whose tokens have expired would pass.
  if (status === 401 && ((operation && url.startsWith("/v1/")) || url === "/mcp")) return answer;
  if (status === 304 || init.method === "HEAD") return undefined;
  // A client that prefers HTML gets a page for a path that no route has (A2).
  const prefersHtml = new Headers(init.headers).get("Accept")?.startsWith("text/");
  if (status === 404 && prefersHtml && text.startsWith("<!doctype html>")) return undefined;
  // An id that is a slash or a dot segment resolves to another path.
  const isElsewhere = status === 404 && text.includes("This path does not exist");
  // The length of the URL is checked before the route (E2).
  if (operation && !isElsewhere && status !== 414) {
    // CSV, whole lists and `campos` have tests of their own.
    if (status === 200 && !text.startsWith("{")) return undefined;
    const { searchParams } = new URL(url, "https://api.test");
    const isOther = status === 200 && (searchParams.has("campos") || searchParams.get("tudo") === "true");
    const [violation] = isOther ? [] : violations(operation, status, JSON.parse(text));
    return violation && `${answer}: ${violation}`;
  }
  if (status < 400) return undefined;
  const keys = Object.keys(JSON.parse(text)).join();
  // Errors of valid MCP messages have the JSON-RPC shape.
  const isError = keys === "error,message" || (url === "/mcp" && keys === "jsonrpc,error,id");
  return isError ? undefined : answer;
};
