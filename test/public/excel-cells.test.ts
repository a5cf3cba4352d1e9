// @module-tag server
import { join } from "node:path";
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { csvTable } from "../../src/platform/db/csv-sql.ts";
import { connected } from "../../tools/warehouse/databases.ts";
import {
  CHANGED_BY_EXCEL,
  excelText,
  inFormula,
  inQuotes,
  KEPT_BY_EXCEL,
  TOO_LONG_FOR_A_FORMULA,
  withApostrophe,
} from "../support/excel-texts.ts";
import { type Database, openDatabase } from "../support/node/databases.ts";
import { ROOT } from "../support/node/pages.ts";

// The types of this module need the DOM, which this TypeScript project does not have.
const { sheetText } = await import(join(ROOT, "public/painel/sheet.ts"));

let database: Database;
beforeAll(async () => {
  database = await openDatabase(process.env.TEST_DATABASE_URL);
});
afterAll(() => database.close());

const bySql = (kind: "text" | "number" | "date-time", values: SQL) =>
  connected(database.url, async (db) => {
    const table = csvTable({ valor: kind }, sql`select valor from ${values} as given(valor)`, "excel");
    const { sql: text, params } = new PgDialect().sqlToQuery(sql`select ${table} as body`);
    return (await db.query<{ body: string }>(text, params)).rows[0]?.body;
  });
/** Both writers of files for Excel: the service's and the page's. */
const WRITERS: [string, (texts: string[]) => Promise<string | undefined>][] = [
  ["the service", (texts) => bySql("text", sql`unnest(${sql.param(texts)}::text[])`)],
  [
    "the page",
    async (texts) =>
      `\uFEFF${sheetText({ name: "t", columns: ["valor"], rows: texts.map((text) => [text]) })}`,
  ],
];
const fileOf = (cells: string[]) => `\uFEFF${["valor", ...cells].map((cell) => `${cell}\r\n`).join("")}`;

describe.each(WRITERS)("a file for Excel by %s", (_, write) => {
  it("has text that Excel would change as a formula with the text (X1)", async () => {
    expect(await write(CHANGED_BY_EXCEL)).toBe(fileOf(CHANGED_BY_EXCEL.map(inFormula)));
  });

  it("has an apostrophe before text that is too long for a formula (X1)", async () => {
    expect(await write(TOO_LONG_FOR_A_FORMULA)).toBe(fileOf(TOO_LONG_FOR_A_FORMULA.map(withApostrophe)));
  });

  it("has names, short ids and JSON as they are (X1)", async () => {
    const cells = KEPT_BY_EXCEL.map((text) => (/[;"\n]|^$/.test(text) ? inQuotes(text) : text));
    expect(await write(KEPT_BY_EXCEL)).toBe(fileOf(cells));
  });
});

describe("a file for Excel", () => {
  it("has the same cells from the page and from the service, for any text (X1)", async () => {
    const texts = fc.sample(fc.oneof(excelText, fc.string({ unit: "binary" })), {
      numRuns: 3000,
      seed: inject("fuzzSeed"),
    });
    const stored = texts.map((text) => text.replaceAll("\0", ""));
    const [service, page] = await Promise.all(WRITERS.map(([, write]) => write(stored)));
    expect(page?.split("\r\n")).toEqual(service?.split("\r\n"));
  });

  it("has instants in Brasília from the page and from the service (X1)", async () => {
    const instants = ["2026-11-22T17:32:05Z", "2026-01-01T02:59:59Z"];
    const rows = instants.map((instant) => [new Date(instant)]);
    const cells = fileOf(["22/11/2026 14:32:05", "31/12/2025 23:59:59"]);
    expect(`\uFEFF${sheetText({ columns: ["valor"], rows })}`).toBe(cells);
    expect(await bySql("date-time", sql`unnest(${sql.param(instants)}::timestamptz[])`)).toBe(cells);
  });

  it("keeps every digit of a long id, and has other numbers as numbers (X1)", async () => {
    const numbers = ["9007199254740991", "-1234567890123456", "123456789012345", "-5", "1234567890123.45"];
    const cells = [inFormula("9007199254740991"), inFormula("-1234567890123456"), "123456789012345", "-5"];
    const values = sql`unnest(${sql.param(numbers)}::numeric[])`;
    expect(await bySql("number", values)).toBe(fileOf([...cells, "1234567890123,45"]));
    expect(await bySql("number", sql`(values ('-infinity'::float8), ('NaN'))`)).toBe(
      fileOf([inFormula("-Infinity"), "NaN"]),
    );
  });
});
