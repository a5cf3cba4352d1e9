// @module-tag slow
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFree } from "../../tools/local/ports.ts";
import { isOnThisMachine, readTarget } from "../../tools/local/warehouse.ts";
import { addUser } from "../../tools/users.ts";
import { connected } from "../../tools/warehouse/databases.ts";
import { type Database, openDatabase } from "../support/databases.ts";
import { inGroup, portsOf } from "../support/processes.ts";
import { type Relay, startRelay } from "../support/relay.ts";
import { freePort, type Service, start, untilReady } from "../support/service.ts";

// What the shell has to quote, and a URL to encode.
const folder = join(mkdtempSync(join(tmpdir(), "start-")), "Área de trabalho");
mkdirSync(folder);
const sh = promisify(execFile);
let port: number;
let base: string;

beforeAll(async () => {
  port = await freePort();
  base = `http://127.0.0.1:${port}`;
});
afterAll(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

const begin = (env: Record<string, string>, args: string[] = []) =>
  start(folder, { PORT: String(port), ...env }, args);

const started = async (env: Record<string, string> = {}, args: string[] = []): Promise<Service> => {
  const service = begin(env, args);
  await untilReady(service);
  return service;
};

/** The process group of the service that runs, or ran last, in the folder; and what it keeps outside of it. */
const serving = (name = "demo") => {
  const [group, temporary = ""] = readFileSync(join(folder, ".data", name, "service.pid"), "utf8").split(" ");
  return { group: Number(group), temporary };
};

/** Waits until no process of a group is left; the promise is ten seconds. */
const untilGone = async ({ group, temporary }: ReturnType<typeof serving>) => {
  await expect.poll(() => inGroup(group), { timeout: 10_000 }).toEqual([]);
  await expect.poll(() => existsSync(temporary), { timeout: 10_000 }).toBe(false);
  await expect.poll(() => isFree(port), { timeout: 10_000 }).toBe(true);
};

const post = (path: string, body: unknown) =>
  fetch(base + path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
const signIn = () => post("/auth/login", { email: "demo@example.com", password: "demo-password" });

describe("npm start", () => {
  let service: Service;

  const end = async (signal: NodeJS.Signals) => {
    const running = serving();
    service.child.kill(signal);
    expect(await service.exit).toBe(0);
    await untilGone(running);
  };

  it("fills the demo warehouse with a progress line and prints a curl line that works when pasted", {
    timeout: 120_000,
  }, async () => {
    service = await started({}, ["--var", "RATE_LIMIT_GLOBAL:77"]);
    expect(service.output).toMatch(/Filling the warehouse: transacoes 3000 of 3000/);
    expect(service.output).toContain(`Base URL    ${base}`);
    expect(service.output).toContain("demo@example.com / demo-password");
    const line = service.output.split("\n").find((text) => text.startsWith("curl "));
    const { stdout } = await sh("sh", ["-c", line ?? "false"]);
    const { data, pagination } = JSON.parse(stdout);
    expect(data).toHaveLength(2);
    expect(pagination).toMatchObject({ per_page: 2, has_more: true });
  });

  it("--var sets a setting of the Worker", async () => {
    expect(service.output).toContain("RATE_LIMIT_GLOBAL = 77");
    expect((await fetch(`${base}/health`)).headers.get("RateLimit-Policy")).toContain('"global";q=77;');
  });

  /** The status line that answers a request whose body does not end, once the service has closed the connection. */
  const statusOfStalled = (method: string, path: string, length: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      let answer = "";
      socket.on("data", (chunk) => {
        answer += chunk.toString();
      });
      socket.once("error", reject);
      socket.once("close", () => resolve(answer.split("\r\n")[0] ?? ""));
      const type = "Content-Type: application/json";
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${type}\r\n${length}\r\n\r\n`);
      socket.write(length.startsWith("Transfer") ? "1\r\n{\r\n" : "{");
    });

  it.each(["Content-Length: 100", "Transfer-Encoding: chunked"])(
    "a body that does not end (%s) is a 408, and that of a GET is not waited for (E2)",
    { timeout: 120_000 },
    async (length) => {
      const ask = (method: string) => (path: string) => statusOfStalled(method, path, length);
      const posted = Promise.all(["/auth/login", "/auth/refresh", "/health", "/nowhere"].map(ask("POST")));
      const got = await Promise.all(["/health", "/v1/transacoes"].map(ask("GET")));
      expect(got).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 401 Unauthorized"]);
      expect(await ask("HEAD")("/llms.txt")).toBe("HTTP/1.1 200 OK");
      expect(await posted).toEqual(Array(4).fill("HTTP/1.1 408 Request Timeout"));
    },
  );

  it.each(["/docs", "/painel"])("serves the files of %s", async (path) => {
    const page = await (await fetch(base + path, { headers: { Accept: "text/html" } })).text();
    const files = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect([file, (await fetch(base + file)).status]).toEqual([file, 200]);
  });

  it("the smoke test finds a well service well and leaves no session behind; a wrong password fails it", async () => {
    const smoke = (password: string) =>
      sh("node", [join(import.meta.dirname, "../../tools/smoke.ts"), base], {
        env: { ...process.env, SMOKE_EMAIL: "demo@example.com", SMOKE_PASSWORD: password },
      });
    const { stdout } = await smoke("demo-password");
    expect(stdout).toMatch(/^ +all +network +service +auth +limit +db$/m);
    for (const path of ["/health", "/v1/transacoes\\?per_page=1", "/v1/relatorios/resumo"]) {
      const times = " +\\d+ \\(\\d+\\)";
      const db = path === "/health" ? " +-" : times;
      expect(stdout).toMatch(new RegExp(`^ +${path}(${times}){5}${db}$`, "m"));
    }
    expect(stdout).toMatch(/nothing left behind: the session has ended\nThe service is well\.\n$/);
    await expect(smoke("not-the-password")).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/FAIL {2}a real login {2}answered 401/),
    });
  });

  it("keeps the endpoint's connection string where only its user may read it", () => {
    const file = join(folder, ".data/demo/connection.env");
    expect(readFileSync(file, "utf8")).toMatch(
      /^DATABASE_URL=postgres:\/\/salon_api:[\w-]{22}@127\.0\.0\.1:\d+\/postgres\n$/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, ".data/demo")).mode & 0o777).toBe(0o700);
  });

  it("no inspector listens, and nobody else of the machine is let in as an owner", async () => {
    const running = inGroup(serving().group);
    expect(running.map(({ name }) => name)).toContain("workerd");
    const ports = portsOf([Number(service.child.pid), ...running.map(({ pid }) => pid)]);
    expect(ports).toContain(port);
    for (const each of ports) {
      const told = await fetch(`http://127.0.0.1:${each}/json/list`).then((answer) => answer.text());
      expect(told).not.toContain("webSocketDebuggerUrl");
      // Whatever it is, it is no Postgres: that one is reached by the files of its user alone.
      const url = `postgres://postgres@127.0.0.1:${each}/postgres`;
      const db = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
      await expect(db.connect()).rejects.toThrow();
    }
    const { DATABASE_URL: api = "" } = Object.fromEntries([
      readFileSync(join(folder, ".data/demo/connection.env"), "utf8").trim().split(/=(.*)/s),
    ]);
    const ask = async (url: string) =>
      fetch(`http://${new URL(url).host}/sql`, {
        method: "POST",
        headers: { "Neon-Connection-String": url },
        body: JSON.stringify({ query: "select current_user::text as who" }),
      }).then((answer) => answer.json());
    expect(await ask(api)).toMatchObject({ rows: [{ who: "salon_api" }] });
    expect(await ask(api.replace("salon_api", "postgres"))).toMatchObject({ code: "28000" });
    expect(await ask(api.replace(/:[\w-]{22}@/, ":guessed@"))).toMatchObject({ code: "28P01" });
  });

  it("a second start beside it ends with one clear line", async () => {
    const taken = begin({});
    expect(await taken.exit).toBe(1);
    expect(taken.output).toBe(`Port ${port} is taken. Choose another one: PORT=${port + 1} npm start\n`);
    const same = begin({ PORT: String(await freePort()) });
    expect(await same.exit).toBe(1);
    expect(same.output).toBe("The demo warehouse is in use by another `npm start` of this folder.\n");
  });

  it("SIGTERM ends every process", () => end("SIGTERM"));

  it("starts again without filling, its sessions are those of before, and Ctrl-C ends it", {
    timeout: 120_000,
  }, async () => {
    service = await started();
    expect(service.output).not.toContain("Filling");
    const { refresh_token } = (await (await signIn()).json()) as { refresh_token: string };
    await end("SIGINT");
    service = await started();
    expect((await post("/auth/refresh", { refresh_token })).status).toBe(200);
    await end("SIGINT");
  });

  it("a setting that nothing is served with ends it with one clear line", async () => {
    const vars = ["--var", "RATE_LIMIT_GLOBAL:0", "--var", "CORS_ORIGINS:app.example"];
    const refused = start(folder, { PORT: String(await freePort()) }, vars);
    expect(await refused.exit).toBe(1);
    expect(refused.output).toBe(
      "CORS_ORIGINS must be * or origins like https://app.example, separated by commas; RATE_LIMIT_GLOBAL must be a whole number of at least 1\n",
    );
  });

  it.each([
    [{ PORT: "x" }, /^PORT must be a number from 1 to 65535; got "x"\.\n$/],
    [{ PORT: "0" }, /^PORT must be a number/],
    [{ DATABASE_URL: "mysql://x/y" }, /^DATABASE_URL must look like postgres:\/\/.*\n$/],
    [
      { DATABASE_URL: "postgres://me:hidden@127.0.0.1:1/x" },
      /^The database at postgres:\/\/me:\*\*\*@127\.0\.0\.1:1\/x cannot be used: .*ECONNREFUSED.*\n$/,
    ],
  ])("%j ends with one clear line and a non-zero exit", async (env, message) => {
    const failed = begin(env);
    expect(await failed.exit).toBe(1);
    expect(failed.output).toMatch(message);
    expect(failed.output).not.toContain("hidden");
  });

  it.each([["--vra"], ["--var", "NAME"], ["something"]])("%s: the usage, and 2", async (...args) => {
    const failed = begin({}, args);
    expect(await failed.exit).toBe(2);
    expect(failed.output).toContain("npm start [-- --var NAME:value …]");
  });
});

