import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertEqual, assertProperty } from "./assert.ts";

const WHAT = 'transacoes {"page":"1"}';
const long = Array.from({ length: 200 }, (_, id) => ({ id, nome: `Ana ${id}`, total: "1.00" }));
const changed = long.map((record) => (record.id === 150 ? { ...record, total: "2.00" } : record));

describe("a comparison of the oracle", () => {
  it.each<[string, unknown, unknown, string, string, string]>([
    ["a body", { data: long }, { data: changed }, "data.150.total", '"1.00"', '"2.00"'],
    ["text of a body", JSON.stringify(long), JSON.stringify(changed), "150.total", '"1.00"', '"2.00"'],
    ["a missing record", [1], [1, { id: 2 }], "1", "nothing", '{"id":2}'],
    ["a surplus field", { a: 1, b: null }, { a: 1 }, "b", "null", "nothing"],
    ["the order of fields", { a: 1, b: 2 }, { b: 2, a: 1 }, "", '["a","b"]', '["b","a"]'],
    ["the digits of a number", '{"a":1.10}', '{"a":1.1}', "", '"{\\"a\\":1.10}"', '"{\\"a\\":1.1}"'],
  ])("prints the question and the first difference alone: %s", (_, one, two, where, answered, expected) => {
    const at = where === "" ? "" : `\n  at ${where}`;
    expect(() => assertEqual(WHAT, one, two)).toThrow(
      new Error(`${WHAT}${at}\n  answered ${answered}\n  expected ${expected}`),
    );
    expect(() => assertEqual(WHAT, two, two)).not.toThrow();
  });

  it("throws the error of the shortest counterexample", async () => {
    const property = fc.asyncProperty(fc.nat(), async (n) => assertEqual("n", n < 10, true));
    await expect(assertProperty(property, 100, 1)).rejects.toThrow(
      new Error("n\n  answered false\n  expected true"),
    );
  });
});
