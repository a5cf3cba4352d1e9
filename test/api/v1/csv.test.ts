// @module-tag server
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Source } from "../../../src/api/v1/relatorios/source.ts";
import { SOURCES } from "../../../src/api/v1/relatorios/sources/index.ts";
import type { Schema } from "../../support/document.ts";
import { inFormula, inQuotes, withApostrophe } from "../../support/excel-texts.ts";
import { expectError, get, send } from "../../support/worker/api.ts";
import { insertEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";
import { exactJson, isRawJson, recordsByPath } from "../../support/worker/tables.ts";

let TABLES: [path: string, columns: Record<string, Schema>][];
beforeAll(async () => {
  await insertEdgeCaseRows();
  TABLES = Object.entries(await recordsByPath("formato"));
}, 60_000);

/** Amounts and quantities that are text in JSON. */
const NUMERIC = ["total", "valor", "valor_pagamento", "valor_unitario", "valor_total", "quantidade"];
const NESTED = ["raw_data", "servicos"];

const clock = new Intl.DateTimeFormat("pt-BR", {
  timeZone: "America/Sao_Paulo",
  dateStyle: "short",
  timeStyle: "medium",
});
const inBrasilia = (instant: string) => {
  const parts = Object.fromEntries(
    clock.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]),
  );
  const year = new Intl.DateTimeFormat("en", { timeZone: "America/Sao_Paulo", year: "numeric" });
  return `${parts.day}/${parts.month}/${year.format(new Date(instant))} ${parts.hour}:${parts.minute}:${parts.second}`;
};

const typeOf = (column: string, { format, type, anyOf }: Schema): string => {
  const nullable = [type, ...(anyOf ?? []).map((one) => one.type)].flat();
  if (NUMERIC.includes(column) || nullable.some((one) => one === "number" || one === "integer"))
    return "number";
  return String(format ?? anyOf?.find((one) => one.format)?.format ?? "text");
};

