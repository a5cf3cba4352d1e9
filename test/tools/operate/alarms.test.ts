// @module-tag slow
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundle } from "../../../tools/local/bundle.ts";
import { type NeonEndpoint, startNeonEndpoint } from "../../../tools/local/neon-endpoint/server.ts";
import { SETTINGS, startRuntime } from "../../../tools/local/runtime.ts";
import { tokens } from "../../../tools/local/tokens.ts";
import { type Database, openMigrated } from "../../support/node/databases.ts";
import { ROOT } from "../../support/node/pages.ts";

const PROGRAM = join(ROOT, "tools/operate/alarms.jq");
const folder = mkdtempSync(join(tmpdir(), "alarms-"));
const NOWHERE = "127.0.0.1:1";
let database: Database;
let db: pg.Client;
let endpoint: NeonEndpoint;
let Authorization = "";

/** The network in front of Postgres. */
let network: "works" | "is down" | "refuses large answers" = "works";
const relay = createServer((asked, answer) => {
  if (network === "is down") return void asked.socket.destroy();
  // As Neon's proxy answers, and tools/local/neon-endpoint for a real record of this size.
  if (network === "refuses large answers")
    return void answer.writeHead(507).end(JSON.stringify({ message: "response is too large" }));
  const { url = "", method, headers } = asked;
  const passed = request({ port: endpoint.port, path: url, method, headers }, (answered) => {
    answer.writeHead(answered.statusCode ?? 0, answered.headers);
    answered.pipe(answer);
  });
  asked.pipe(passed);
});

/** Runs the service while `use` sends requests. @returns the lines that it wrote */
const linesWhile = async (
  settings: Record<string, string>,
  use: (ask: (path: string, init?: RequestInit) => Promise<number>) => Promise<unknown>,
  options: string[] = [],
): Promise<string[]> => {
  const own = mkdtempSync(join(folder, "run-"));
  bundle(own, options);
  const lines: string[] = [];
  const url = new URL(endpoint.urlOf("postgres"));
  url.port = String((relay.address() as AddressInfo).port);
  const service = await startRuntime(
    own,
    { ...SETTINGS, DATABASE_URL: url.href, ...settings },
    { unsafeTriggerHandlers: true, handleStructuredLogs: ({ message }) => lines.push(message) },
  );
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, service.url), {
      ...init,
      headers: { Authorization, "Content-Type": "application/json", ...init.headers },
    });
    await response.arrayBuffer();
    return response.status;
  };
  try {
    await use(ask);
    // The line of a request comes after its answer, and those of accesses come last.
    const last = crypto.randomUUID();
    await ask("/health", { headers: { "X-Request-Id": last } });
    await expect.poll(() => lines.join("\n")).toContain(last);
  } finally {
    await service.runtime.dispose();
  }
  return lines;
};

/** Makes each statement that reads `profissionais` fail with this SQLSTATE. */
const failWith = (sqlstate: string | null) => db.query("update failure set sqlstate = $1", [sqlstate]);

