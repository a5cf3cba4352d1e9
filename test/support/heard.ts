/** What the service has logged since the tests began. */
export const logged: string[] = [];
/** The bodies of its refusals. */
export const refusals: string[] = [];

const { log } = console;
console.log = (...parts: unknown[]) => {
  logged.push(parts.join(" "));
  log(...parts);
};
