import { afterEach, beforeEach } from "vitest";

/** All lines the service has logged since the tests started. */
export const logged: string[] = [];
/** The bodies of all error responses. */
export const refusals: string[] = [];

// Vitest looks up the caller of every line that it prints. So only failed tests print the service's lines.
let ofThisTest: string[] = [];
const { log } = console;

for (const level of ["log", "error"] as const) {
  const original = console[level];
  console[level] = (...parts: unknown[]) => {
    const line = parts.join(" ");
    logged.push(line);
    if (line.startsWith('{"level":')) ofThisTest.push(line);
    else original(...parts);
  };
}

beforeEach(() => {
  ofThisTest = [];
});
afterEach(({ task }) => {
  if (task.result?.state === "fail" && ofThisTest.length > 0) log(ofThisTest.join("\n"));
});
