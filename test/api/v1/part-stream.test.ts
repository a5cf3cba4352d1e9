import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { streamOf } from "../../../src/api/v1/part-stream.ts";
import mistakes from "./stream-mistakes.json" with { type: "json" };

/** The records of each part of a list, and the part that cannot be read, if one cannot. */
const lists = fc
  .array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 6 })
  .chain((parts) =>
    fc.record({ parts: fc.constant(parts), broken: fc.option(fc.nat({ max: parts.length })) }),
  );

/** Reads a stream of parts like `a list`, whose lines are numbered. */
const readAll = async (
  stream: typeof streamOf,
  { parts, broken }: { parts: number[]; broken: number | null },
) => {
  let line = 0;
  const partOf = (n: number) => {
    const lines = Array.from({ length: parts[n] ?? 0 }, () => `${line++}\n`);
    const next = n + 1 < parts.length ? { after: String(n + 1), size: 1 } : undefined;
    const body = Uint8Array.from(new TextEncoder().encode(lines.join("")));
    return { body, records: lines.length, next };
  };
  const readNext = async ({ after }: { after: string }) => {
    if (Number(after) === broken) throw new Error("database");
    return partOf(Number(after));
  };
  const list = { first: partOf(0), readNext, isWanted: () => true, onBreak: () => {} };
  const { body, records } = stream(list, "broke off");
  let text = "";
  const isWhole = await (async () => {
    for await (const chunk of body) text += new TextDecoder().decode(chunk);
    return true;
  })().catch(() => false);
  return { lines: text.split("\n").slice(0, -1).map(Number), isWhole, records: await records };
};

/** Every line before the part that cannot be read arrives once, and only a whole list has an end. */
const check = async (stream: typeof streamOf) =>
  fc.assert(
    fc.asyncProperty(lists, async (list) => {
      const isBroken = list.broken !== null && list.broken > 0 && list.broken < list.parts.length;
      const read = list.parts.slice(0, isBroken ? (list.broken ?? 0) : undefined);
      const count = read.reduce((sum, records) => sum + records, 0);
      expect(await readAll(stream, list)).toEqual({
        lines: Array.from({ length: count }, (_, n) => n),
        isWhole: !isBroken,
        records: count,
      });
    }),
    { seed: inject("fuzzSeed") },
  );

it("sends each line once, and fails if a part cannot be read (X2)", () => check(streamOf));

it.each(mistakes)("would notice a stream that $what (X2)", async ({ mark }) => {
  const wrong: { streamOf: typeof streamOf } = await import(
    /* @vite-ignore */ `../../../src/api/v1/part-stream.ts?mistake=${mark}`
  );
  await expect(check(wrong.streamOf)).rejects.toThrow();
});

const encode = (text: string) => Uint8Array.from(new TextEncoder().encode(text));

it("reads a part when the one before was taken, and stops without a break when its reader hangs up (X2)", async () => {
  let [read, isWanted, breaks] = [0, true, 0];
  const partOf = () => ({ body: encode("line\n"), records: 1, next: { after: "0", size: 1 } });
  const { body, records } = streamOf(
    {
      first: partOf(),
      readNext: async () => {
        read += 1;
        return partOf();
      },
      isWanted: () => isWanted,
      onBreak: () => {
        breaks += 1;
      },
    },
    "broke off",
  );
  const reader = body.getReader();
  await scheduler.wait(20);
  expect(read).toBe(0);
  await reader.read();
  await expect.poll(() => read).toBe(1);
  isWanted = false;
  await reader.cancel();
  // The second part may have arrived in part.
  expect([await records, read, breaks]).toEqual([2, 1, 0]);
});

it("ends over parts without lines when its reader hung up (X2)", async () => {
  let isWanted = true;
  const empty = { body: encode(""), records: 0, next: { after: "0", size: 1 } };
  const readNext = async () => {
    await scheduler.wait(1);
    return empty;
  };
  const onBreak = () => expect.unreachable();
  const { records } = streamOf({ first: empty, readNext, isWanted: () => isWanted, onBreak }, "");
  isWanted = false;
  expect(await records).toBe(0);
});