/** JSON with the blanks that Postgres writes. */
const jsonText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (typeof value !== "object" || value === null || isRawJson(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${jsonText(one)}`);
  return `{${fields.join(", ")}}`;
};

/** Whether Excel keeps a text of these tests, none of which is a date in words or an amount. */
const isKept = (text: string) =>
  /^([\p{Script=Latin}{["]|(0|[1-9]\d{0,7})?$)/u.test(text) && !/^(true|verdadeiro)$/i.test(text);

/** The cell of a value, written out plainly (X1). */
const cell = (value: unknown, type: string, isExcel: boolean): string => {
  if (value === null) return "";
  if (typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : jsonText(value);
  if (type === "number" && !(isExcel && /^\d{16}/.test(text))) return isExcel ? text.replace(".", ",") : text;
  const isFiniteTime = !text.endsWith("infinity");
  if (isExcel && type === "date-time" && isFiniteTime) return inBrasilia(text);
  if (isExcel && type === "date" && isFiniteTime) return text.split("-").reverse().join("/");
  if (isExcel && !isKept(text)) return (text.length <= 255 ? inFormula : withApostrophe)(text);
  return (isExcel ? /[;"\r\n]|^$/ : /[,"\r\n]|^$/).test(text) ? inQuotes(text) : text;
};

const csvOf = (json: string, columns: [string, Schema][], isExcel: boolean): string => {
  const { data } = exactJson(json) as { data: Record<string, unknown>[] };
  const rows = data.map((row) =>
    columns.map(([name, schema]) => cell(row[name], typeOf(name, schema), isExcel)),
  );
  const lines = [columns.map(([name]) => name), ...rows].map((row) => `${row.join(isExcel ? ";" : ",")}\r\n`);
  return `${isExcel ? "\uFEFF" : ""}${lines.join("")}`;
};

/** Some dimensions and measures of a general report. At most one is of the calendar. */
const questionOf = ({ dimensions, measures }: Source, pick: boolean[]) => {
  const others = Object.keys(dimensions).filter((name) => dimensions[name]?.calendar === undefined);
  const por = [
    ...(pick[7] && "mes" in dimensions ? ["mes"] : []),
    ...others.filter((_, i) => pick[i]),
    others[0] ?? "",
  ];
  const counted = Object.keys(measures).filter((name, i) => pick[i + 9] && !measures[name]?.isOfGoals);
  return {
    por: [...new Set(por)].slice(0, 3),
    medidas: counted.length > 0 ? counted : Object.keys(measures).slice(0, 1),
  };
};

/** The names of the columns of an answer, in order (R20). */
const columnsOf = ({ dimensions }: Source, { por, medidas }: ReturnType<typeof questionOf>) => [
  ...Object.entries(dimensions).flatMap(([name, { keys, labels = {} }]) =>
    por.includes(name) ? Object.keys({ ...keys, ...labels }) : [],
  ),
  ...medidas,
];

const YEAR = "data_inicio=2026-01-01T03:00:00Z&data_fim=2026-12-31T00:00:00Z";
const bytes = async (response: Response) =>
  new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(await response.arrayBuffer());
const CONTENT_TYPE = "text/csv; charset=utf-8; header=present";

describe("CSV (X1)", () => {
  it("has the rows of the JSON response, cell by cell, on every list and report of rows", async () => {
    expect(TABLES.map(([path]) => path)).toEqual(
      expect.arrayContaining(["/v1/transacoes", "/v1/estabelecimentos", "/v1/relatorios/pagamentos"]),
    );
    const question = fc.record({
      n: fc.integer({ min: 0, max: TABLES.length - 1 }),
      isExcel: fc.boolean(),
      hasFields: fc.boolean(),
      range: fc.boolean(),
      page: fc.integer({ min: 1, max: 4 }),
      pick: fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ n, isExcel, hasFields, range, page, pick }) => {
        const [path, schemas] = TABLES[n] as (typeof TABLES)[number];
        const isReport = path.startsWith("/v1/relatorios/");
        const all = Object.entries(schemas);
        const named = isReport || !hasFields ? [] : all.filter((_, i) => pick[i]);
        const source = SOURCES.find(({ name }) => path === `/v1/relatorios/${name}`) as Source | undefined;
        const question = source && questionOf(source, pick);
        const shown = source && question && columnsOf(source, question);
        const ofReport = shown?.map((name): [string, Schema] => [name, schemas[name] ?? {}]) ?? all;
        const ofList = named.length > 0 ? named : all.filter(([name]) => !NESTED.includes(name));
        const columns = isReport ? ofReport : ofList;
        const query = [
          ...(question ? [`por=${question.por}&medidas=${question.medidas}&limite=1100`] : []),
          ...(range || isReport ? [YEAR] : []),
          ...(isReport ? [] : [`page=${page}`, "per_page=37"]),
          ...(named.length > 0 ? [`campos=${named.map(([name]) => name)}`] : []),
        ].join("&");
        const json = await get(`${path}?${query}`);
        const csv = await get(`${path}?${query}&formato=${isExcel ? "excel" : "csv"}`);
        expect(csv.status).toBe(200);
        expect(csv.headers.get("Content-Type")).toBe(CONTENT_TYPE);
        expect(await bytes(csv), `${path}?${query}`).toBe(csvOf(await json.text(), columns, isExcel));
        expect(csv.headers.get("Link")?.replaceAll(/&formato=\w+/g, "")).toBe(
          json.headers.get("Link") ?? undefined,
        );
      }),
      { numRuns: 80 },
    );
  }, 180_000);

  it("follows a cursor, has a tag of its own, and answers 304 and HEAD", async () => {
    const path = "/v1/lancamentos?after_id=0&per_page=3&campos=salon_id,raw_data&formato=csv";
    const response = await get(path);
    const json = await get(path.replace("&formato=csv", ""));
    const columns: [string, Schema][] = [
      ["salon_id", { type: "string" }],
      ["raw_data", {}],
    ];
    expect(await bytes(response)).toBe(csvOf(await json.text(), columns, false));
    expect(response.headers.get("Link")).toMatch(
      /^<\/v1\/lancamentos\?after_id=\d+&per_page=3&campos=salon_id%2Craw_data&formato=csv>; rel="next"$/,
    );
    expect(response.headers.get("ETag")).not.toBe(json.headers.get("ETag"));
    const tag = response.headers.get("ETag") ?? "";
    expect((await get(path, { "If-None-Match": tag })).status).toBe(304);
    const { headers } = await get(path);
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="lancamentos.csv"');
  });

  it.each([
    ["text/csv", "csv"],
    ["TEXT/CSV; header=present", "csv"],
    ["text/csv, */*;q=0.1", "csv"],
    ["application/json;q=0.5, text/csv;q=0.6", "csv"],
    ["text/*", "csv"],
    ["text/csv, application/json", "json"],
    ["text/csv, */*", "json"],
    ["text/csv;q=0.4, application/json;q=0.5", "json"],
    ["text/csv;q=0", "json"],
    ["*/*", "json"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "json"],
    ["image/png", "json"],
    ["", "json"],
  ])("answers Accept %j with %s", async (Accept, format) => {
    const response = await get("/v1/jobs-log?per_page=1", { Accept });
    expect(response.headers.get("Content-Type")).toBe(format === "csv" ? CONTENT_TYPE : "application/json");
    expect(response.headers.get("Vary")).toContain("Accept");
    const chosen = await get("/v1/jobs-log?per_page=1&formato=csv", { Accept });
    expect(chosen.headers.get("Content-Type")).toBe(CONTENT_TYPE);
  });

  it("answers JSON where there are no rows, and to errors", async () => {
    for (const path of [
      "/v1/relatorios/resumo",
      "/v1/relatorios/painel",
      "/v1/frescor",
      "/v1/transacoes/T1",
      "/v1/alteracoes/transacoes",
    ]) {
      const response = await get(path, { Accept: "text/csv" });
      expect(response.headers.get("Content-Type"), path).toBe("application/json");
    }
    await expectError(
      await get("/v1/transacoes?page=0", { Accept: "text/csv" }),
      400,
      "Bad Request",
      /^`page`/,
    );
    await expectError(await send("/v1/transacoes?formato=csv"), 401, "Unauthorized", /missing/);
  });

  it.each(["xml", "json", "CSV", "", "%00"])("rejects formato=%s", async (value) => {
    const response = await get(`/v1/transacoes?formato=${value}`);
    await expectError(
      response,
      400,
      "Bad Request",
      /^`formato` must be one of `csv`, `excel`, `ndjson`; got /,
    );
  });

  it("has the range of a named period (I7)", async () => {
    const response = await get("/v1/jobs-log?periodo=2026-03&per_page=2&formato=csv");
    expect(response.headers.get("Applied-Range")).toBe(
      "2026-03-01T00:00:00-03:00/2026-03-31T23:59:59.999999-03:00",
    );
    expect(response.headers.get("Link")).toContain("formato=csv&data_inicio=2026-03-01T00%3A00%3A00-03%3A00");
  });

  it("has only the names of the columns on a page past the end", async () => {
    const response = await get("/v1/lancamentos?formato=csv&per_page=200&page=1000000");
    expect(await bytes(response)).toBe("id,salon_id,estabelecimento_id,synced_at,sent_to_salon,sent_at\r\n");
  });
});
