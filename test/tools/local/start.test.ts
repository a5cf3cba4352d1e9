// @module-tag slow
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { freePort, isFree } from "../../../tools/local/ports.ts";
import { isOnThisMachine, readTarget } from "../../../tools/local/warehouse.ts";
import { addUser } from "../../../tools/operate/user-changes.ts";
import { connected } from "../../../tools/warehouse/databases.ts";
import { type Database, openDatabase } from "../../support/node/databases.ts";
import { portsOf, processesInGroup } from "../../support/node/processes.ts";
import { type Relay, startRelay } from "../../support/node/relay.ts";
import { type Service, spawnService, waitUntilReady } from "../../support/node/service.ts";

// A name that a shell must quote and a URL must encode.
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

const startWith = (env: Record<string, string>, args: string[] = []) =>
  spawnService(folder, { PORT: String(port), ...env }, args);

const startUntilReady = async (env: Record<string, string> = {}, args: string[] = []): Promise<Service> => {
  const service = startWith(env, args);
  await waitUntilReady(service);
  return service;
};

/** The process group and the temporary folder of the service that last started in the folder. */
const readRunning = (warehouse = "demo") => {
  const [group, temporary = ""] = readFileSync(join(folder, ".data", warehouse, "service.pid"), "utf8").split(
    " ",
  );
  return { group: Number(group), temporary };
};

/** Waits until the processes, the temporary folder and the open port are gone. */
const waitUntilGone = async ({ group, temporary }: ReturnType<typeof readRunning>) => {
  await expect.poll(() => processesInGroup(group)).toEqual([]);
  await expect.poll(() => existsSync(temporary)).toBe(false);
  await expect.poll(() => isFree(port)).toBe(true);
};

