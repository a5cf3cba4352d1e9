import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import pg from "pg";
import { addUser } from "../users.ts";
import { DEMO_VISITS, generateWarehouse } from "../warehouse/generate.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { lockFolder } from "./lock.ts";
import { type NeonEndpoint, startNeonEndpoint } from "./neon-endpoint/server.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const DEMO = { email: "demo@example.com", name: "Demo", password: "demo-password" };

/** Something the person who starts the service can mend; told in one line. */
class StartError extends Error {}

interface Database {
  /** Folder name under `.data/` for what belongs to this database: data, secrets, the Worker's own storage. */
  name: string;
  url: string;
  embedded: EmbeddedPostgres | undefined;
}

const readPort = (value = "8787"): number => {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65535)
    throw new StartError(`PORT must be a number from 1 to 65535; got "${value}".`);
  return port;
};

const ensurePortIsFree = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", () =>
      reject(new StartError(`Port ${port} is taken. Choose another one: PORT=${port + 1} npm start`)),
    );
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve()));
  });

const openDatabase = async (given: string | undefined): Promise<Database> => {
  if (!given) {
    const folder = dataFolder("demo");
    lockFolder(
      folder,
      () => new StartError("The demo warehouse is in use by another `npm start` of this folder."),
    );
    const embedded = await startEmbeddedPostgres(join(folder, "postgres"));
    return { name: "demo", url: embedded.url, embedded };
  }
  const url = URL.parse(given);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length < 2) {
    throw new StartError("DATABASE_URL must look like postgres://user:password@host:5432/database.");
  }
  const name = `${url.hostname}-${url.port || 5432}-${url.pathname.slice(1)}`.replace(/[^\w.-]/g, "_");
  return { name, url: given, embedded: undefined };
};

/** Kept in the folder the service is started from. */
const dataFolder = (name: string): string => {
  const folder = resolve(".data", name);
  mkdirSync(folder, { recursive: true });
  return folder;
};

/** Migrates, adds the demo user where there is no user, and fills the embedded warehouse where it is empty. */
const prepare = async ({ url, embedded }: Database): Promise<{ hasDemoUser: boolean }> => {
  await migrateWarehouse(url).catch((error: Error & { code?: string }) => {
    const why = error.cause instanceof Error ? error.cause.message : error.message || error.code;
    throw new StartError(`The database at ${withoutPassword(url)} cannot be used: ${why}`);
  });
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    const { rows } = await db.query<{ users: boolean; demo: boolean; filled: boolean }>(
      `select exists (select from users) as users, exists (select from users where email = $1) as demo,
         exists (select from estabelecimentos) as filled`,
      [DEMO.email],
    );
    const known = rows[0];
    if (!known?.users) await addUser(db, DEMO);
    if (embedded && !known?.filled)
      await generateWarehouse(db, { visits: DEMO_VISITS, progress: console.log });
    return { hasDemoUser: !known?.users || known.demo };
  } finally {
    await db.end();
  }
};

const withoutPassword = (url: string): string => {
  const shown = new URL(url);
  if (shown.password) shown.password = "***";
  return shown.href;
};

/** Writes the secrets the Worker reads: signing keys once for good, the connection anew at each start. */
const writeSecrets = (folder: string, connection: string): string[] => {
  const keys = join(folder, "secrets.env");
  if (!existsSync(keys)) {
    writeFileSync(keys, `TOKEN_KEYS=1:${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  }
  const database = join(folder, "connection.env");
  writeFileSync(database, `DATABASE_URL=${connection}\n`, { mode: 0o600 });
  return [keys, database];
};

const startWorker = (port: number, folder: string, secrets: string[], args: string[]): ChildProcess =>
  spawn(
    "wrangler",
    [
      ["dev", "--ip", "127.0.0.1", "--port", String(port), "--inspector-port", "0"],
      ["--persist-to", join(folder, "worker"), "--show-interactive-dev-session", "false"],
      secrets.flatMap((file) => ["--env-file", file]),
      args,
    ].flat(),
    // A process group of its own, so that the whole tree below wrangler can be ended at once.
    { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"], detached: true },
  );

const untilItAnswers = async (base: string, worker: ChildProcess): Promise<void> => {
  while (worker.exitCode === null) {
    const answer = await fetch(`${base}/health`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new StartError("The Worker did not start; its own message is above.");
};

const banner = (base: string, hasDemoUser: boolean): string => {
  const login = `curl -s ${base}/auth/login -H 'Content-Type: application/json' -d '{"email":"${DEMO.email}","password":"${DEMO.password}"}'`;
  const token = `$(${login} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  return hasDemoUser
    ? `
  Base URL    ${base}
  Demo login  ${DEMO.email} / ${DEMO.password}

  The first page of the ledger:

curl -s "${base}/v1/lancamentos?after_id=0&per_page=2" -H "Authorization: Bearer ${token}"

  Ctrl-C ends it.
`
    : `\n  Base URL    ${base}\n\n  Sign in with one of this database's users (npm run users -- list).\n  Ctrl-C ends it.\n`;
};

const main = async (): Promise<void> => {
  const port = readPort(process.env.PORT);
  await ensurePortIsFree(port);
  const database = await openDatabase(process.env.DATABASE_URL);
  // wrangler would take these for the Worker's secrets, which come from files of their own.
  for (const name of ["DATABASE_URL", "TOKEN_KEYS"]) Reflect.deleteProperty(process.env, name);
  process.env.WRANGLER_SEND_METRICS = "false";
  let endpoint: NeonEndpoint | undefined;
  let worker: ChildProcess | undefined;
  let ending = false;

  const end = async (code: number): Promise<never> => {
    if (ending) return new Promise(() => undefined);
    ending = true;
    if (worker?.pid !== undefined && worker.exitCode === null) await endGroup(worker);
    await endpoint?.close();
    await database.embedded?.close();
    process.exit(code);
  };
  process.on("SIGINT", () => end(0));
  process.on("SIGTERM", () => end(0));

  try {
    const { hasDemoUser } = await prepare(database);
    const folder = dataFolder(database.name);
    const sessions = database.embedded ? 1 : 20;
    endpoint = await startNeonEndpoint(
      { url: database.url, sessions },
      randomBytes(16).toString("base64url"),
    );
    worker = startWorker(
      port,
      folder,
      writeSecrets(folder, endpoint.urlOf("salon_api")),
      process.argv.slice(2),
    );
    worker.once("exit", () => end(1));
    const base = `http://127.0.0.1:${port}`;
    await untilItAnswers(base, worker);
    console.log(banner(base, hasDemoUser));
  } catch (error) {
    if (!ending) console.error(error instanceof StartError ? error.message : error);
    await end(1);
  }
};

/** Ends a process and everything it started; what does not go when asked is killed. */
const endGroup = async (leader: ChildProcess): Promise<void> => {
  const gone = new Promise<void>((resolve) => leader.once("exit", () => resolve()));
  const group = -(leader.pid as number);
  process.kill(group, "SIGTERM");
  const timer = setTimeout(() => process.kill(group, "SIGKILL"), 4000);
  await gone;
  clearTimeout(timer);
};

await main().catch((error: unknown) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exit(1);
});
