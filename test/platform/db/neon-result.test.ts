import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNeonResult } from "../../../src/platform/db/neon-result.ts";

const read = (text: string) => readNeonResult(Uint8Array.from(new TextEncoder().encode(text)).buffer);
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const textOf = (bytes: unknown) => strict.decode(bytes as Uint8Array);

/** The text as a JSON string, with every non-ASCII character escaped. */
const escaped = (text: string) =>
  JSON.stringify(text).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A response of Neon's protocol with these rows, each value as JSON. */
const answerOf = (...rows: string[][]) =>
  `{"command":"SELECT","rowAsArray":true,"fields":[{"name":"body","dataTypeID":25}],"rows":[${rows.map((row) => `[${row.join(",")}]`)}]}`;

// Text that Postgres can store: no lone surrogate and no NUL.
const texts = fc
  .string({ unit: "binary", maxLength: 60 })
  .map((text) => text.replaceAll("\0", "").toWellFormed());

describe("a response of the database", () => {
  it("keeps a body as the bytes that Postgres wrote (V2)", () => {
    fc.assert(
      fc.property(fc.jsonValue(), texts, texts, (value, one, other) => {
        const body = JSON.stringify({ value, one }) + other;
        const mixed = `${JSON.stringify(`é${body}`).slice(0, -1)}${escaped(body).slice(1)}`;
        const cases = [
          [JSON.stringify(body), body],
          [escaped(body), body],
          [mixed, `é${body}${body}`],
        ] as const;
        for (const [written, expected] of cases) {
          const [found, ...others] = read(answerOf([written, '"W1-."', "null"])).rows[0] ?? [];
          expect(textOf(found)).toBe(expected);
          expect(others).toEqual(["W1-.", null]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("keeps the body of the last statement as bytes (V2)", () => {
    const { results = [] } = read(
      `{"results":[${answerOf(['"42"'])},${answerOf(['"{\\"a\\":\\"é\\\\n💇\\"}"', '"7"'])}]}`,
    );
    expect(results[0]?.rows).toEqual([["42"]]);
    expect(textOf(results[1]?.rows[0]?.[0])).toBe('{"a":"é\\n💇"}');
    expect(results[1]?.rows[0]?.[1]).toBe("7");
  });

  it("is parsed as plain JSON if it has no body", () => {
    for (const answer of [
      answerOf(["null", '"7"']),
      answerOf(),
      `{"results":[${answerOf(['"42"'])},${answerOf()}]}`,
    ])
      expect(read(answer)).toEqual(JSON.parse(answer));
  });

  it("is rejected if it is truncated at any position", () => {
    const complete = answerOf([JSON.stringify('{"a":"\u2028\\u0001é"}'), '"7"']);
    for (let end = 0; end < complete.length; end += 1)
      expect(() => read(complete.slice(0, end)), complete.slice(0, end)).toThrow(SyntaxError);
  });
});
