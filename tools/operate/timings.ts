import { quantile } from "../results.ts";

const REQUESTS = 10;

/** Milliseconds by step of a `Server-Timing` header. Repeated steps are summed. */
const stepsOf = (header: string): Map<string, number> => {
  const steps = new Map<string, number>();
  for (const [, name = "", ms] of header.matchAll(/(\w+);dur=([\d.]+)/g))
    steps.set(name, (steps.get(name) ?? 0) + Number(ms));
  return steps;
};

/** Milliseconds of one request: in total, on the network, and by step of the service. */
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
 * Sends requests for the paths, one after another.
 * @param ask returns the headers after the whole body has arrived
 * @returns a table of medians, with the maximum in parentheses; `network` is the time outside the service
 */
export const whereTimeGoes = async (
  paths: string[],
  ask: (path: string) => Promise<{ headers: Headers }>,
): Promise<string> => {
  const lines = [line(["", ...Object.values(COLUMNS)])];
  for (const path of paths) {
    // Warm up: open the connection and wake sleeping components.
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