/** Ends the service with a signal. Expects exit code 0, and that no process, folder or open port is left. */
const end = async (
  service: Service,
  { signal = "SIGTERM", warehouse = "demo" }: { signal?: NodeJS.Signals; warehouse?: string } = {},
) => {
  const running = readRunning(warehouse);
  service.child.kill(signal);
  expect(await service.exit).toBe(0);
  await waitUntilGone(running);
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

  it("fills the demo warehouse, shows progress and prints a curl command that works when pasted", async () => {
    const vars = ["RATE_LIMIT_GLOBAL:77", "HEARTBEAT_URL:http://127.0.0.1:1/private", "ALERT_HOOK:private"];
    service = await startUntilReady(
      {},
      vars.flatMap((one) => ["--var", one]),
    );
    expect(service.output).toMatch(/Filling the warehouse: transacoes (\d{5}) of \1\n/);
    expect(service.output).toContain(`Base URL    ${base}`);
    expect(service.output).toContain("demo@example.com / demo-password");
    const line = service.output.split("\n").find((text) => text.startsWith("curl "));
    const { stdout } = await sh("sh", ["-c", line ?? "false"]);
    const { data, pagination } = JSON.parse(stdout);
    expect(data).toHaveLength(2);
    expect(pagination).toMatchObject({ per_page: 2, has_more: true });
  });

  it("passes --var to the Worker as a setting, and hides the values of secrets and unknown names (W1)", async () => {
    expect(service.output).toContain("RATE_LIMIT_GLOBAL = 77");
    expect(service.output).toMatch(/HEARTBEAT_URL = \(hidden\)\n.*ALERT_HOOK = \(hidden\)\n/);
    expect(service.output).not.toContain("private");
    expect((await fetch(`${base}/nothing`)).headers.get("RateLimit-Policy")).toContain('"global";q=77;');
  });

  it.each([
    ["192.168.1.20", 200],
    ["localhost", 200],
    ["api.example", 403],
  ])("answers plain http to the host %s with %i (E8)", async (host, status) => {
    const answered = await new Promise((resolve, reject) => {
      get(`${base}/health`, { headers: { Host: host } }, ({ statusCode }) => resolve(statusCode)).once(
        "error",
        reject,
      );
    });
    expect(answered).toBe(status);
  });

  /** Sends a request whose body does not end. Returns the status line when the connection is closed. */
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
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${type}\r\n${length}\r\n\r\n`);
      socket.write(length.startsWith("Transfer") ? "1\r\n{\r\n" : "{");
    });

  // Each waits for seconds until the service gives up on the body.
  it.concurrent.each(["Content-Length: 100", "Transfer-Encoding: chunked"])(
    "returns 408 if a body does not end (%s), and does not wait for the body of a GET (E2)",
    async (length) => {
      const ask = (method: string) => (path: string) => statusOfStalled(method, path, length);
      const posted = Promise.all(["/auth/login", "/auth/refresh", "/health", "/nowhere"].map(ask("POST")));
      const got = await Promise.all(["/health", "/v1/transacoes"].map(ask("GET")));
      expect(got).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 401 Unauthorized"]);
      expect(await ask("HEAD")("/llms.txt")).toBe("HTTP/1.1 200 OK");
      expect(await posted).toEqual(Array(4).fill("HTTP/1.1 408 Request Timeout"));
    },
  );

  it("keeps the endpoint's connection string in a file that only its user can read", () => {
    const file = join(folder, ".data/demo/connection.env");
    expect(readFileSync(file, "utf8")).toMatch(
      /^DATABASE_URL=postgres:\/\/salon_api:[\w-]{22}@127\.0\.0\.1:\d+\/postgres\n$/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, ".data/demo")).mode & 0o777).toBe(0o700);
  });

  it("opens no inspector, and gives no other user of the machine the owner's access", async () => {
    const running = processesInGroup(readRunning().group);
    expect(running.map(({ name }) => name)).toContain("workerd");
    const ports = portsOf([Number(service.child.pid), ...running.map(({ pid }) => pid)]);
    expect(ports).toContain(port);
    for (const each of ports) {
      const listing = await fetch(`http://127.0.0.1:${each}/json/list`).then((answer) => answer.text());
      expect(listing).not.toContain("webSocketDebuggerUrl");
      // None of the ports is Postgres, which is reachable only through files of its user.
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
    expect(await ask(api)).toMatchObject({ rows: [["salon_api"]] });
    expect(await ask(api.replace("salon_api", "postgres"))).toMatchObject({ code: "28000" });
    expect(await ask(api.replace(/:[\w-]{22}@/, ":guessed@"))).toMatchObject({ code: "28P01" });
  });

  it("exits with one clear line if it is already running", async () => {
    const taken = startWith({});
    expect(await taken.exit).toBe(1);
    expect(taken.output).toBe(`Port ${port} is taken. Choose another one: PORT=${port + 1} npm start\n`);
    const same = startWith({ PORT: String(await freePort()) });
    expect(await same.exit).toBe(1);
    expect(same.output).toBe(
      "The demo warehouse is in use by another `npm start` in this folder. Stop that one first.\n",
    );
  });

  it("ends every process on SIGTERM, and starts again with the same data and sessions until Ctrl-C", async () => {
    const { refresh_token } = (await (await signIn()).json()) as { refresh_token: string };
    await end(service);
    service = await startUntilReady();
    expect(service.output).not.toContain("Filling");
    expect((await post("/auth/refresh", { refresh_token })).status).toBe(200);
    await end(service, { signal: "SIGINT" });
  });

  it("exits with one clear line if settings are invalid", async () => {
    const vars = ["--var", "RATE_LIMIT_GLOBAL:0", "--var", "CORS_ORIGINS:app.example"];
    const refused = spawnService(folder, { PORT: String(await freePort()) }, vars);
    expect(await refused.exit).toBe(1);
    expect(refused.output).toBe(
      "CORS_ORIGINS must be * or origins like https://app.example, separated by commas; RATE_LIMIT_GLOBAL must be an integer of at least 1\n",
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
  ])("exits with one clear line and code 1 for %j", async (env, message) => {
    const failed = startWith(env);
    expect(await failed.exit).toBe(1);
    expect(failed.output).toMatch(message);
    expect(failed.output).not.toContain("hidden");
  });

  it.each([["--var", "NAME"], ["something"]])("prints its usage and exits with 2 for %s", async (...args) => {
    const failed = startWith({}, args);
    expect(await failed.exit).toBe(2);
    expect(failed.output).toContain("npm start [-- --var NAME:value …]");
  });
});

/** A runtime may end by itself after it was listed. */
const killIfRunning = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

const isServing = () =>
  fetch(`${base}/health`).then(
    ({ status }) => status === 200,
    () => false,
  );

describe("npm start keeps serving", () => {
  it("after its runtime is killed, and killed again while it restarts", async () => {
    const service = await startUntilReady();
    const { group } = readRunning();
    const runtimes = () => processesInGroup(group).filter(({ name }) => name === "workerd");
    // Kill each runtime as soon as it exists, until Miniflare has given up.
    while (!service.output.includes("The Workers runtime has ended. Starting it again.")) {
      for (const { pid } of runtimes()) killIfRunning(pid);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await expect.poll(isServing, { timeout: 60_000 }).toBe(true);
    await end(service);
  });
});

describe("npm start leaves no process behind", () => {
  it.each([
    ["kill -9 of the started process", "SIGKILL"],
    ["the terminal is closed", "SIGHUP"],
  ] as const)("after %s", async (_, signal) => {
    const service = await startUntilReady();
    const running = readRunning();
    expect(processesInGroup(running.group).length).toBeGreaterThan(1);
    service.child.kill(signal);
    await service.exit;
    await waitUntilGone(running);
  });

  it("after kill -9 of the service", async () => {
    const service = await startUntilReady();
    const running = readRunning();
    process.kill(running.group, "SIGKILL");
    expect(await service.exit).toBe(1);
    await waitUntilGone(running);
  });

  it("after kill -9 of npm", async () => {
    // npm is the parent of a script. Here a shell takes its place.
    const script = join(import.meta.dirname, "../../../tools/local/start.ts");
    const npm = execFile("sh", ["-c", '"$0" "$1" & wait', process.execPath, script], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: "", PORT: String(port), npm_lifecycle_event: "start" },
    });
    await expect.poll(isServing, { timeout: 60_000 }).toBe(true);
    const running = readRunning();
    npm.kill("SIGKILL");
    await waitUntilGone(running);
  });

  it("after kill -9 of the service and its watcher: the next start ends the rest", async () => {
    const killed = await startUntilReady();
    const before = readRunning();
    killed.child.kill("SIGKILL");
    process.kill(before.group, "SIGKILL");
    await killed.exit;
    await expect.poll(() => processesInGroup(before.group).map(({ name }) => name)).toEqual(["workerd"]);
    const service = await startUntilReady();
    expect(processesInGroup(before.group)).toEqual([]);
    expect(existsSync(before.temporary)).toBe(false);
    expect(await isServing()).toBe(true);
    await end(service);
  });

  it("without ending a process that reuses the id in a stale lock, or removing a folder that it did not create", async () => {
    const other = spawn("sleep", ["120"], { detached: true });
    const kept = mkdtempSync(join(tmpdir(), "of-somebody-else-"));
    writeFileSync(join(folder, ".data/demo/service.pid"), `${other.pid} ${kept}`);
    const service = await startUntilReady();
    expect(other.kill("SIGKILL")).toBe(true);
    expect(existsSync(kept)).toBe(true);
    rmSync(kept, { recursive: true });
    await end(service);
  });
});

