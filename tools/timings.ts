import { quantile } from "./results.ts";

const REQUESTS = 10;

/** Milliseconds by step of a `Server-Timing` header; what a request did twice is added up. */
const stepsOf = (header: string): Map<string, number> => {
  const steps = new Map<string, number>();
  for (const [, name = "", ms] of header.matchAll(/(\w+);dur=([\d.]+)/g))
    steps.set(name, (steps.get(name) ?? 0) + Number(ms));
  return steps;
};

/** How long one request took, in ms: in all, by the service's own clock, and step by step. */
const time = async (ask: () => Promise<{ headers: Headers }>): Promise<Map<string, number>> => {
  const started = performance.now();
  const { headers } = await ask();
  const all = performance.now() - started;
  const steps = stepsOf(headers.get("Server-Timing") ?? "");
  return new Map([["all", all], ["network", all - (steps.get("total") ?? 0)], ...steps]);
};

const COLUMNS = { all: "all", network: "network", total: "service", auth: "auth", limit: "limit", db: "db" };

const line = ([path = "", ...cells]: string[]) =>
  `      ${path.padEnd(30)}${cells.map((cell) => cell.padStart(12)).join("")}`;

/**
 * Asks for some paths again and again, one request after the other.
 * @param ask answers the headers of an answer, once all of it has arrived
 * @returns a table of medians and, in parentheses, the longest; `network` is what the service's own clock does not see
 */
export const whereTimeGoes = async (
  paths: string[],
  ask: (path: string) => Promise<{ headers: Headers }>,
): Promise<string> => {
  const lines = [line(["", ...Object.values(COLUMNS)])];
  for (const path of paths) {
    // Opens the connection, and wakes what sleeps.
    await ask(path);
    const requests: Map<string, number>[] = [];
    while (requests.length < REQUESTS) requests.push(await time(() => ask(path)));
    const cells = Object.keys(COLUMNS).map((name) => {
      const times = requests.flatMap((steps) => steps.get(name) ?? []);
      return times.length === 0
        ? "-"
        : `${quantile(times, 0.5).toFixed(0)} (${Math.max(...times).toFixed(0)})`;
    });
    lines.push(line([path, ...cells]));
  }
  return lines.join("\n");
};
