// @module-tag server
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CHANGED_BY_EXCEL,
  inFormula,
  inQuotes,
  KEPT_BY_EXCEL,
  TOO_LONG_FOR_A_FORMULA,
  withApostrophe,
} from "../support/excel-texts.ts";
import { type Database, openDatabase } from "../support/node/databases.ts";
import { excelCsv, excelCsvOf } from "../support/node/excel-csv.ts";

let database: Database;
beforeAll(async () => {
  database = await openDatabase(process.env.TEST_DATABASE_URL);
});
afterAll(() => database.close());

const write = (texts: string[]) => excelCsvOf(database.url, texts);
const fileOf = (cells: string[]) => `\uFEFF${["valor", ...cells].map((cell) => `${cell}\r\n`).join("")}`;

describe("a file for Excel", () => {
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

  it("has instants in Brasília (X1)", async () => {
    const instants = ["2026-11-22T17:32:05Z", "2026-01-01T02:59:59Z"];
    const cells = fileOf(["22/11/2026 14:32:05", "31/12/2025 23:59:59"]);
    const values = sql`unnest(${sql.param(instants)}::timestamptz[])`;
    expect(await excelCsv(database.url, "date-time", values)).toBe(cells);
  });

  it("keeps every digit of a long id, and has other numbers as numbers (X1)", async () => {
    const numbers = ["9007199254740991", "-1234567890123456", "123456789012345", "-5", "1234567890123.45"];
    const cells = [inFormula("9007199254740991"), inFormula("-1234567890123456"), "123456789012345", "-5"];
    const values = sql`unnest(${sql.param(numbers)}::numeric[])`;
    expect(await excelCsv(database.url, "number", values)).toBe(fileOf([...cells, "1234567890123,45"]));
    expect(await excelCsv(database.url, "number", sql`(values ('-infinity'::float8), ('NaN'))`)).toBe(
      fileOf([inFormula("-Infinity"), "NaN"]),
    );
  });
});
