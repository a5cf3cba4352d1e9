// @module-tag server
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { setGoals } from "../../../tools/warehouse/goals.ts";
import { runTool } from "../../support/node/run-tool.ts";

/** Units that only this test has. */
const UNITS = ["goal 1", "goal 2", 'goal "3";'];

let db: pg.Client;
const folder = mkdtempSync(join(tmpdir(), "goals-"));

beforeAll(async () => {
  db = new pg.Client({ connectionString: inject("postgresUrl") });
  await db.connect();
  await db.query("insert into estabelecimentos (nome, salon_id) select 'Meta', unnest($1::text[])", [UNITS]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await db.query("delete from metas where estabelecimento_id = any($1)", [UNITS]);
  await db.query("delete from estabelecimentos where salon_id = any($1)", [UNITS]);
  await db.end();
});
beforeEach(async () => {
  await db.query("delete from metas where estabelecimento_id = any($1)", [UNITS]);
  await db.query(
    "insert into metas (estabelecimento_id, mes, valor) values ('goal 1', '2026-01-01', 10), ('goal 2', '2026-01-01', 20)",
  );
});

const set = (text: string | Uint8Array) => setGoals(db, Buffer.from(text));
const lines = (...goals: string[]) => ["unidade;mes;valor", ...goals].join("\n");
const stored = async () =>
  (
    await db.query({
      text: `select estabelecimento_id, to_char(mes, 'YYYY-MM-DD'), valor::text from metas
        where estabelecimento_id = any($1) order by 1, 2`,
      values: [UNITS],
      rowMode: "array",
    })
  ).rows;
const BEFORE = [
  ["goal 1", "2026-01-01", "10.00"],
  ["goal 2", "2026-01-01", "20.00"],
];
const messageOf = (text: string | Uint8Array) =>
  set(text).then(
    () => "no error",
    (error: Error) => error.message,
  );

describe("a file of goals", () => {
  it("sets the goals that it names and keeps the others (B1)", async () => {
    expect(
      await set(lines("goal 1;2026-01;45000,5", "goal 1;2026-12;1", "goal 2;2026-02;999999999999.99")),
    ).toBe(3);
    expect(await stored()).toEqual([
      ["goal 1", "2026-01-01", "45000.50"],
      ["goal 1", "2026-12-01", "1.00"],
      ["goal 2", "2026-01-01", "20.00"],
      ["goal 2", "2026-02-01", "999999999999.99"],
    ]);
  });

  it.each([
    ["a byte order mark and CRLF", `\uFEFF${lines("goal 1;2026-03;7").replaceAll("\n", "\r\n")}\r\n`],
    ["a blank last line", `${lines("goal 1;2026-03;7")}\n\n`],
    ["quoted cells", '"unidade";"mes";"valor"\n"goal 1";"2026-03";"7,00"\n'],
  ])("may have %s (B1)", async (_, text) => {
    expect(await set(text)).toBe(1);
    expect(await stored()).toContainEqual(["goal 1", "2026-03-01", "7.00"]);
  });

  it("may have quotation marks and semicolons in a quoted cell (B1)", async () => {
    expect(await set(lines('"goal ""3"";";2026-03;7'))).toBe(1);
    expect(await stored()).toContainEqual(['goal "3";', "2026-03-01", "7.00"]);
  });

  it.each([
    ["goal 9;2026-02;7", 'Line 2: no unit has the `salon_id` "goal 9".'],
    [";2026-02;7", "Line 2: `unidade` must be the `salon_id` of a unit; got an empty cell."],
    [
      "goal 1;2026-13;7",
      /^Line 2: `mes` must be a month from 1900 to 2200, for example 2026-11; got "2026-13"\.$/m,
    ],
    ["goal 1;fev/26;7", /^Line 2: `mes` must be a month .* got "fev\/26"\.$/m],
    ["goal 1;0000-01;7", /^Line 2: `mes` must be a month .* got "0000-01"\.$/m],
    [
      "goal 1;2026-02;45.000,00",
      'Line 2: `valor` must be an amount with at most two decimals and no thousands separators, for example 45000,00; got "45.000,00".',
    ],
    ["goal 1;2026-02;45.000", /^Line 2: `valor` .* no thousands separators/m],
    ["goal 1;2026-02;-1", /^Line 2: `valor` .* got "-1"\.$/m],
    ["goal 1;2026-02;NaN", /^Line 2: `valor` .* got "NaN"\.$/m],
    ["goal 1;2026-02;", /^Line 2: `valor` .* got ""\.$/m],
    ["goal 1;2026-02", "Line 2: must have 3 cells, separated by semicolons; got 2."],
    ["goal 1;2026-02;7;8", "Line 2: must have 3 cells, separated by semicolons; got 4."],
    ["goal 1,2026-02,7", "Line 2: must have 3 cells, separated by semicolons; got 1."],
    ['"goal 1;2026-02;7', "Line 2: a quotation mark is missing or misplaced."],
    ['"goal 1"x;2026-02;7', "Line 2: a quotation mark is missing or misplaced."],
  ])("with the line %s changes nothing and names it (B1)", async (line, message) => {
    const text = await messageOf(lines(line, "goal 2;2026-02;7"));
    expect(text).toMatch(message);
    expect(text).toMatch(/^No goal was changed\. Correct the file, then run the command again\.$/m);
    expect(await stored()).toEqual(BEFORE);
  });

  it("with two goals for a unit and month names both lines (B1)", async () => {
    const text = lines("goal 1;2026-02;1", "goal 2;2026-02;2", "goal 1;2026-02;3");
    expect(await messageOf(text)).toMatch(
      'Line 4: unit "goal 1" has a goal for 2026-02 in line 2 already. Keep one of them.',
    );
    expect(await stored()).toEqual(BEFORE);
  });

  it("names the first 20 errors in the order of the lines, and counts the others (B1)", async () => {
    const bad = Array.from({ length: 25 }, (_, i) =>
      i % 2 ? `goal 1;2026-02;x${i}` : `unknown ${i};2026-02;1`,
    );
    const named = (await messageOf(lines(...bad))).split("\n");
    expect(named.slice(0, 20).map((line) => /^Line (\d+): /.exec(line)?.[1])).toEqual(
      Array.from({ length: 20 }, (_, i) => String(i + 2)),
    );
    expect(named.slice(20)).toEqual(["5 more errors.", expect.stringMatching(/^No goal was changed\./)]);
  });

  it.each([
    ["", "Line 1: the header must be `unidade;mes;valor`; got no header."],
    ["goal 1;2026-02;7", 'Line 1: the header must be `unidade;mes;valor`; got "goal 1;2026-02;7".'],
    ["unidade,mes,valor\n", 'Line 1: the header must be `unidade;mes;valor`; got "unidade,mes,valor".'],
    ["unidade;mes;valor\r\n", "The file has no goals: it has only the header."],
    [Uint8Array.of(0xe9), "The file is not in UTF-8. In Excel, save it as CSV UTF-8."],
  ])("that is %j is an error (B1)", async (text, message) => {
    expect(await messageOf(text)).toBe(message);
  });
});

describe("npm run warehouse -- goals", () => {
  const run = (...args: string[]) =>
    runTool("warehouse/cli.ts", ["goals", ...args], {
      cwd: folder,
      env: { DATABASE_URL: inject("postgresUrl") },
    });

  it("needs one file that can be read, else exits with 2 (B1)", async () => {
    for (const args of [[], ["a.csv", "b.csv"]])
      expect(await run(...args)).toMatchObject({
        code: 2,
        errors: expect.stringMatching(/^goals needs one file\.\n\nFills/),
      });
    expect(await run("missing.csv")).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^The file missing\.csv cannot be read: ENOENT/),
    });
  });

  // The embedded Postgres has one session, which this test holds.
  it.skipIf(!process.env.TEST_DATABASE_URL)(
    "prints how many goals it set, and exits with 1 if a line is wrong (B1)",
    async () => {
      writeFileSync(join(folder, "metas.csv"), lines("goal 1;2026-02;45000,00", "goal 2;2026-02;7"));
      expect(await run("metas.csv")).toMatchObject({ code: 0, output: "2 goals set\n" });
      writeFileSync(join(folder, "metas.csv"), lines("goal 1;2026-03;1", "goal 1;2026-04;1,000"));
      const { code, output, errors } = await run("metas.csv");
      expect([code, output]).toEqual([1, ""]);
      expect(errors).toMatch(/^Line 3: `valor` /m);
      expect((await stored()).map(([, month]) => month)).not.toContain("2026-03-01");
    },
  );
});
