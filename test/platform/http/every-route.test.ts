// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import type { Source } from "../../../src/api/v1/relatorios/source.ts";
import { SOURCES } from "../../../src/api/v1/relatorios/sources/index.ts";
import { type Document, type Operation, operationsOf, type Parameter } from "../../support/document.ts";
import { EDGE_CASE_UNIT } from "../../support/requests.ts";
import { createBodyValidator } from "../../support/validity.ts";
import {
  databaseRequests,
  expectError,
  get,
  mendDatabase,
  post,
  readDocument,
  send,
} from "../../support/worker/api.ts";
import { insertEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";

let document: Document;
let violations: ReturnType<typeof createBodyValidator>;
let operations: ReturnType<typeof operationsOf>;
const readOperations = () => operations.filter(({ path }) => path.startsWith("/v1/"));

const expectValid = async (operation: Operation, response: Response) => {
  const text = await response.text();
  expect(violations(operation, response.status, JSON.parse(text)), text.slice(0, 300)).toEqual([]);
};

/** The path, with the id of an existing record if it has one. */
const pathOfRecord = async (path: string): Promise<string> => {
  if (!path.includes("{")) return path;
  const list = await (await get(path.replace(/\/\{\w+\}/, ""))).json<{ data: Record<string, unknown>[] }>();
  const record = list.data[0] ?? {};
  const key =
    {
      "/v1/transacoes/{id}": "salon_id",
      "/v1/lancamentos/{id}": "salon_id",
      "/v1/pagamentos-erp/{id}": "erp_id",
      "/v1/fechamentos/{mes}": "mes",
    }[path] ?? "id";
  return path.replace(/\{\w+\}/, encodeURIComponent(String(record[key])));
};

/**
 * Limits a report by period to one year: the edge-case rows span more than it allows. Adds what
 * other parameters need: a range to `comparar`, and clients to filters of them.
 */
const withRange = (url: string, { parameters = [] }: Operation): string => {
  const [path, query] = url.split("?");
  const given = Object.fromEntries(new URLSearchParams(query));
  const needsClient = "visitas_min" in given || "sem_visita_desde" in given;
  const needsReturn = "retorno_dias" in given;
  const needed = {
    ...(needsClient && { por: "cliente" }),
    ...(needsReturn && { medidas: "retorno" }),
    ...given,
  };
  const needsRange = parameters.some(({ name }) => name === "granularidade" || name === "por");
  // What is left is compared once a range is over (R27).
  const [from, to] =
    path?.endsWith("/resultado") && "comparar" in given ? ["2025-01", "2025-12"] : ["2026-01", "2026-12"];
  const year = { data_inicio: `${from}-01T00:00:00Z`, data_fim: `${to}-31T00:00:00Z` };
  const hasRange = "periodo" in given || (!needsRange && !("comparar" in given));
  if (hasRange && !needsClient && !needsReturn) return url;
  return `${path}?${new URLSearchParams({ ...(!hasRange && year), ...needed })}`;
};

beforeAll(async () => {
  await insertEdgeCaseRows();
  document = await readDocument();
  violations = createBodyValidator(document);
  operations = operationsOf(document);
});

describe("every operation", () => {
  it("has complete documentation", () => {
    for (const { operation } of operations) {
      expect(operation, operation.operationId).toMatchObject({
        operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        summary: expect.any(String),
        description: expect.any(String),
        tags: [expect.any(String)],
      });
      const media = Object.values(operation.responses["200"]?.content ?? {})[0];
      expect(media?.example, `${operation.operationId} needs an example`).toBeDefined();
      for (const parameter of operation.parameters ?? []) {
        expect(parameter.description, `${operation.operationId} ${parameter.name}`).toBeTruthy();
        expect(parameter.schema.example, `${operation.operationId} ${parameter.name}`).toBeDefined();
      }
    }
  });

  it("has an example that matches its schema", () => {
    for (const { operation } of operations) {
      const example = operation.responses["200"]?.content?.["application/json"]?.example;
      if (example !== undefined)
        expect(violations(operation, 200, example), operation.operationId).toEqual([]);
    }
  });

  it("requires a token, unless it is public (A1)", async () => {
    const open = ["/health", "/llms.txt", "/auth/login", "/auth/refresh"];
    for (const { method, path, operation } of operations) {
      const response = await send(path.replace(/\{\w+\}/, "1"), { method });
      if (open.includes(path)) {
        expect(operation.security, path).toEqual([]);
        expect(response.headers.get("WWW-Authenticate"), path).toBeNull();
      } else {
        expect(operation.security, path).toEqual([{ bearer: [] }]);
        await expectError(response, 401, "Unauthorized", /POST \/auth\/refresh/);
      }
    }
  });

  it("returns 405 with Allow for a method that its path does not have (E1)", async () => {
    for (const { path } of operations) {
      const methods = Object.keys(document.paths[path] ?? {}).map((method) => method.toUpperCase());
      const response = await send(path.replace(/\{\w+\}/, "1"), { method: "DELETE" });
      const expected = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
      expect(response.headers.get("Allow"), path).toBe(expected);
      await expectError(response, 405, "Method Not Allowed", /does not allow DELETE/);
    }
  });

  it("returns bodies that match its schema, for demo data and for edge-case rows (V3)", async () => {
    for (const { path, operation } of readOperations()) {
      const names = (operation.parameters ?? []).map(({ name }) => name);
      const here = await pathOfRecord(path);
      const queries = [
        "",
        names.includes("per_page") ? "?per_page=200" : "",
        names.includes("after_id") ? "?after_id=0&per_page=200" : "",
      ];
      if (names.includes("estabelecimento_id"))
        queries.push(`?estabelecimento_id=${encodeURIComponent(EDGE_CASE_UNIT)}`);
      if (path === "/v1/pagamentos-erp") queries.push("?after_id=0&data_inicio=2038-01-01T00:00:00Z");
      if (names.includes("page")) queries.push("?page=999999");
      if (names.includes("periodo")) queries.push("?periodo=30-dias");
      if (names.includes("comparar")) queries.push("?periodo=2026-10&comparar=mes-anterior");
      const source = SOURCES.find((one) => path === `/v1/relatorios/${one.name}`) as Source | undefined;
      if (source)
        queries.push(
          ...Object.keys(source.dimensions).map((name) => `?por=${name}&periodo=2026-10`),
          ...Object.keys(source.dimensions).map((name) => `?por=${name}&periodo=2026-10&comparar=anterior`),
          ...Object.keys(source.measures).map(
            (name) =>
              `?por=${"mes" in source.dimensions ? "mes" : "unidade"}&medidas=${name}&periodo=2026-10`,
          ),
        );
      for (const query of new Set(queries)) {
        const response = await get(withRange(`${here}${query}`, operation));
        expect(response.status, `${here}${query}`).toBe(200);
        await expectValid(operation, response);
      }
    }
  });

  it("returns a single edge-case record that matches its schema (I2)", async () => {
    const operation = (path: string) => document.paths[path]?.get as Operation;
    for (const resource of ["transacoes", "lancamentos"]) {
      const list = await (
        await get(`/v1/${resource}?per_page=200&estabelecimento_id=${encodeURIComponent(EDGE_CASE_UNIT)}`)
      ).json<{
        data: { salon_id: string }[];
      }>();
      expect(list.data).toHaveLength(45);
      for (const { salon_id } of list.data) {
        const response = await get(`/v1/${resource}/${encodeURIComponent(salon_id)}`);
        // A path cannot contain an id with a control character or more than 64 characters (I2, I4).
        const isPossible = !/\p{Cc}/u.test(salon_id) && [...salon_id].length <= 64;
        expect(response.status, salon_id).toBe(isPossible ? 200 : 404);
        await expectValid(operation(`/v1/${resource}/{id}`), response);
      }
    }
  });

  it("documents the errors it returns, in the error shape (E1)", async () => {
    const login = document.paths["/auth/login"]?.post as Operation;
    await expectValid(login, await post("/auth/login", {}));
    await expectValid(login, await post("/auth/login", "x".repeat(5000)));
    for (const { path, operation } of readOperations()) {
      await expectValid(operation, await send(path.replace(/\{\w+\}/, "1")));
      await expectValid(operation, await send(path.replace(/\{\w+\}/, "1"), { method: "PATCH" }));
      if (path.includes("{")) await expectValid(operation, await get(path.replace(/\{\w+\}/, "%00")));
      else if (operation.parameters)
        await expectValid(operation, await get(`${path}?${operation.parameters[0]?.name}=`));
    }
  });

  it("honours Prefer: handling=strict (I5)", async () => {
    for (const { path, operation } of readOperations()) {
      const here = await pathOfRecord(path);
      const known = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
      expect((await get(`${here}?color=red`)).headers.get("Preference-Applied"), path).toBeNull();
      const strict = { Prefer: "respond-async, handling=strict; wait=1" };
      const refused = await get(withRange(`${here}?color=red`, operation), strict);
      expect(refused.headers.get("Preference-Applied"), path).toBe("handling=strict");
      await expectError(refused, 400, "Bad Request", /^`color` is not a parameter of this route/);
      const accepted = await get(
        withRange(`${here}${known.some(({ name }) => name === "per_page") ? "?per_page=1" : ""}`, operation),
        strict,
      );
      expect([accepted.status, accepted.headers.get("Preference-Applied")], path).toEqual([
        200,
        "handling=strict",
      ]);
    }
  });

  it("sends one statement in one round trip, and none when it rejects the request (L3, R7)", async () => {
    for (const { path, operation } of readOperations()) {
      const here = await pathOfRecord(path);
      await mendDatabase();
      await get(withRange(here, operation));
      expect(await databaseRequests(), path).toBe(1);
      await send(here);
      const [first] = operation.parameters ?? [];
      if (first) await get(path.includes("{") ? path.replace(/\{\w+\}/, "%00") : `${path}?${first.name}=`);
      expect(await databaseRequests(), path).toBe(1);
    }
  });

  it("links other pages with the parameters that it knows only, also if thousands are unknown (L5)", async () => {
    const unknown = `color=red&color=blue&%C3%A9=%22&${"%22&".repeat(800)}${"x".repeat(200)}=1`;
    const lists = readOperations().filter(({ operation }) =>
      operation.parameters?.some(({ name }) => name === "page" || name === "after"),
    );
    expect(lists.length).toBeGreaterThan(10);
    for (const { path, operation } of lists) {
      const names = (operation.parameters ?? []).map(({ name }) => name);
      const known = { "": "", formato: "&formato=csv", after_id: "&after_id=0", periodo: "&periodo=2026" };
      for (const [name, parameter] of Object.entries(known)) {
        if (name !== "" && !names.includes(name)) continue;
        const query = `per_page=1${parameter}`;
        const plain = (await get(`${path}?${query}`)).headers.get("Link");
        expect(plain, `${path}?${query}`).toContain('rel="next"');
        const response = await get(`${path}?${unknown}&${query}&${unknown}`);
        expect(response.status).toBe(200);
        expect(response.headers.get("Link"), `${path}?${query}`).toBe(plain);
        for (const [, target = ""] of plain?.matchAll(/<([^>]+)>/g) ?? [])
          for (const name of new URL(target, "https://api.test").searchParams.keys())
            expect(names, `${path}?${query}`).toContain(name);
      }
    }
  });

  it("returns the duration of each step in Server-Timing (E8)", async () => {
    for (const { path, operation } of readOperations()) {
      const timing = (await get(withRange(await pathOfRecord(path), operation))).headers.get("Server-Timing");
      for (const part of ["auth", "limit", "db", "total"])
        expect(timing, path).toMatch(new RegExp(`\\b${part};dur=[\\d.]+`));
    }
  });
});

/** Texts between bars. */
const texts = (...lines: string[]) => lines.flatMap((line) => line.split(" | "));

describe("every parameter", () => {
  const ALWAYS_INVALID = ["", "%20", "x%00", "%0A", "a%C2%85"];
  const NOT_NUMBERS = texts(
    "-1 | 1.0 | 1e2 | 0x10 | %2B1 | 1%20 | x | ١٢ | １ | NaN | Infinity | true",
    "1;drop table users | %25 | 99999999999999999999",
  );
  const NOT_DATE_TIMES = texts(
    "2026-01-01 | 2026-01-01T00:00:00 | 2026-02-30T00:00:00Z | 2026-01-01T25:00:00Z | now()",
    "' or 1=1 -- | ٢٠٢٦-01-01T00:00:00Z | -2026-01-01T00:00:00Z | 1 | true",
  );
  const NOT_ENUM_VALUES = texts(
    "X | TRUE | True | 0 | yes | ' or '1'='1 | %25 | _ | null | verdadeiro | valueOf",
    "constructor | __proto__",
  );

  const NOT_PERIODS = texts(
    "%20hoje | Hoje | today | 8-dias | proximos-8-dias | 2026-T5 | 2026-S54 | 1899 | 2201",
    "2026-13 | 2026-02-30 | 2026-1 | 2026-11-01T00:00:00Z | ٢٠٢٦ | constructor | ' or 1=1 --",
  );

  const NOT_DECIMALS = texts(
    "-1 | +1 | 1. | .5 | 1.505 | 1,50 | 1.500,50 | 1e3 | 0x10 | 1 500 | NaN | Infinity",
    "1234567890123 | ٣",
  );

  const PLAIN_TEXTS = ["'; drop table users; --", "%", "_", "\\", "(", "日本"];

  const badValues = ({ name, schema }: Parameter): string[] => {
    if (name === "periodo") return NOT_PERIODS;
    if (name === "valor_min")
      return ["-1", "1e2", "1,5", ".5", "5.", "1.234", "NaN", "Infinity", "١٢", "true"];
    if (schema.pattern && name !== "after")
      return ["X", "constructor", "%27", "%25", ",", "valor_total%20", "--mes"];
    if (schema.type === "integer") {
      const bounds = [
        Number(schema.minimum) - 1,
        ...(schema.maximum === undefined ? [] : [Number(schema.maximum) + 1]),
      ];
      const tooLarge = name === "after_id" ? "9223372036854775808" : "9007199254740992";
      return [...NOT_NUMBERS, tooLarge, ...bounds.map(String)];
    }
    if (schema.type === "number") return NOT_DECIMALS;
    if (schema.format === "date-time") return NOT_DATE_TIMES;
    if (schema.enum) return NOT_ENUM_VALUES;
    return ["x".repeat(Number(schema.maxLength) + 1), "💇".repeat(Number(schema.maxLength) + 1)];
  };

  it("rejects invalid values with a 400 that names it (I1–I4)", async () => {
    /** How many bad values were tried, for each parameter. */
    const tried = new Map<string, number>();
    for (const { path, operation } of readOperations()) {
      const here = await pathOfRecord(path);
      for (const parameter of (operation.parameters ?? []).filter((one) => one.in === "query")) {
        const needed = parameter.schema["x-only-with"];
        const url = needed ? `${here}?${needed}=true&` : `${here}?`;
        const names = new RegExp(`^\`${parameter.name}\` must be `);
        const bad = [...ALWAYS_INVALID, ...badValues(parameter)];
        const kind = JSON.stringify([parameter.name, parameter.schema]);
        // All where the parameter first occurs, and the next two on each further route.
        const count = tried.get(kind);
        const some = count === undefined ? bad : [0, 1].map((n) => bad[(count + n) % bad.length]);
        tried.set(kind, (count ?? 0) + some.length);
        for (const value of some) {
          await expectError(await get(`${url}${parameter.name}=${value}`), 400, "Bad Request", names);
        }
        const good = encodeURIComponent(String(parameter.schema.example));
        const twice = await get(`${url}${parameter.name}=${good}&${parameter.name}=${good}`);
        await expectError(twice, 400, "Bad Request", new RegExp(`^\`${parameter.name}\` must be given once`));
        // The example marker is valid, but belongs to another database.
        const expected = parameter.name === "after" ? 410 : 200;
        const accepted = await get(withRange(`${here}?${parameter.name}=${good}`, operation));
        expect(accepted.status, `${path} ${parameter.name}`).toBe(expected);
      }
    }
  });

  it("that takes names has a pattern of these names in the document (I1)", async () => {
    const patterns: string[] = [];
    for (const { path, operation } of readOperations()) {
      for (const { name, schema } of (operation.parameters ?? []).filter((one) => one.in === "query")) {
        if (!schema.pattern || name === "after" || name === "periodo") continue;
        if (patterns.includes(String(schema.pattern))) continue;
        const here = `${await pathOfRecord(path)}?${name}=`;
        const { message } = await (await get(`${here}color`)).json<{ message: string }>();
        const names = /\. The .+ are ([a-z_, ]+); got/.exec(message)?.[1]?.split(", ") ?? [];
        const pattern = new RegExp(String(schema.pattern));
        for (const one of names) expect(one, `${here}${one}`).toMatch(pattern);
        for (const other of ["color", `${names[0]},color`, `${names[0]},`, `x${names[0]}`])
          expect(other, here).not.toMatch(pattern);
        for (const count of [2, 5]) {
          const several = names.slice(0, count).join(",");
          const { message = "" } = await (await get(`${here}${several}`)).json<{ message?: string }>();
          expect(pattern.test(several), `${here}${several}`).toBe(
            !/^`\w+` must be (different|one)/.test(message),
          );
        }
        patterns.push(pattern.source);
      }
    }
    expect(patterns.length).toBeGreaterThan(20);
  });

  it("that takes a number has the largest that the service accepts as its maximum (I2)", async () => {
    for (const { path, operation } of readOperations())
      for (const { name, schema } of operation.parameters ?? []) {
        if (!/^(integer|number)$/.test(String(schema.type)) || name === "id" || name === "after_id") continue;
        const isInvalid = async (value: unknown) => {
          const { message = "" } = await (await get(`${path}?${name}=${value}`)).json<{ message?: string }>();
          return message.startsWith(`\`${name}\` must be `) && message.includes(`; got "${value}"`);
        };
        expect(await isInvalid(schema.maximum), `${path} ${name}`).toBe(false);
        expect(await isInvalid(BigInt(Math.ceil(Number(schema.maximum))) + 1n), `${path} ${name}`).toBe(true);
      }
  });

  it("treats SQL, wildcards and other alphabets as plain text (I4)", async () => {
    for (const { path, operation } of readOperations()) {
      for (const { name, schema } of (operation.parameters ?? []).filter((one) => one.in === "query")) {
        if (schema.type !== "string" || schema.enum || schema.format || schema.pattern) continue;
        for (const value of PLAIN_TEXTS) {
          const response = await get(withRange(`${path}?${name}=${encodeURIComponent(value)}`, operation));
          expect(response.status, `${path} ${name}=${value}`).toBe(200);
          await expectValid(operation, response);
        }
      }
    }
  });

  it("in a path returns 404 for an id that no record can have (I2, L9)", async () => {
    for (const { path, operation } of readOperations().filter((one) => one.path.includes("{"))) {
      const isNumber = operation.parameters?.[0]?.schema.type === "integer";
      const ids = [
        "%00",
        "a%0Ab",
        "x".repeat(65),
        "nothing",
        "' or 1=1",
        ...(isNumber ? ["-1", "1e2", "0x10", "1.0", "9007199254740992", "99999999999999999999"] : []),
      ];
      const key = /transacoes|lancamentos/.test(path) ? "salon_id" : path.includes("erp") ? "erp_id" : "id";
      const hint =
        key === "id"
          ? " Reports name the record's `salon_id`\\. To find it by that, send it as `salon_id` to the list\\."
          : "";
      const message = path.endsWith("{mes}")
        ? /^The month ".*" was never closed\. Send one that the list of closings has\.$/
        : new RegExp(
            `^No record that you may read has the id ".*"\\. Send the record's \`${key}\` as \`id\`\\.${hint}$`,
          );
      for (const id of [...ids, "9007199254740991"])
        await expectError(await get(path.replace(/\{\w+\}/, id)), 404, "Not Found", message);
    }
  });
});
