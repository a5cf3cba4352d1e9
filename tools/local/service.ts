import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseEnv } from "node:util";
import { Worker } from "node:worker_threads";
import type { Miniflare } from "miniflare";
import { DEFINITIONS, readSettings, type Settings } from "../../src/core/settings.ts";
import { fail, isPostgresUrl, readArguments } from "../arguments.ts";
import { AUDITOR, READER } from "../warehouse/role-privileges.ts";
import { keepSourceMap } from "./bundle.ts";
import { bundleInThread } from "./bundling.ts";
import { endLeftovers, takeFolder } from "./data-folder.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { type NeonEndpoint, startNeonEndpoint } from "./neon-endpoint/server.ts";
import { isFree } from "./ports.ts";
import { DEMO_FOLDER } from "./running-demo.ts";
import { explain, StartError } from "./start-error.ts";
import { startToolSocket, type ToolSocket } from "./tool-socket.ts";
import { DEMO, LIMITED_DEMOS, prepareDemo, prepareTarget, readTarget } from "./warehouse.ts";

const USAGE = `Serves the API on http://127.0.0.1:8787, with a demo warehouse.

  npm start [-- --var NAME:value …]

  --var NAME:value   sets a setting of the Worker, instead of its value in wrangler.toml

PORT=9000 sets the port. DATABASE_URL=postgres://… uses that database instead of the demo warehouse, and
AUDIT_DATABASE_URL=postgres://salon_audit:… records there who reads personal data. The demo always records.`;

// start.ts passes the folder for temporary files.
const [temporary = fail(USAGE), ...args] = process.argv.slice(2);
const { values: options } = readArguments(USAGE, {
  args,
  options: { var: { type: "string", multiple: true, default: [] } },
});

const readVars = (settings: string[]): Record<string, string> =>
  Object.fromEntries(
    settings.map((setting) => {
      const colon = setting.indexOf(":");
      if (colon < 1) fail(`--var must be NAME:value; got "${setting}".\n\n${USAGE}`);
      return [setting.slice(0, colon), setting.slice(colon + 1)];
    }),
  );

const readPort = (value = "8787"): number => {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65535)
    throw new StartError(`PORT must be a number from 1 to 65535; got "${value}".`);
  return port;
};

const ensurePortIsFree = async (port: number): Promise<void> => {
  // The previous process may have just exited: the operating system frees its port a little later.
  for (let tries = 1; !(await isFree(port)); tries += 1) {
    if (tries === 10)
      throw new StartError(`Port ${port} is taken. Choose another one: PORT=${port + 1} npm start`);
    await wait(100);
  }
};

/** Writes the Worker's secrets: signing keys once, the connection strings at each start. */
const writeSecrets = (folder: string, connection: string, audit: string | undefined) => {
  const keys = join(folder, "secrets.env");
  if (!existsSync(keys)) {
    writeFileSync(keys, `TOKEN_KEYS=1:${randomBytes(32).toString("base64url")}\n`, { mode: 0o600 });
  }
  const database = join(folder, "connection.env");
  writeFileSync(database, `DATABASE_URL=${connection}\n`, { mode: 0o600 });
  const { TOKEN_KEYS = "", ...others } = parseEnv(readFileSync(keys, "utf8"));
  const recording = audit === undefined ? {} : { AUDIT_DATABASE_URL: audit };
  return { ...others, TOKEN_KEYS, DATABASE_URL: connection, ...recording };
};

/** An unknown name may be a secret with a typing error. */
const isSecret = (name: string): boolean => !/^var/.test(DEFINITIONS[name as keyof Settings]?.kind ?? "");