beforeAll(async () => {
  // One session, so everybody is its owner.
  database = await openMigrated(undefined);
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  await db.query(`
    create table failure (sqlstate text);
    insert into failure values (null);
    create function raise_failure() returns boolean stable language plpgsql as $$
      declare code text := (select sqlstate from failure);
      begin
        if code is not null then raise exception 'failed' using errcode = code; end if;
        return true;
      end $$;
    alter table profissionais rename to profissionais_stored;
    create view profissionais as select * from profissionais_stored where raise_failure()`);
  endpoint = await startNeonEndpoint({ url: database.url, sessions: 1, roles: ["postgres"] });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  [Authorization = ""] = await tokens(1);
});
afterAll(async () => {
  await endpoint?.close();
  await new Promise((resolve) => relay.close(resolve).closeAllConnections());
  await db?.end();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the program prints for lines, each of which counts `times` times. */
const alarmsOf = (lines: string[], times = 1) => {
  const input = Array(times).fill(lines.join("\n")).join("\n");
  const { stdout, stderr, status } = spawnSync("jq", ["-nrRf", PROGRAM], { input, encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").slice(0, -1);
};
const namesOf = (lines: string[]) => alarmsOf(lines, 100).map((line) => line.split("\t")[1]);

describe("tools/operate/alarms.jq", () => {
  const LIST = "/v1/profissionais?per_page=1";
  const BODY = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "listProfissionais", arguments: {} },
  };

  it.each([
    ["P0001", "bug"],
    ["57014", "slow-statement"],
    ["28P01", "database-login"],
    ["3D000", "database-login"],
    ["55000", "database-closed"],
    ["SR001", "replica"],
    ["53300", "connections"],
  ])("finds a statement that failed with %s as %s, also of a tool (E2, E9)", async (sqlstate, name) => {
    await failWith(sqlstate);
    const lines = await linesWhile({}, async (ask) => {
      expect(await ask(LIST)).toBe(name === "bug" ? 500 : 503);
      const headers = { Accept: "application/json, text/event-stream" };
      expect(await ask("/mcp", { method: "POST", headers, body: JSON.stringify(BODY) })).toBe(
        name === "bug" ? 500 : 200,
      );
    });
    await failWith(null);
    expect(namesOf(lines)).toEqual(name === "bug" ? [name] : [name, "tool"].sort());
  });

  it("finds a record over 64 MB, and a database that does not answer (E2, E9)", async () => {
    const lines = await linesWhile({}, async (ask) => {
      network = "refuses large answers";
      expect(await ask(LIST)).toBe(500);
      network = "is down";
      expect(await ask(LIST)).toBe(503);
    });
    network = "works";
    expect(namesOf(lines)).toEqual(["database", "large-record"]);
  });

  it("finds wrong settings of requests and of the watch (E9, W1)", async () => {
    const lines = await linesWhile({ RATE_LIMIT_AUTH: "none" }, async (ask) => {
      expect(await ask(LIST)).toBe(500);
      await ask("/cdn-cgi/local/scheduled?time=1700000000000");
    });
    expect(lines.filter((line) => line.includes('"event":"watch"'))).toHaveLength(1);
    expect(namesOf(lines)).toEqual(["settings", "watch"]);
  });

  it("finds alerts and summaries that are not delivered, a watch without a database, and accesses without a row (A15, W1)", async () => {
    const addresses = {
      ALERT_WEBHOOK: `http://${NOWHERE}/alert`,
      AUDIT_DATABASE_URL: `postgres://salon_audit:x@${NOWHERE}/none`,
    };
    const lines = await linesWhile(addresses, async (ask) => {
      expect(await ask("/v1/transacoes")).toBe(200);
      network = "is down";
      await ask("/cdn-cgi/local/scheduled?time=1700000000000");
    });
    network = "works";
    expect(namesOf(lines)).toEqual(["access", "undelivered", "watch"]);
    // At 20:00 in Brasília.
    const summaries = await linesWhile({ SUMMARY_WEBHOOK: `http://${NOWHERE}/summary` }, (ask) =>
      ask("/cdn-cgi/local/scheduled?time=1700002800000"),
    );
    expect(namesOf(summaries)).toEqual(["undelivered"]);
  });

  it("finds sessions that do not respond (E2)", async () => {
    const login = JSON.stringify({ email: "demo@example.com", password: "demo-password" });
    const lines = await linesWhile(
      {},
      async (ask) => expect(await ask("/auth/login", { method: "POST", body: login })).toBe(503),
      ["test/support/worker/broken-sessions.ts"],
    );
    expect(namesOf(lines)).toEqual(["auth"]);
  });

  it("finds refused renewals and the user who sends without a pause (A6, E3)", async () => {
    const lines = await linesWhile({ RATE_LIMIT_GLOBAL: "3" }, async (ask) => {
      const body = JSON.stringify({ refresh_token: "used" });
      expect(await ask("/auth/refresh", { method: "POST", body, headers: { Authorization: "" } })).toBe(401);
      await expect.poll(() => ask(LIST)).toBe(429);
    });
    expect(namesOf(lines)).toEqual(["busy-user 1", "renewal"]);
  });

  it("is silent about requests that succeed, about clients' errors and about what is no log line", async () => {
    const lines = await linesWhile({}, async (ask) => {
      expect([await ask(LIST), await ask("/nowhere"), await ask(`${LIST}&page=0`)]).toEqual([200, 404, 400]);
    });
    expect(namesOf([...lines, "{", "[1]", "null", '"text"', "{}", "Ctrl-C ends it."])).toEqual([]);
  });

  it("counts lines against its thresholds", () => {
    const bug = JSON.stringify({ level: "error", status: 500, route: "/v1/produtos", error: "TypeError" });
    const renewal = JSON.stringify({ level: "info", status: 401, route: "/auth/refresh" });
    expect(alarmsOf([bug, renewal], 19)).toEqual(["today\tbug\t19"]);
    expect(alarmsOf([bug, renewal], 20)).toEqual(["now\tbug\t20", "today\trenewal\t20"]);
  });

  it("has the names and thresholds of the table in docs/operating.md", () => {
    const text = readFileSync(PROGRAM, "utf8");
    const declared = [
      ...text.matchAll(/^ {4}"?([a-z-]+)"?: \{(?:now: (\d+))?(?:, )?(?:today: (\d+))?\},$/gm),
    ];
    const rows = readFileSync(join(ROOT, "docs/operating.md"), "utf8").matchAll(
      /^\| `([a-z-]+)` \| (\d+|–) \| (\d+|–) \|/gm,
    );
    expect([...rows].map(([, ...cells]) => cells).sort()).toEqual(
      declared.map(([, name, now, today]) => [name, now ?? "–", today ?? "–"]).sort(),
    );
    expect(declared).toHaveLength(text.match(/^ {2}\(select\(/gm)?.length ?? 0);
  });
});
