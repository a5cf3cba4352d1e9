import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tokens } from "../local/tokens.ts";
import { atMost, elapsed, type Figure, inTurn, median, plain, spread } from "./figures.ts";
import { needsOfService, PEERS, preparePeer, startProcess } from "./targets.ts";
import { prepare, serve } from "./workerd.ts";

const ROUNDS = 20;

/** The time from the start of a process to its first answer, in ms. @param ask asks at an address */
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

/** First answers in turn: ours, and those of a bare relay with a database and without. @param url of the database */
const measureStarts = async (folder: string, url: string) => {
  const [ours, object] = [join(folder, "ours"), join(folder, "object")];
  const [relay, bare] = [join(folder, "relay"), join(folder, "bare")];
  const said = prepare(ours, needsOfService(url));
  prepare(object, needsOfService(url), join(PEERS, "object/index.ts"));
  const STATEMENT = JSON.stringify({ query: "select '{}'", params: [] });
  preparePeer(relay, "relay", { bindings: { DATABASE_URL: url, STATEMENT } });
  preparePeer(bare, "relay", {
    bindings: { DATABASE_URL: "postgres://nobody:-@127.0.0.1:1/none", STATEMENT },
  });
  const [Authorization = ""] = await tokens(1);
  const taken = await inTurn(ROUNDS, {
    // Has no database to ask: that it says so is its answer.
    bare: first(bare, (at) => fetch(at).catch(() => undefined)),
    relay: first(relay, answer("/")),
    health: first(ours, answer("/health")),
    page: first(ours, answer("/v1/lancamentos?per_page=50", { Authorization })),
    object: first(object, answer("/object")),
  });
  return { said, taken };
};

/**
 * What a deployment sends, and how long an isolate takes to start with it.
 * @param url connection string of a warehouse; a cold data route reads one page of it
 */
export const measureBundle = async (url: string): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const endpoint = await startProcess(join(import.meta.dirname, "endpoint.ts"), { DATABASE_URL: url });
  try {
    const database = `postgres://salon_api:local@127.0.0.1:${endpoint.port}${new URL(url).pathname}`;
    const { said, taken } = await measureStarts(folder, database);
    const upload = /Total Upload: (.+) \/ gzip: (.+)/.exec(said);
    const compare = (one: keyof typeof taken, other: keyof typeof taken) => ({
      ratio: median(taken[one]) / median(taken[other]),
      times: `${spread(taken[one])} / ${spread(taken[other])}, workerd itself included`,
    });
    const [health, page, object] = [
      compare("health", "bare"),
      compare("page", "relay"),
      compare("object", "bare"),
    ];
    return [
      plain("bundle, gzip", upload?.[2] ?? "?", `${upload?.[1]} before`),
      atMost(
        "from the start of the process to the first answer: ours / bare relay",
        health.ratio,
        2.4,
        health.times,
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
