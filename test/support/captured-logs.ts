/** All lines the service has logged since the tests started. */
export const logged: string[] = [];
/** The bodies of all error responses. */
export const refusals: string[] = [];

for (const level of ["log", "error"] as const) {
  const original = console[level];
  console[level] = (...parts: unknown[]) => {
    logged.push(parts.join(" "));
    original(...parts);
  };
}
