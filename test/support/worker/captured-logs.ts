/** All lines the service has logged since the tests started. */
export const logged: string[] = [];
/** The bodies of all error responses. */
export const refusals: string[] = [];

// Vitest looks up the caller of each printed line, which is slow: only failed tests print the lines of the service.
let unprinted: string[] = [];
const { log } = console;

for (const level of ["log", "error"] as const) {
  const original = console[level];
  console[level] = (...parts: unknown[]) => {
    const line = parts.join(" ");
    logged.push(line);
    if (line.startsWith('{"level":')) unprinted.push(line);
    else original(...parts);
  };
}

/** Forgets the lines that the service has logged since the last call, or prints them. */
export const endLines = (isPrinted: boolean) => {
  if (isPrinted && unprinted.length > 0) log(unprinted.join("\n"));
  unprinted = [];
};