describe("nothing stays behind", () => {
  it.each([
    ["kill -9 of what was started", "SIGKILL"],
    ["the terminal closes", "SIGHUP"],
  ] as const)("%s", { timeout: 120_000 }, async (_, signal) => {
    const service = await started();
    const running = serving();
    expect(inGroup(running.group).length).toBeGreaterThan(1);
    service.child.kill(signal);
    await service.exit;
    await untilGone(running);
  });

  it("kill -9 of what serves", { timeout: 120_000 }, async () => {
    const service = await started();
    const running = serving();
    process.kill(running.group, "SIGKILL");
    expect(await service.exit).toBe(1);
    await untilGone(running);
  });

  it("kill -9 of npm", { timeout: 120_000 }, async () => {
    // A script has npm for its parent: here a shell in its place.
    const script = join(import.meta.dirname, "../../tools/local/start.ts");
    const npm = execFile("sh", ["-c", '"$0" "$1" & wait', process.execPath, script], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: "", PORT: String(port), npm_lifecycle_event: "start" },
    });
    await expect
      .poll(
        () =>
          fetch(base).then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true);
    const running = serving();
    npm.kill("SIGKILL");
    await untilGone(running);
  });

  it("killed at once with what watches it: the next start ends what was left", {
    timeout: 120_000,
  }, async () => {
    const killed = await started();
    const before = serving();
    killed.child.kill("SIGKILL");
    process.kill(before.group, "SIGKILL");
    await killed.exit;
    await expect.poll(() => inGroup(before.group).map(({ name }) => name)).toEqual(["workerd"]);
    const service = await started();
    expect(inGroup(before.group)).toEqual([]);
    expect(existsSync(before.temporary)).toBe(false);
    expect((await fetch(`${base}/health`)).status).toBe(200);
    const running = serving();
    service.child.kill("SIGTERM");
    await service.exit;
    await untilGone(running);
  });

  it("a lock whose process is gone refuses nobody; nobody is ended who has its number now, and no folder removed that no start has made", {
    timeout: 120_000,
  }, async () => {
    const other = spawn("sleep", ["120"], { detached: true });
    const kept = mkdtempSync(join(tmpdir(), "of-somebody-else-"));
    writeFileSync(join(folder, ".data/demo/service.pid"), `${other.pid} ${kept}`);
    const service = await started();
    expect(other.kill("SIGKILL")).toBe(true);
    expect(existsSync(kept)).toBe(true);
    rmSync(kept, { recursive: true });
    const running = serving();
    service.child.kill("SIGTERM");
    await service.exit;
    await untilGone(running);
  });
});

