// The panel's shares of a sum.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPart, partShare, share } from "../../public/painel/format.ts";

const cents = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 100);

describe("the share of a row", () => {
  it("is shown only between nothing and all (A2)", () => {
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 6 }), (values) => {
        const valor_total = Math.round(values.reduce((sum, value) => sum + value * 100, 0)) / 100;
        for (const value of values) {
          const ratio = value / valor_total;
          const isShown = valor_total > 0 && ratio >= 0 && ratio <= 1;
          expect(isPart(value, valor_total)).toBe(isShown);
          expect(partShare(value, valor_total)).toBe(isShown ? share(value, valor_total) : "—");
        }
      }),
    );
  });

  it.each([
    [158.6, 100, "—"],
    [-58.6, 100, "—"],
    [0, 0, "—"],
    [-1, -2, "—"],
    [0, 100, "0,0%"],
    [100, 100, "100,0%"],
  ])("of %f in %f is %s (A2)", (part, whole, expected) => {
    expect(partShare(part, whole)).toBe(expected);
  });
});
