import { describe, expect, it } from "vitest";
import { breakJson, countRows, firstLines } from "../../public/docs/answer.ts";
import { requestOf, TASKS, tasksFor } from "../../public/docs/tasks.ts";

const JSON_TYPE = "application/json";

describe("an answer on the first page of /docs (A2)", () => {
  it("is broken into lines, a row on each, with every digit and text as it was sent", () => {
    const sent =
      '{"data":[{"nome":"A, {b}: \\"c\\"","valor":60443.30},{"nome":"d","itens":[{"x":[]}]}],"linhas":2}';
    const shown = breakJson(sent);
    expect(shown.split("\n")).toEqual([
      "{",
      '  "data": [',
      '    {"nome": "A, {b}: \\"c\\"", "valor": 60443.30},',
      '    {"nome": "d", "itens": [{"x": []}]}',
      "  ],",
      '  "linhas": 2',
      "}",
    ]);
    expect(JSON.parse(shown)).toEqual(JSON.parse(sent));
  });

  it("says how many rows it has, and of how many", () => {
    expect(countRows('{"data":[1,2],"linhas":129}', JSON_TYPE)).toBe("2 of 129 rows");
    expect(countRows('{"data":[1],"linhas":1}', JSON_TYPE)).toBe("1 row");
    expect(countRows('{"transacoes":{}}', JSON_TYPE)).toBe("");
    expect(countRows('a,b\n1,"x\ny"\n2,z\n', "text/csv; charset=utf-8")).toBe("2 rows");
    expect(countRows('{"id":1}\n{"id":2}\n', "application/x-ndjson")).toBe("2 rows");
    expect(countRows("Not found", "text/plain")).toBe("");
  });

  it("is cut after 200 lines, and says how many follow", () => {
    const lines = Array.from({ length: 203 }, (_, index) => String(index));
    expect(
      firstLines(`${lines.join("\n")}\n`)
        .split("\n")
        .slice(-2),
    ).toEqual(["199", "… 3 more lines"]);
    expect(firstLines("a\nb\n")).toBe("a\nb");
  });
});

describe("the tasks of /docs (A2)", () => {
  it("are ten, for all rights, and without those that a reader may not run (A11)", () => {
    expect(TASKS).toHaveLength(10);
    expect(tasksFor({ personalData: true, payments: true })).toEqual(TASKS);
    const rest = tasksFor({ personalData: false, payments: false });
    expect(TASKS.filter((task) => !rest.includes(task)).map(({ title }) => title)).toEqual([
      "What is overdue, and what is due soon",
      "New clients by month",
      "What is left by unit, last month",
    ]);
  });

  it("make a request of the fields that have a value, with commas as they are", () => {
    const fields = [
      { name: "medidas", value: "a,b" },
      { name: "after", value: "" },
      { name: "data_fim", value: "2026-11-30T00:00:00+01:00" },
    ];
    expect(requestOf("/v1/x", fields)).toBe("/v1/x?medidas=a,b&data_fim=2026-11-30T00%3A00%3A00%2B01%3A00");
    expect(requestOf("/v1/x", [])).toBe("/v1/x");
  });
});