describe("a folder that cannot be written", () => {
  const failing = async (where: string) => {
    const failed = start(where, { PORT: String(port) });
    expect(await failed.exit).toBe(1);
    return failed.output;
  };

  it.each([
    [".data is a file", ".data"],
    [".data/demo is a file", ".data/demo"],
  ])("%s: one sentence", async (_, name) => {
    const where = mkdtempSync(join(tmpdir(), "unwritable-"));
    if (name.includes("/")) mkdirSync(join(where, ".data"));
    writeFileSync(join(where, name), "");
    expect(await failing(where)).toMatch(/^\/\S+ cannot be written \(E[A-Z]+\)\. `npm start` keeps .*\n$/);
    rmSync(where, { recursive: true });
  });

  // A file system of the kernel, where nobody may make a folder, root included.
  it.runIf(existsSync("/sys/kernel"))("a read-only folder: one sentence", async () => {
    expect(await failing("/sys")).toMatch(/^\/sys\/\.data\S* cannot be written \(E[A-Z]+\)\. .*\n$/);
  });
});

describe("DATABASE_URL", () => {
  it.each([
    ["postgres://me@localhost/db", true],
    ["postgres://me@127.0.0.1/db", true],
    ["postgres://me@127.8.9.1:6000/db", true],
    ["postgres://me@[::1]/db", true],
    ["postgres:///db?host=/var/run/postgresql", true],
    ["postgres://me@%2Fvar%2Frun%2Fpostgresql/db", true],
    ["postgres://me@ep-one.sa-east-1.aws.neon.tech/db", false],
    ["postgres://me@localhost.example.com/db", false],
    ["postgres://me@127.0.0.1.example.com/db", false],
    ["postgres://me@0.0.0.0/db", false],
    ["postgres://me@10.0.0.7/db", false],
    ["postgres://me@[2001:db8::1]/db", false],
    // What the driver takes for the host is not what the URL shows.
    ["postgres://me@localhost/db?host=ep-one.neon.tech", false],
  ])("%s is on this machine: %s", (url, isHere) => {
    expect(readTarget(url).isHere).toBe(isHere);
  });

  it("without a host the environment names it, as the driver reads it", () => {
    process.env.PGHOST = "ep-one.neon.tech";
    expect(readTarget("postgres:///db").isHere).toBe(false);
    Reflect.deleteProperty(process.env, "PGHOST");
    expect(readTarget("postgres:///db").isHere).toBe(true);
    expect(isOnThisMachine("")).toBe(false);
  });

  describe("of a database", { tags: ["server"] }, () => {
    let database: Database;
    let relay: Relay;
    let elsewhere: Relay;
    const nameOf = (url: string) => readTarget(url).name;

    beforeAll(async () => {
      database = await openDatabase(process.env.TEST_DATABASE_URL);
      relay = await startRelay(database.url);
      // An address that reaches this machine without being written as one that does.
      elsewhere = await startRelay(database.url, "0.0.0.0");
    });
    afterAll(async () => {
      await relay.close();
      await elsewhere.close();
      await database.close();
    });

    it("elsewhere, with migrations to come: ends, names the command, and has changed nothing", async () => {
      const refused = begin({ DATABASE_URL: elsewhere.url });
      expect(await refused.exit).toBe(1);
      expect(refused.output).toMatch(
        /^The database at \S+ is not on this machine and has not had 0000_.*\n$/,
      );
      expect(refused.output).toContain("npm run db:migrate");
      const { rows } = await connected(database.url, (db) =>
        db.query(
          "select to_regclass('users') as users, to_regnamespace('drizzle') as log, count(*)::int as tables from pg_tables where schemaname = 'public'",
        ),
      );
      expect(rows).toEqual([{ users: null, log: null, tables: 0 }]);
    });

    it("on this machine: migrates it, and adds no user", { timeout: 120_000 }, async () => {
      const service = await started({ DATABASE_URL: relay.url });
      const running = serving(nameOf(relay.url));
      expect(service.output).not.toContain("demo@example.com");
      expect((await signIn()).status).toBe(401);
      service.child.kill("SIGTERM");
      await service.exit;
      await untilGone(running);
    });

    it("elsewhere, with nothing left to migrate: serves it, and adds no user; a connection cut in the middle of a statement is a 503, and the next request works", {
      timeout: 120_000,
    }, async () => {
      await connected(database.url, async (db) => {
        // An embedded Postgres has one session for all: it is still what the service has made of it.
        await db.query("discard all");
        await addUser(db, { email: "reader@example.com", name: "Reader", password: "reader-password" });
      });
      const service = await started({ DATABASE_URL: elsewhere.url });
      const running = serving(nameOf(elsewhere.url));
      expect((await signIn()).status).toBe(401);
      const login = await post("/auth/login", { email: "reader@example.com", password: "reader-password" });
      const { access_token } = (await login.json()) as { access_token: string };
      const read = () =>
        fetch(`${base}/v1/estabelecimentos`, { headers: { Authorization: `Bearer ${access_token}` } });
      expect((await read()).status).toBe(200);
      elsewhere.cutAt("estabelecimentos");
      const cut = await read();
      expect([cut.status, Number(cut.headers.get("Retry-After")) > 0]).toEqual([503, true]);
      elsewhere.cutAt(undefined);
      await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe(200);
      expect(serving(nameOf(elsewhere.url))).toEqual(running);
      service.child.kill("SIGTERM");
      await service.exit;
      await untilGone(running);
    });
  });
});
