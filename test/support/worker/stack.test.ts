import { expect, it } from "vitest";
import source from "./stack.test.ts?raw";

/** The compiler removes this, so that the lines that run differ from those of the file. */
interface Line {
  number: number;
  text: string;
}

const lines = source.split("\n").map((text, index): Line => ({ number: index + 1, text }));

it("a failure names its line", () => {
  const { stack } = new Error();
  const { number } = lines.find(({ text }) => text.includes("= new Error()")) as Line;
  expect(stack?.split("\n")[1]).toMatch(
    new RegExp(`/test/support/worker/stack\\.test\\.ts:${number}:\\d+\\)?$`),
  );
});
