import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/node/pages.ts";

// The types of this module need the DOM, which this TypeScript project does not have.
const { retryAfterMs } = await import(join(ROOT, "public/session.ts"));

it.each([
  [undefined, 0],
  ["120", 120_000],
  ["Fri, 27 Nov 2026 15:03:20 GMT", 200_000],
  ["Fri, 27 Nov 2026 14:00:00 GMT", 0],
  ["soon", 60_000],
  ["9".repeat(20), 86_400_000],
])("a page waits at most a day for Retry-After: %s (A2)", (retryAfter, wait) => {
  const headers = new Headers({ Date: "Fri, 27 Nov 2026 15:00:00 GMT" });
  if (retryAfter !== undefined) headers.set("Retry-After", retryAfter);
  expect(retryAfterMs({ headers })).toBe(wait);
});
