import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../src/db/answer.ts";

const read = (text: string) => readAnswer(Uint8Array.from(new TextEncoder().encode(text)).buffer);
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const textOf = (bytes: unknown) => strict.decode(bytes as Uint8Array);

/** A text as JSON may write it: every character that is not ASCII by its number. */
const escaped = (text: string) =>
  JSON.stringify(text).replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** An answer of Neon's protocol with these rows, each value as JSON. */
const answerOf = (...rows: string[][]) =>
  `{"command":"SELECT","rowAsArray":true,"fields":[{"name":"body","dataTypeID":25}],"rows":[${rows.map((row) => `[${row.join(",")}]`)}]}`;

// What has no lone surrogate, and no NUL: what Postgres holds.
const texts = fc
  .string({ unit: "binary", maxLength: 60 })
  .map((text) => text.replaceAll("\0", "").toWellFormed());

describe("the database's answer", () => {
  it("holds a finished body as the bytes Postgres wrote (V2)", () => {
    fc.assert(
      fc.property(fc.jsonValue(), texts, texts, (value, one, other) => {
        const body = JSON.stringify({ value, one }) + other;
        const mixed = `${JSON.stringify(`é${body}`).slice(0, -1)}${escaped(body).slice(1)}`;
        const wholes = [
          [JSON.stringify(body), body],
          [escaped(body), body],
          [mixed, `é${body}${body}`],
        ] as const;
        for (const [written, meant] of wholes) {
          const [found, ...others] = read(answerOf([written, '"W1-."', "null"])).rows[0] ?? [];
          expect(textOf(found)).toBe(meant);
          expect(others).toEqual(["W1-.", null]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("holds that of the last statement", () => {
    const { results = [] } = read(
      `{"results":[${answerOf(['"42"'])},${answerOf(['"{\\"a\\":\\"é\\\\n💇\\"}"', '"7"'])}]}`,
    );
    expect(results[0]?.rows).toEqual([["42"]]);
    expect(textOf(results[1]?.rows[0]?.[0])).toBe('{"a":"é\\n💇"}');
    expect(results[1]?.rows[0]?.[1]).toBe("7");
  });

  it("is read as it is where there is no body", () => {
    for (const answer of [
      answerOf(["null", '"7"']),
      answerOf(),
      `{"results":[${answerOf(['"42"'])},${answerOf()}]}`,
    ])
      expect(read(answer)).toEqual(JSON.parse(answer));
  });

  it("is refused where it breaks off, wherever it does", () => {
    const whole = answerOf([JSON.stringify('{"a":"\u2028\\u0001é"}'), '"7"']);
    for (let end = 0; end < whole.length; end += 1)
      expect(() => read(whole.slice(0, end)), whole.slice(0, end)).toThrow(SyntaxError);
  });
});
