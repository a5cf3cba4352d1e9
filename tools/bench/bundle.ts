import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tokens } from "../local/tokens.ts";
import { atLeast, atMost, elapsed, type Figure, inTurn, median, plain, spread } from "./figures.ts";
import { fireInTurn } from "./load.ts";
import { needsOfService, PEERS, preparePeer, startProcess } from "./targets.ts";
import { prepare, serve } from "./workerd.ts";

const ROUNDS = 20;
const NO_TOOLS = join(import.meta.dirname, "ablation/no-tools.ts");

const sizeOf = (said: string) => {
  const [, whole = "?", gzip = "?"] = /Total Upload: (.+) \/ gzip: (.+)/.exec(said) ?? [];
  return { whole, gzip };
};

/** Milliseconds from process start to the first answer. @param ask sends the request to a base URL */
const first = (prepared: string, ask: (url: string) => Promise<unknown>) => () =>
  elapsed(async () => {
    const served = await serve(prepared);
    try {
      await ask(served.url);
    } finally {
      await served.stop();
    }
  });

const answer =
  (path: string, headers: Record<string, string> = {}) =>
  async (url: string) => {
    const response = await fetch(`${url}${path}`, { headers });
    await response.text();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  };

const LIST = "/v1/lancamentos?per_page=50";

/**
 * Times first answers in turn: our build, our build without `/mcp`, and a bare relay with and without a database.
 * @param url connection string of the database
 */
const measureStarts = async (folder: string, url: string) => {
  const [ours, toolless, object] = [join(folder, "ours"), join(folder, "toolless"), join(folder, "object")];
  const [relay, bare] = [join(folder, "relay"), join(folder, "bare")];
  const sizes = {
    ours: sizeOf(prepare(ours, needsOfService(url))),
    toolless: sizeOf(prepare(toolless, needsOfService(url), "--alias", `./mcp/routes.ts:${NO_TOOLS}`)),
  };
  prepare(object, needsOfService(url), join(PEERS, "object/index.ts"));
  const STATEMENT = JSON.stringify({ query: "select '{}'", params: [] });
  preparePeer(relay, "relay", { bindings: { DATABASE_URL: url, STATEMENT } });
  preparePeer(bare, "relay", {
    bindings: { DATABASE_URL: "postgres://nobody:-@127.0.0.1:1/none", STATEMENT },
  });
  const [Authorization = ""] = await tokens(1);
  const taken = await inTurn(ROUNDS, {
    // This relay has no database, so an error counts as its answer.
    bare: first(bare, (at) => fetch(at).catch(() => undefined)),
    relay: first(relay, answer("/")),
    health: first(ours, answer("/health")),
    toolless: first(toolless, answer("/health")),
    page: first(ours, answer(LIST, { Authorization })),
    object: first(object, answer("/object")),
  });
  return { sizes, taken };
};

/** Measures the throughput of a data route with `/mcp` in the build and without it. */
const measureBesideTools = async (folder: string, seconds: number) => {
  const authorizations = await tokens(500);
  const stops: (() => Promise<void>)[] = [];
  const start = async (name: string) => {
    const served = await serve(join(folder, name));
    stops.push(served.stop);
    return { ...served, authorizations };
  };
  try {
    const targets = { ours: await start("ours"), toolless: await start("toolless") };
    return await fireInTurn(targets, LIST, 8, seconds);
  } finally {
    await Promise.all(stops.map((stop) => stop()));
  }
};

/**
 * Measures the upload size, the cold start time, and the cost of `/mcp` for other routes.
 * @param url connection string of a warehouse; a cold data route reads one page of it
 * @param seconds duration of one shot of requests
 */
export const measureBundle = async (url: string, seconds: number): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const endpoint = await startProcess(join(import.meta.dirname, "endpoint.ts"), { DATABASE_URL: url });
  try {
    const database = `postgres://salon_api:local@127.0.0.1:${endpoint.port}${new URL(url).pathname}`;
    const { sizes, taken } = await measureStarts(folder, database);
    const beside = await measureBesideTools(folder, seconds);
    const compare = (one: keyof typeof taken, other: keyof typeof taken) => ({
      ratio: median(taken[one]) / median(taken[other]),
      times: `${spread(taken[one])} / ${spread(taken[other])}, workerd itself included`,
    });
    const [health, tools, page, object] = [
      compare("health", "bare"),
      compare("health", "toolless"),
      compare("page", "relay"),
      compare("object", "bare"),
    ];
    return [
      plain(
        "bundle, gzip",
        sizes.ours.gzip,
        `${sizes.ours.whole} before; ${sizes.toolless.gzip} without /mcp`,
      ),
      atMost(
        "from the start of the process to the first answer: ours / bare relay",
        health.ratio,
        2.4,
        health.times,
      ),
      atMost("the same: with /mcp / in a build without", tools.ratio, 1.05, tools.times),
      atLeast(
        "list of 50, 8 at once: with /mcp / in a build without",
        beside.ours.perSecond / beside.toolless.perSecond,
        0.95,
        `${beside.ours.perSecond.toFixed(0)}/s / ${beside.toolless.perSecond.toFixed(0)}/s`,
      ),
      plain(
        "to the first page of 50 entries: ours / relay that asks the database",
        page.ratio.toFixed(2),
        page.times,
      ),
      plain("to the first answer of an object: ours / bare relay", object.ratio.toFixed(2), object.times),
    ];
  } finally {
    endpoint.child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
};
