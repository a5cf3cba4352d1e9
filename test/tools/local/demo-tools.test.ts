// @module-tag slow
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../tools/local/ports.ts";
import { socketUrl } from "../../../tools/local/tool-socket.ts";
import { openMigrated } from "../../support/node/databases.ts";
import { resultOf, runTool } from "../../support/node/run-tool.ts";
import { type Service, spawnService, waitUntilReady } from "../../support/node/service.ts";

const TOOLS = join(import.meta.dirname, "../../../tools");
const folder = mkdtempSync(join(tmpdir(), "demo-tools-"));
let service: Service;
let base: string;

const start = async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  service = spawnService(folder, { PORT: String(port) });
  await waitUntilReady(service);
};
const stop = async () => {
  service.child.kill("SIGTERM");
  await service.exit;
};

/** Starts a tool in the folder of the service, without a setting. */
const spawnTool = (tool: string, args: string[]) =>
  spawn("node", [join(TOOLS, tool), ...args], { cwd: folder, env: { ...process.env, DATABASE_URL: "" } });
const run = (tool: string, args: string[], env?: Record<string, string>) =>
  runTool(tool, args, { cwd: folder, env: { DATABASE_URL: "", ...env } });
const users = (...args: string[]) => run("operate/users.ts", args);
const warehouse = (...args: string[]) => run("warehouse/cli.ts", args);

const ON_THE_DEMO = "Working on the demo warehouse of `npm start`.\n";

const demoUrl = () => {
  const [, temporary = ""] = readFileSync(join(folder, ".data/demo/service.pid"), "utf8").split(" ");
  return socketUrl(temporary);
};

/** A session of the tools on the demo warehouse. */
const openSession = async () => {
  const session = new pg.Client({ connectionString: demoUrl() });
  await session.connect();
  return session;
};

/** Starts a process that connects as the tools do, runs `work` with `db` and waits for a line on stdin. */
const spawnSession = async (work: string) => {
  const script = `
    import { connected } from ${JSON.stringify(join(TOOLS, "warehouse/databases.ts"))};
    await connected(${JSON.stringify(demoUrl())}, async (db) => {
      ${work}
      console.log("ready");
      await new Promise((resolve) => process.stdin.once("data", resolve));
      await db.query("select 1");
    }).catch(({ message }) => console.error(message));`;
  const child = spawn("node", ["--input-type=module", "-e", script]);
  await once(child.stdout, "data");
  return child;
};

