import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { authorization, send, signIn, type Tokens } from "./support/api.ts";
import {
  type Document,
  operationsOf,
  type Parameter,
  readDocument,
  type Schema,
} from "./support/document.ts";
import { insertNastyRows, NASTY_UNIT } from "./support/nasty.ts";
import { createValidity } from "./support/validity.ts";

const RUNS = Math.ceil(inject("fuzzRuns") / 2);
// Small steps keep a failing case short.
const BATCH = 8;

let tokens: Tokens;
let document: Document;
let violations: ReturnType<typeof createValidity>;

beforeAll(async () => {
  await insertNastyRows();
  tokens = await signIn();
  document = await readDocument();
  violations = createValidity(document);
});

/** Bytes as they may stand in a URL: some escaped well, some badly, some not at all. */
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
    NASTY_UNIT,
    "a".repeat(4000),
  ),
);

const wellFormed = (schema: Schema): fc.Arbitrary<string> => {
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
  if (schema.format === "date-time") {
    const zones = fc.constantFrom("Z", "-03:00", "+14:00", "%2B05:30", "-14:00");
    const span = {
      min: new Date("1900-01-02T00:00:00Z"),
      max: new Date("2200-12-30T00:00:00Z"),
      noInvalidDate: true,
    };
    return fc.tuple(fc.date(span), zones).map(([date, zone]) => `${date.toISOString().slice(0, 23)}${zone}`);
  }
  return fc.oneof(
    fc.constantFrom("101", "202", "7003", "Aluguel", "leo", encodeURIComponent(NASTY_UNIT)),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 10 }).map(encodeURIComponent),
  );
};

const parameterOf = ({ name, schema }: Parameter) =>
  fc
    .oneof({ weight: 5, arbitrary: wellFormed(schema) }, { weight: 1, arbitrary: hostile })
    .map((value) => `${name}=${value}`);

/** A request that knows the document: its parameters, mostly with good values, sometimes with hostile ones. */
const byDocument = () =>
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
          Accept: fc.constantFrom("text/html", "*/*", "application/json;q=0"),
          "X-Request-Id": fc.string({ unit: "grapheme-ascii", maxLength: 80 }),
        },
        { requiredKeys: [] },
      );
      return fc.record({
        operation: fc.constant(operation),
        path: id.map((text) => path.replace("{id}", text)),
        query,
        headers,
      });
    });

/** A request that knows nothing: any method, path and header of random bytes. */
const byBytes = () =>
  fc.record({
    method: fc.constantFrom("GET", "GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"),
    path: fc
      .tuple(
        fc.constantFrom(
          "",
          "/v1",
          "/v1/transacoes",
          "/v1/lancamentos",
          "/auth",
          "/auth/login",
          "/auth/refresh",
          "/auth/logout",
          "/health",
        ),
        bytes,
      )
      .map(([start, rest]) => `${start}/${rest}`),
    query: bytes,
    body: fc.oneof(
      bytes,
      fc.json(),
      fc.constant('{"email":"a@example.com","password":'),
      fc.constant('{"refresh_token":"x"}'),
    ),
    authorization: fc.oneof(
      fc.constant(undefined),
      bytes.map((text) => `Bearer ${text}`),
      fc.constant("good"),
    ),
    contentType: fc.constantFrom(
      "application/json",
      "text/plain",
      "",
      "application/json;charset=utf-16",
      "multipart/form-data",
    ),
  });

const inBatches = async <T>(arbitrary: fc.Arbitrary<T>, check: (one: T) => Promise<void>) => {
  const property = fc.asyncProperty(
    fc.array(arbitrary, { minLength: BATCH, maxLength: BATCH }),
    async (all) => {
      await Promise.all(all.map(check));
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(RUNS / BATCH), seed: inject("fuzzSeed") });
};

describe("generated requests", () => {
  it("that know the document: no 5xx, and no body outside its schema", { timeout: 1_200_000 }, async () => {
    await inBatches(byDocument(), async ({ operation, path, query, headers }) => {
      const url = `${path}?${query.filter(Boolean).join("&")}`;
      const response = await send(url, { headers: { ...headers, ...authorization(tokens) } });
      const text = await response.text();
      expect(response.status, `${url} ${text.slice(0, 200)}`).toBeLessThan(500);
      if (response.status === 304) return;
      // An id that is a slash or a dot segment makes another path of it.
      if (response.status === 404 && text.includes("nothing at this path")) return;
      expect(
        violations(operation, response.status, JSON.parse(text)),
        `${url} ${text.slice(0, 200)}`,
      ).toEqual([]);
    });
  });

  it("of random bytes: no 5xx, and every refusal in the error shape", { timeout: 1_200_000 }, async () => {
    await inBatches(byBytes(), async ({ method, path, query, body, authorization: given, contentType }) => {
      const headers = new Headers();
      if (given !== undefined)
        headers.set("Authorization", given === "good" ? authorization(tokens).Authorization : given);
      if (contentType) headers.set("Content-Type", contentType);
      const init = /^(GET|HEAD|OPTIONS)$/.test(method) ? { method, headers } : { method, headers, body };
      const response = await send(`${path}?${query}`, init);
      const text = await response.text();
      expect(response.status, `${method} ${path}?${query} ${text.slice(0, 200)}`).toBeLessThan(500);
      if (response.status >= 400 && method !== "HEAD") {
        expect(JSON.parse(text)).toEqual({ error: expect.any(String), message: expect.any(String) });
      }
    });
  });
});