describe("npm start in a folder that cannot be written", () => {
  const outputOfFailedStart = async (where: string) => {
    const failed = spawnService(where, { PORT: String(port) });
    expect(await failed.exit).toBe(1);
    return failed.output;
  };

  it.each([
    [".data is a file", ".data"],
    [".data/demo is a file", ".data/demo"],
  ])("exits with one sentence if %s", async (_, name) => {
    const where = mkdtempSync(join(tmpdir(), "unwritable-"));
    if (name.includes("/")) mkdirSync(join(where, ".data"));
    writeFileSync(join(where, name), "");
    expect(await outputOfFailedStart(where)).toMatch(
      /^\/\S+ cannot be written \(E[A-Z]+\)\. `npm start` keeps .*\n$/,
    );
    rmSync(where, { recursive: true });
  });

  // A kernel file system, where not even root can create a folder.
  it.runIf(existsSync("/sys/kernel"))("exits with one sentence if the folder is read-only", async () => {
    expect(await outputOfFailedStart("/sys")).toMatch(
      /^\/sys\/\.data\S* cannot be written \(E[A-Z]+\)\. .*\n$/,
    );
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
    // The driver takes the host from the query.
    ["postgres://me@localhost/db?host=ep-one.neon.tech", false],
  ])("%s is on this machine: %s", (url, isHere) => {
    expect(readTarget(url).isHere).toBe(isHere);
  });

  it("without a host takes the host from the environment, as the driver does", () => {
    vi.stubEnv("PGHOST", "ep-one.neon.tech");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(readTarget("postgres:///db").isHere).toBe(false);
    vi.stubEnv("PGHOST", undefined);
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
      // An address that leads to this machine but does not look local.
      elsewhere = await startRelay(database.url, "0.0.0.0");
    });
    afterAll(async () => {
      await relay.close();
      await elsewhere.close();
      await database.close();
    });

    it("on another machine with pending migrations is not changed: npm start exits and names the command", async () => {
      const refused = startWith({ DATABASE_URL: elsewhere.url });
      expect(await refused.exit).toBe(1);
      expect(refused.output).toMatch(
        /^The database at \S+ is not on this machine and lacks the migrations 0000_.*\n$/,
      );
      expect(refused.output).toContain("npm run db:migrate");
      const { rows } = await connected(database.url, (db) =>
        db.query(
          "select to_regclass('users') as users, to_regnamespace('drizzle') as log, count(*)::int as tables from pg_tables where schemaname = 'public'",
        ),
      );
      expect(rows).toEqual([{ users: null, log: null, tables: 0 }]);
    });

    it("on this machine is migrated, without a demo user", async () => {
      const service = await startUntilReady({ DATABASE_URL: relay.url });
      expect(service.output).not.toContain("demo@example.com");
      expect((await signIn()).status).toBe(401);
      await end(service, { warehouse: nameOf(relay.url) });
    });

    it("on another machine without pending migrations is served without a demo user, and recovers after a broken connection gives a 503 (E2)", async () => {
      await connected(database.url, async (db) => {
        // The only session of an embedded Postgres still has the settings of the service.
        await db.query("discard all");
        await addUser(db, { email: "reader@example.com", name: "Reader", password: "reader-password" });
      });
      const service = await startUntilReady({ DATABASE_URL: elsewhere.url });
      const running = readRunning(nameOf(elsewhere.url));
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
      await expect.poll(async () => (await read()).status).toBe(200);
      expect(readRunning(nameOf(elsewhere.url))).toEqual(running);
      await end(service, { warehouse: nameOf(elsewhere.url) });
    });
  });
});
