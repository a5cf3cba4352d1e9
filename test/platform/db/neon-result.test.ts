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

/** What may be in the columns after a body. */
const OTHERS = [['"W1-."', "null"], ["null", '"7"'], ["null"], [], ['""', '"7"']];

/** A response with this text is read in slices. */
const LARGE = "é".repeat(600_000);

describe("a response of the database", () => {
  it("keeps a body as the bytes that Postgres wrote (V2)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), texts, texts, async (value, one, other) => {
        const body = JSON.stringify({ value, one }) + other;
        const mixed = `${JSON.stringify(`é${body}`).slice(0, -1)}${escaped(body).slice(1)}`;
        const cases = [
          [JSON.stringify(body), body],
          [escaped(body), body],
          [mixed, `é${body}${body}`],
        ] as const;
        for (const [written, expected] of cases) {
          const [found, ...others] = (await read(answerOf([written, '"W1-."', "null"]))).rows[0] ?? [];
          expect(textOf(found)).toBe(expected);
          expect(others).toEqual(["W1-.", null]);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("keeps a large body as the bytes that Postgres wrote (V2)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts, { maxLength: 20 }),
        fc.constantFrom(...OTHERS),
        async (lines, columns) => {
          const body = lines
            .map((line) => `${JSON.stringify({ line })}\b\f\n\r\t\\/${line}",null`)
            .join("\n");
          for (const rest of [JSON.stringify(body), escaped(body).replaceAll("/", "\\/")]) {
            const rows = answerOf([`"${LARGE}${rest.slice(1)}`, ...columns]);
            const answer = `${rows.slice(0, -1)},"command":"SELECT","fields":[{"name":"body","dataTypeID":25}]}`;
            const inBatch = await read(`{"results":[${answerOf(['"42"'])},${answer}]}`);
            for (const result of [await read(answer), inBatch.results?.[1]]) {
              const [found, ...others] = result?.rows[0] ?? [];
              expect(textOf(found) === LARGE + body).toBe(true);
              expect(others).toEqual(columns.map((column) => JSON.parse(column)));
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("cuts a large body within no escape and no character (V2)", async () => {
    for (let shift = 0; shift < 6; shift += 1) {
      const body = "x".repeat(shift) + 'abcdef"\\\\\n💇é'.repeat(80_000);
      for (const written of [JSON.stringify(body), escaped(body)]) {
        const [found, last] = (await read(answerOf([written, '"7"']))).rows[0] ?? [];
        expect(textOf(found) === body).toBe(true);
        expect(last).toBe("7");
      }
    }
  });

  it("lets other requests of the isolate run while it reads a large body (X2)", async () => {
    const turns = { taken: 0, isReading: true };
    const takeTurns = async () => {
      for (; turns.isReading; turns.taken += 1) await scheduler.wait(0);
    };
    const taking = takeTurns();
    await read(answerOf([`"${LARGE.repeat(3)}"`]));
    turns.isReading = false;
    await taking;
    // Once after each half MiB of three and a half.
    expect(turns.taken).toBeGreaterThan(5);
  });

  it("throws a SyntaxError if a large body has no end", async () => {
    await expect(read(answerOf([`"${LARGE}`]).slice(0, -2))).rejects.toThrow(SyntaxError);
    await expect(read(answerOf([`"${LARGE}\\u00`]))).rejects.toThrow(SyntaxError);
  });

  it("is parsed as plain JSON if it is large and has no body", async () => {
    const others = "x".repeat(LARGE.length * 2);
    const { rows } = await read(answerOf(["null", `"${others}"`]));
    expect(rows[0]?.[1] === others).toBe(true);
  });

  it("keeps the body of the last statement as bytes (V2)", async () => {
    const { results = [] } = await read(
      `{"results":[${answerOf(['"42"'])},${answerOf(['"{\\"a\\":\\"é\\\\n💇\\"}"', '"7"'])}]}`,
    );
    expect(results[0]?.rows).toEqual([["42"]]);
    expect(textOf(results[1]?.rows[0]?.[0])).toBe('{"a":"é\\n💇"}');
    expect(results[1]?.rows[0]?.[1]).toBe("7");
  });

  it("is parsed as plain JSON if it has no body", async () => {
    for (const answer of [
      answerOf(["null", '"7"']),
      answerOf(),
      `{"results":[${answerOf(['"42"'])},${answerOf()}]}`,
    ])
      expect(await read(answer)).toEqual(JSON.parse(answer));
  });

  it("is rejected if it is truncated at any position", async () => {
    const complete = answerOf([JSON.stringify('{"a":"\u2028\\u0001é"}'), '"7"']);
    for (let end = 0; end < complete.length; end += 1)
      await expect(read(complete.slice(0, end)), complete.slice(0, end)).rejects.toThrow(SyntaxError);
  });
});
