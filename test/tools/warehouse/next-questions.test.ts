import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  NEXT_QUESTIONS,
  NO_NEXT_QUESTION_ROWS,
  nextQuestionRows,
} from "../../extensions/mcp/next-questions-sql.ts";
import { type Database, openDemo } from "../../support/node/databases.ts";
import { plainSql } from "../../support/plain-tables.ts";

/** Each question's plain SQL before and after `nextQuestionRows`, which differ by what these rows are. */
const now = new Date().toISOString();
type Rows = Record<string, unknown>[];
const before = new Map<string, Rows>();
const after = new Map<string, Rows>();
let database: Database;
let db: pg.Client;

const answerAll = async (answers: Map<string, Rows>) => {
  for (const { name, sql } of NEXT_QUESTIONS) answers.set(name, (await db.query(plainSql(now, sql))).rows);
};

beforeAll(async () => {
  database = await openDemo(process.env.TEST_DATABASE_URL, 400);
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  await answerAll(before);
  for (const statement of nextQuestionRows(now)) await db.query(statement);
  await answerAll(after);
}, 180_000);
afterAll(async () => {
  await db.end();
  await database.close();
});

it.each(NEXT_QUESTIONS.map(({ name }) => name))("the rows for the questions tell %s", (name) => {
  expect(after.get(name)?.length).toBeGreaterThan(0);
});

/** How much a column of a question's row grew. */
const grown = (name: string, column: string, row: Rows[number] = {}) => {
  const valueIn = (answers: Map<string, Rows>) =>
    Number(
      answers.get(name)?.find((one) => Object.entries(row).every(([key, value]) => one[key] === value))?.[
        column
      ] ?? 0,
    );
  return Math.round((valueIn(after) - valueIn(before)) * 100) / 100;
};

it.each([
  ["which unit lost most regulars", "clientes", { estabelecimento_id: "101" }, 3],
  ["which unit lost most regulars", "clientes", { estabelecimento_id: "102" }, 1],
  ["how many reais the lost regulars spent a month", "valor_total", {}, 23 * 90],
  ["how many clients of this year bought without a service", "clientes", {}, 1],
  ["how many clients of this year bought without a service", "valor_total", {}, 90],
  ["whether new clients come back within 90 days, by unit", "decididas", { estabelecimento_id: "103" }, 5],
  ["whether new clients come back within 90 days, by unit", "voltaram", { estabelecimento_id: "103" }, 2],
  ["what each unit has to pay on the next payday", "despesas", { estabelecimento_id: "101" }, 1200.75],
  ["what each unit has to pay on the next payday", "despesas", { estabelecimento_id: null }, 300],
  ["what professionals take against what customers buy", "valor_profissional", {}, 90],
  ["what professionals take against what customers buy", "valor_total", {}, 180],
])("%s: %s of %o grows by %d with the rows for it", (name, column, row, by) => {
  expect(grown(name, column, row)).toBe(by);
});

it("finds a professional's cost centre above its average of six months", () => {
  const rows = after.get("which cost centres are above their average of six months");
  expect(rows).toContainEqual({
    id_centro_custo: expect.stringMatching(/^80/),
    valor_total: 900,
    average: 100,
  });
});

it("removes the rows", async () => {
  for (const statement of NO_NEXT_QUESTION_ROWS) await db.query(statement);
  const again = new Map<string, Rows>();
  await answerAll(again);
  expect(again).toEqual(before);
});