const banner = (
  base: string,
  settings: Record<string, string>,
  hasDemoUser: boolean,
  users: Set<string>,
): string => {
  const login = `curl -s ${base}/auth/login -H 'Content-Type: application/json' -d '{"email":"${DEMO.email}","password":"${DEMO.password}"}'`;
  const token = `$(${login} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  const set = Object.entries(settings).map(
    ([name, value]) => `  Setting     ${name} = ${isSecret(name) ? "(hidden)" : value}\n`,
  );
  const limited = LIMITED_DEMOS.filter(({ user }) => users.has(user.email))
    .map(({ user, label }) => `              ${user.email} / ${user.password} (${label})\n`)
    .join("");
  return hasDemoUser
    ? `
  Base URL    ${base}
${set.join("")}  Demo login  ${DEMO.email} / ${DEMO.password}
${limited}
  The first page of the ledger:

curl -s "${base}/v1/lancamentos?after_id=0&per_page=2" -H "Authorization: Bearer ${token}"

  To manage users and agent tokens, in another terminal: npm run users -- --help
  Ctrl-C ends it.
`
    : `\n  Base URL    ${base}\n${set.join("")}\n  Sign in as a user of this database. To list them: DATABASE_URL=… npm run users -- list\n  Ctrl-C ends it.\n`;
};

let embedded: EmbeddedPostgres | undefined;
const endpoints: NeonEndpoint[] = [];
let tools: ToolSocket | undefined;
let runtime: Miniflare | undefined;
let ending = false;

const end = async (code: number): Promise<void> => {
  if (ending) return;
  ending = true;
  try {
    await runtime?.dispose();
    await tools?.close();
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    await embedded?.close();
    rmSync(temporary, { recursive: true, force: true });
  } finally {
    process.exit(code);
  }
};

/** Opens and prepares the database. */
const open = async (databaseUrl: string | undefined) => {
  const target = databaseUrl ? readTarget(databaseUrl) : undefined;
  const inUse = `${target ? `The database of .data/${target.name}` : "The demo warehouse"} is in use by another \`npm start\` in this folder. Stop that one first.`;
  const folder = await takeFolder(target?.name ?? DEMO_FOLDER, temporary, () => new StartError(inUse));
  if (target) {
    await prepareTarget(target);
    return { folder, url: target.url, hasDemoUser: false, users: new Set<string>() };
  }
  embedded = await startEmbeddedPostgres(join(folder, "postgres"));
  return { folder, url: embedded.url, ...(await prepareDemo(embedded.url)) };
};

/**
 * Opens the database that records accesses (A15). If that fails, it says so, and the service serves without it.
 * @returns what the Worker connects to
 */
const openAudit = async (auditUrl: string, password: string): Promise<string> => {
  const complain = ({ message }: Error) =>
    console.error(`AUDIT_DATABASE_URL cannot be used, so accesses are not recorded: ${message}`);
  if (!isPostgresUrl(auditUrl)) {
    complain(new Error("it must look like postgres://salon_audit:password@host:5432/database."));
    return auditUrl;
  }
  const audit = await startNeonEndpoint({ url: auditUrl, sessions: 5, roles: [AUDITOR] }, password);
  endpoints.push(audit);
  await audit.open(AUDITOR).then((session) => session.release("clean"), complain);
  return audit.urlOf(AUDITOR);
};

/** Miniflare restarts a killed runtime, but not one that is killed while it restarts. */
const keepServing = async (serve: () => Promise<void>): Promise<void> => {
  while (!ending) {
    await wait(1000);
    try {
      await runtime?.ready;
    } catch {
      if (ending) return;
      console.error("The Workers runtime has ended. Starting it again.");
      await runtime?.dispose().catch(() => undefined);
      await serve().catch((error: unknown) => console.error(explain(error)));
    }
  }
};

const main = async (): Promise<void> => {
  const settings = readVars(options.var);
  const port = readPort(process.env.PORT);
  await endLeftovers();
  await ensurePortIsFree(port);
  const bundled = bundleInThread(temporary);
  const { folder, url, hasDemoUser, users } = await open(process.env.DATABASE_URL);
  const sessions = embedded ? 1 : 20;
  const password = randomBytes(16).toString("base64url");
  const roles = [READER, ...(embedded ? [AUDITOR] : [])];
  const api = await startNeonEndpoint({ url, sessions, roles }, password);
  endpoints.push(api);
  if (embedded) tools = await startToolSocket(temporary, embedded.socket, () => api.open("postgres"));
  const { AUDIT_DATABASE_URL: auditUrl } = process.env;
  const audit = embedded ? api.urlOf(AUDITOR) : auditUrl && (await openAudit(auditUrl, password));
  const secrets = writeSecrets(folder, api.urlOf(READER), audit || undefined);
  // Imported here, because it is slow: simple errors are reported before it.
  const { startRuntime, VARS } = await import("./runtime.ts");
  // Check the settings first: with wrong ones the Worker would start, but refuse every request.
  readSettings({ ...VARS, ...secrets, ...settings });
  await bundled;
  keepSourceMap(temporary);
  const serve = async () => {
    ({ runtime } = await startRuntime(
      temporary,
      { ...secrets, ...settings },
      {
        port,
        // Serves /cdn-cgi/local/scheduled, which runs the watch once.
        unsafeTriggerHandlers: true,
        // The path in which wrangler kept the sessions. Earlier versions ran the service with wrangler.
        resourcePersistencePath: join(folder, "worker", "v3"),
        handleStructuredLogs: ({ message }) => console.log(message),
      },
    ));
  };
  await serve();
  console.log(banner(`http://127.0.0.1:${port}`, settings, hasDemoUser, users));
  await keepServing(serve);
};

// Writing to a closed terminal or pipe fails. That must not end the process before its clean-up.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
new Worker(join(import.meta.dirname, "lifeline.ts")).on("message", () => end(0)).unref();

await main().catch(async (error: unknown) => {
  if (!ending) console.error(explain(error));
  await end(1);
});
