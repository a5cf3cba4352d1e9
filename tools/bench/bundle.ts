import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tokens } from "../local/tokens.ts";
import { atLeast, atMost, elapsed, type Figure, inTurn, median, plain, spread } from "./figures.ts";
import { fireInTurn } from "./load.ts";
import { PEERS, preparePeer, serviceConfig, startProcess } from "./targets.ts";
import { prepare, serve } from "./workerd.ts";

const ROUNDS = 20;
const EMPTY_MCP = join(import.meta.dirname, "peers/no-tools.ts");

const sizeOf = (output: string) => {
  const [, uncompressed = "?", gzip = "?"] = /Total Upload: (.+) \/ gzip: (.+)/.exec(output) ?? [];
  return { uncompressed, gzip };
};

/** Milliseconds from process start to the first answer. @param ask sends the request to a base URL */
const timeToFirst = (prepared: string, ask: (url: string) => Promise<unknown>) => () =>
  elapsed(async () => {
    const served = await serve(prepared);
    try {
      await ask(served.url);
    } finally {
      await served.stop();
    }
  });

const getOk =
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
  const [ours, withoutMcp, object] = [
    join(folder, "ours"),
    join(folder, "withoutMcp"),
    join(folder, "object"),
  ];
  const [relay, bare] = [join(folder, "relay"), join(folder, "bare")];
  const sizes = {
    ours: sizeOf(prepare(ours, serviceConfig(url))),
    withoutMcp: sizeOf(prepare(withoutMcp, serviceConfig(url), "--alias", `./mcp/routes.ts:${EMPTY_MCP}`)),
  };
  prepare(object, serviceConfig(url), join(PEERS, "object/index.ts"));
  const STATEMENT = JSON.stringify({ query: "select '{}'", params: [] });
  preparePeer(relay, "relay", { bindings: { DATABASE_URL: url, STATEMENT } });
  preparePeer(bare, "relay", {
    bindings: { DATABASE_URL: "postgres://nobody:-@127.0.0.1:1/none", STATEMENT },
  });
  const [Authorization = ""] = await tokens(1);
  const taken = await inTurn(ROUNDS, {
    // This relay has no database, so an error counts as its answer.
    bare: timeToFirst(bare, (at) => fetch(at).catch(() => undefined)),
    relay: timeToFirst(relay, getOk("/")),
    health: timeToFirst(ours, getOk("/health")),
    withoutMcp: timeToFirst(withoutMcp, getOk("/health")),
    page: timeToFirst(ours, getOk(LIST, { Authorization })),
    object: timeToFirst(object, getOk("/object")),
  });
  return { sizes, taken };
};

/** Measures the throughput of a data route with `/mcp` in the build and without it. */
const measureWithoutMcp = async (folder: string, seconds: number) => {
  const authorizations = await tokens(500);
  const stops: (() => Promise<void>)[] = [];
  const start = async (name: string) => {
    const served = await serve(join(folder, name));
    stops.push(served.stop);
    return { ...served, authorizations };
  };
  try {
    const targets = { ours: await start("ours"), withoutMcp: await start("withoutMcp") };
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
    const list = await measureWithoutMcp(folder, seconds);
    const compare = (one: keyof typeof taken, other: keyof typeof taken) => ({
      ratio: median(taken[one]) / median(taken[other]),
      times: `${spread(taken[one])} / ${spread(taken[other])}, including workerd`,
    });
    const [health, mcp, page, object] = [
      compare("health", "bare"),
      compare("health", "withoutMcp"),
      compare("page", "relay"),
      compare("object", "bare"),
    ];
    return [
      plain(
        "bundle, gzip",
        sizes.ours.gzip,
        `${sizes.ours.uncompressed} uncompressed; ${sizes.withoutMcp.gzip} without /mcp`,
      ),
      atMost("process start to first response: ours / bare relay", health.ratio, 2.4, health.times),
      atMost("process start to first response: with /mcp / without", mcp.ratio, 1.05, mcp.times),
      atLeast(
        "list of 50, 8 connections: with /mcp / without",
        list.ours.perSecond / list.withoutMcp.perSecond,
        0.95,
        `${list.ours.perSecond.toFixed(0)}/s / ${list.withoutMcp.perSecond.toFixed(0)}/s`,
      ),
      plain(
        "process start to first page of 50 entries: ours / relay with a database",
        page.ratio.toFixed(2),
        page.times,
      ),
      plain(
        "process start to first response of a Durable Object: ours / bare relay",
        object.ratio.toFixed(2),
        object.times,
      ),
    ];
  } finally {
    endpoint.child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
};