const post = (path: string, body: unknown, token = "") =>
  fetch(base + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
const read = (token: string, path = "/v1/estabelecimentos") =>
  fetch(base + path, { headers: { Authorization: `Bearer ${token}` } });
let agentToken: string;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const expectNoWarehouse = async () => {
  for (const run of [
    users("list"),
    warehouse("verify"),
    warehouse("generate"),
    warehouse("prune", "--days", "9"),
  ]) {
    const { code, output, errors } = await run;
    expect([code, output]).toEqual([2, ""]);
    expect(errors).toMatch(
      /^DATABASE_URL is not set\. Set it to .* To use the demo warehouse instead, run `npm start` in another terminal and wait until it prints its base URL\.\n\n/,
    );
  }
};

it("the tools say what to do if nothing runs and DATABASE_URL is not set (O1)", expectNoWarehouse);

describe("while npm start serves its own demo warehouse, the tools", () => {
  beforeAll(async () => {
    // The source map of an earlier start.
    rmSync(join(TOOLS, "../dist/local"), { recursive: true, force: true });
    await start();
  }, 120_000);
  afterAll(stop);

  it("list, add and limit its users, who can sign in at once (O1)", async () => {
    expect(await users("list")).toEqual({
      code: 0,
      output: expect.stringContaining("demo@example.com  Demo  active"),
      errors: ON_THE_DEMO,
    });
    const adding = spawnTool("operate/users.ts", ["add", "ana@example.com", "Ana", "--units", "101"]);
    adding.stdin.end("ana-password");
    expect(await resultOf(adding)).toEqual({
      code: 0,
      output: "Added ana@example.com.\n",
      errors: ON_THE_DEMO,
    });
    const login = await post("/auth/login", { email: "ana@example.com", password: "ana-password" });
    const { access_token } = (await login.json()) as { access_token: string };
    const { data } = (await (await read(access_token)).json()) as { data: { salon_id: string }[] };
    expect(data.map(({ salon_id }) => salon_id)).toEqual(["101"]);
    expect((await users("remove", "ana@example.com")).code).toBe(0);
  });

  it("create agent tokens that the running service accepts, and revoke them (O1)", async () => {
    const { code, output, errors } = await users("token", "demo@example.com", "--days", "1");
    expect([code, output]).toEqual([0, expect.stringMatching(/^agt_\S+\n$/)]);
    agentToken = output.trim();
    expect((await read(agentToken)).status).toBe(200);
    const initialize = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await post("/mcp", initialize, agentToken)).status).toBe(200);
    const other = await users("token", "demo@example.com");
    const [, id = ""] = /(\d+)/.exec(other.errors.replace(ON_THE_DEMO, "")) ?? [];
    expect(errors).toContain(ON_THE_DEMO);
    expect((await users("revoke-token", id)).code).toBe(0);
    expect((await read(other.output.trim())).status).toBe(401);
  });

  it("verify and maintain it (O1)", async () => {
    const { code, output, errors } = await warehouse("verify", "--repair");
    expect([code, errors], output).toEqual([0, ON_THE_DEMO]);
    expect(output).toContain("transacoes_rollup: all sums match\n");
    expect((await warehouse("new-epoch")).code).toBe(0);
    expect((await warehouse("prune", "--days", "400")).code).toBe(0);
    expect(await warehouse("generate")).toEqual({
      code: 1,
      output: "",
      errors: `${ON_THE_DEMO}The warehouse is not empty. generate fills only an empty warehouse.\n`,
    });
    expect((await read(agentToken, "/v1/relatorios/resumo")).status).toBe(200);
  });

  it("work on the database of DATABASE_URL if it is set, and name it without its password (O1)", async () => {
    const other = await openMigrated(undefined);
    try {
      const url = new URL(other.url);
      url.password = "private";
      const { code, output, errors } = await run("operate/users.ts", ["list"], {
        DATABASE_URL: url.href,
      });
      expect([code, output]).toEqual([0, "There are no users yet.\n"]);
      expect(errors).toMatch(/^Working on the database postgres at \/\S+\.\n$/);
    } finally {
      await other.close();
    }
  });

  it("wait for a password without blocking the service or other tools (O1)", async () => {
    const waiting = spawnTool("operate/users.ts", ["add", "bia@example.com", "Bia", "--units", "all"]);
    const result = resultOf(waiting);
    await once(waiting.stderr, "data");
    expect((await read(agentToken)).status).toBe(200);
    expect((await users("list")).output).not.toContain("bia@");
    waiting.stdin.end("bia-password");
    expect((await result).output).toBe("Added bia@example.com.\n");
    expect((await users("remove", "bia@example.com")).code).toBe(0);
  });

  it("run in parallel with each other and with requests, each as its own role (O1)", async () => {
    const connection = readFileSync(join(folder, ".data/demo/connection.env"), "utf8");
    const url = connection.trim().replace("DATABASE_URL=", "");
    const whoAsks = async (n: number) => {
      const response = await fetch(`http://${new URL(url).host}/sql`, {
        method: "POST",
        headers: { "Neon-Connection-String": url },
        body: JSON.stringify({
          query: "select current_user::text as who, $1::int as n",
          params: [String(n)],
        }),
      });
      return ((await response.json()) as { rows: unknown[] }).rows;
    };
    const sessions = await Promise.all([openSession(), openSession()]);
    const whoWorks = async (n: number) => {
      const session = sessions[n % 2] as pg.Client;
      return (await session.query("select current_user::text as who, $1::int as n", [n])).rows;
    };
    const counts = Array.from({ length: 40 }, (_, n) => n);
    const [asked, worked, listed, answered] = await Promise.all([
      Promise.all(counts.map(whoAsks)),
      Promise.all(counts.map(whoWorks)),
      Promise.all(counts.slice(0, 4).map(() => users("list"))),
      Promise.all(counts.slice(0, 10).map(() => read(agentToken, "/v1/relatorios/resumo"))),
    ]);
    expect(asked).toEqual(counts.map((n) => [["salon_api", String(n)]]));
    expect(worked).toEqual(counts.map((n) => [{ who: "postgres", n }]));
    expect(listed.map(({ code }) => code)).toEqual(Array(4).fill(0));
    expect(answered.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await Promise.all(sessions.map((session) => session.end()));
  });

  it("hold up requests while a transaction is open, which give a 503, and other tools wait for its end (E2, O1)", async () => {
    const session = await openSession();
    await session.query("begin");
    await session.query("update estabelecimentos set nome = 'Outro'");
    expect((await read(agentToken)).status).toBe(503);
    const listing = spawnTool("operate/users.ts", ["list"]);
    const result = resultOf(listing);
    await once(listing.stderr, "data");
    await session.query("rollback");
    expect((await result).code).toBe(0);
    await expect.poll(async () => (await read(agentToken)).status).toBe(200);
    await session.end();
  });

  it("leave nothing behind if one is killed within a transaction (O1)", async () => {
    const killed = await spawnSession(`
      await db.query("begin");
      await db.query("update estabelecimentos set nome = 'Outro'");`);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    await expect.poll(async () => (await read(agentToken)).status).toBe(200);
    const { data } = (await (await read(agentToken)).json()) as { data: { nome: string }[] };
    expect(data.map(({ nome }) => nome)).not.toContain("Outro");
  });

  it("say clearly that a server is no Postgres, such as the endpoint of the service (O1)", async () => {
    const connection = readFileSync(join(folder, ".data/demo/connection.env"), "utf8");
    const env = { DATABASE_URL: connection.trim().replace("DATABASE_URL=", "") };
    for (const [tool, args] of [
      ["operate/users.ts", ["list"]],
      ["warehouse/cli.ts", ["verify"]],
      ["warehouse/migrate.ts", []],
    ] as const) {
      const { code, errors } = await run(tool, [...args], env);
      expect([code, errors.split("\n").at(-2)]).toEqual([
        1,
        "The database did not accept a connection: the server closed the connection, so it may be no PostgreSQL server. Check DATABASE_URL, then try again.",
      ]);
    }
  });

  it("say clearly that the service ended while they were connected (O1)", async () => {
    const session = await spawnSession("");
    await stop();
    session.stdin.end("\n");
    expect((await resultOf(session)).errors).toBe(
      "The database closed the connection before the command ended. Find out what the command has done, then run it again.\n",
    );
    await expectNoWarehouse();
    await start();
  });

  it("find a rollup that is missing, as the smoke test does, and the source lines of its 500 (E9, E10, O1)", async () => {
    const session = await openSession();
    await session.query("select drop_rollup('servicos_profissional_rollup')");
    await session.end();
    const { code, output } = await warehouse("verify");
    expect([code, output]).toEqual([1, expect.stringContaining("\nservicos_profissional_rollup: missing\n")]);
    const smoke = spawn("node", [join(TOOLS, "operate/smoke.ts"), base], {
      env: { ...process.env, SMOKE_EMAIL: "demo@example.com", SMOKE_PASSWORD: "demo-password" },
    });
    const checked = await resultOf(smoke);
    expect(checked.code).toBe(1);
    expect(checked.output).toMatch(/^ok {4}\/health$/m);
    expect(checked.output).toMatch(
      /^FAIL {2}every list, report and feed {2}\/v1\/relatorios\/servicos answered 500.* npm run warehouse -- verify$/m,
    );
    // The service has written a 500 of each request to that report.
    const logged = () => service.output.split("\n").filter((line) => line.includes('"stack"'));
    await expect.poll(() => logged().length).toBeGreaterThan(0);
    const stack = spawn("node", [join(TOOLS, "deploy/stack.ts")]);
    stack.stdin.end(service.output);
    const read = await resultOf(stack);
    expect([read.code, read.errors], logged()[0]).toEqual([0, ""]);
    expect(read.output).toMatch(/^NeonDbError of request [\da-f-]{36}, version local$/m);
    const [, line = "0"] = /\(src\/platform\/db\/connect\.ts:(\d+):\d+\)$/m.exec(read.output) ?? [];
    const source = readFileSync(join(TOOLS, "../src/platform/db/connect.ts"), "utf8").split("\n");
    expect(source[Number(line) - 1]).toMatch(/await neonClient\.(query|transaction)\(/);
  });
});
