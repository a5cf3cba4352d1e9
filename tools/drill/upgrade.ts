import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { checked, type Figure } from "../bench/figures.ts";
import { bundle } from "../local/bundle.ts";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";
import { OBJECTS, SETTINGS, workerIn } from "../local/runtime.ts";
import { addUser } from "../operate/user-changes.ts";
import { ownGit } from "../own-git.ts";
import { connected, temporaryDatabase } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { ACCOUNT, type Captured, type Client, createClient, remaining, type Tokens } from "./client.ts";
import { type Drill, tally } from "./drill.ts";

/**
 * Shows that two releases share sessions, counters and keys during a deployment and after a rollback, and that neither
 * leaves a secret in logs, errors or storage.
 */

const ROOT = join(import.meta.dirname, "../..");
const KEPT_SESSIONS = 5;

const key = (id: number) => `${id}:${Buffer.alloc(32, id).toString("base64url")}`;

/** The newest release tag before this commit, or undefined. */
const latestRelease = (): string | undefined => {
  try {
    return ownGit(["describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"]);
  } catch {
    return undefined;
  }
};

/** Bundles the code of a commit. @returns the folder of its checkout */
const bundleCommit = (folder: string, commit: string): string => {
  const root = join(folder, "checkout");
  mkdirSync(root, { recursive: true });
  const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 2 ** 28 });
  execFileSync("tar", ["-x"], { cwd: root, input: archive });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  bundle(folder, [], root);
  return root;
};

/** The environment of an upgrade: its database, the storage of objects and KV, and what is searched for secrets. */
interface Environment extends Captured {
  databaseUrl: string;
  storage: string;
}

/**
 * Runs two versions on the same objects and KV, as during a deployment. The objects run the host's code. The guest
 * signs with another key, as during a key rotation.
 */
const serveTogether = async (environment: Environment, host: string, guest: string) => {
  const settings = { ...SETTINGS, DATABASE_URL: environment.databaseUrl, PSEUDONYM_KEY: key(3) };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: environment.storage,
      handleStructuredLogs: ({ message }) => environment.texts.push(message),
      workers: [
        { name: "host", ...workerIn(host, { ...settings, TOKEN_KEYS: `${key(1)},${key(2)}` }) },
        {
          name: "guest",
          ...workerIn(guest, { ...settings, TOKEN_KEYS: `${key(2)},${key(1)}` }),
          durableObjects: Object.fromEntries(
            Object.entries(OBJECTS).map(([name, object]) => [name, { ...object, scriptName: "host" }]),
          ),
        },
      ],
    }),
  );
  await runtime.ready;
  const clientOf = async (name: string) => {
    const worker = await runtime.getWorker(name);
    // Miniflare's Response and the platform's differ only in their types.
    const send = (path: string, init: RequestInit) =>
      worker.fetch(`https://service.test${path}`, init as never) as unknown as Promise<Response>;
    return createClient(send, environment);
  };
  return {
    clients: [await clientOf("host"), await clientOf("guest")] as const,
    stop: () => runtime.dispose(),
  };
};

/** Reads that show whether both versions count for one user. */
const READS = 10;

/**
 * Runs a session across two versions, from sign-in to token reuse, and signs out another.
 * @param one the version on which it starts
 * @returns whether each check passed
 */
const sessionAcross = async (one: Client, other: Client): Promise<Record<string, boolean>> => {
  const first = await one.signIn();
  const before = remaining(await one.read("/auth/me", first));
  for (let i = 0; i < READS; i += 1) await other.read("/auth/me", first);
  const counted = before - remaining(await one.read("/auth/me", first));
  const second = other.tokensIn(await other.renew(first));
  const race = await Promise.all([one, other, one, other].map((client) => client.renew(second)));
  const [winner] = race.filter(({ status }) => status === 200);
  const reuse = await one.renew(first);
  const afterReuse = winner && (await other.renew(other.tokensIn(winner)));
  const leaving = await one.signIn();
  await other.logout(leaving);
  const afterLogout = await one.renew(leaving);
  return {
    "both versions share a counter": counted > READS,
    "one of four concurrent renewals succeeds": race.filter(({ status }) => status === 200).length === 1,
    "the others get 401": race.every(({ status }) => status === 200 || status === 401),
    "reuse is refused": reuse.status === 401,
    "reuse ends the session in both versions": afterReuse?.status === 401,
    "a logout ends the session in both versions": afterLogout.status === 401,
  };
};

/** Renews every kept session and reads with it. @returns the statuses of both */
const renewAll = async (client: Client, sessions: Tokens[]) => {
  const renewals: number[] = [];
  const reads: number[] = [];
  for (const [i, kept] of sessions.entries()) {
    const renewed = await client.renew(kept);
    renewals.push(renewed.status);
    if (renewed.status !== 200) continue;
    const tokens = client.tokensIn(renewed);
    sessions[i] = tokens;
    reads.push((await client.read("/v1/transacoes?per_page=5", tokens)).status);
  }
  return { renewals, reads };
};

const areGood = (statuses: number[]) => statuses.every((status) => status === 200);

/** Renews long-lived sessions, and runs short ones that start and end across both versions. */
const runTogether = async (
  environment: Environment,
  what: string,
  [host, guest]: readonly [host: string, guest: string],
  sessions: Tokens[],
  seconds: number,
): Promise<Figure> => {
  const { clients, stop } = await serveTogether(environment, host, guest);
  try {
    while (sessions.length < KEPT_SESSIONS) sessions.push(await clients[0].signIn());
    const checks: Record<string, boolean> = {};
    const [renewals, reads]: [number[], number[]] = [[], []];
    let cycles = 0;
    const ends = performance.now() + seconds * 1000;
    // Two sessions at least: one starts on each version.
    while (cycles < 2 || performance.now() < ends) {
      const [one, other] = cycles % 2 === 0 ? clients : ([clients[1], clients[0]] as const);
      for (const [check, hasPassed] of Object.entries(await sessionAcross(one, other)))
        checks[check] = hasPassed && checks[check] !== false;
      cycles += 1;
      const round = await renewAll(other, sessions);
      renewals.push(...round.renewals);
      reads.push(...round.reads);
    }
    return checked(
      `${what}, ${seconds} s`,
      { ...checks, "no kept session is lost": areGood(renewals), "every read is a 200": areGood(reads) },
      `${cycles} sessions from login to token reuse and logout in both versions; renewals of kept sessions ${tally(renewals)}; reads ${tally(reads)}`,
    );
  } finally {
    await stop();
  }
};

/** Renews every kept session on one version, and adds new ones. @param others what a renewal may get besides 200 */
const runAlone = async (
  environment: Environment,
  what: string,
  version: string,
  sessions: Tokens[],
  ...others: number[]
): Promise<Figure> => {
  const { clients, stop } = await serveTogether(environment, version, version);
  const [client] = clients;
  try {
    const { renewals } = await renewAll(client, sessions);
    const added: Tokens[] = [];
    while (added.length < KEPT_SESSIONS) added.push(await client.signIn());
    const later = await renewAll(client, added);
    sessions.push(...added);
    return checked(
      what,
      {
        [`a renewal is a ${[200, ...others].join(" or a ")}`]: renewals.every((status) =>
          [200, ...others].includes(status),
        ),
        "a new session works": areGood([...later.renewals, ...later.reads]),
      },
      `renewals of kept sessions ${tally(renewals)}; of new sessions ${tally(later.renewals)}, reads ${tally(later.reads)}`,
    );
  } finally {
    await stop();
  }
};

/** Searches log lines, error bodies, and names and files of objects and KV for secrets of the sessions. */
const searchForSecrets = ({ storage, texts, issued }: Environment): Figure => {
  const files = readdirSync(storage, { recursive: true, withFileTypes: true });
  const stored = files.map((entry) =>
    entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), "latin1") : "",
  );
  const secrets = { ...ACCOUNT, tokens: issued, "signing key": key(1).slice(2) };
  const places = Object.entries({
    "log lines and errors": texts,
    names: files.map(({ name }) => name),
    stored,
  });
  const leaks = places.flatMap(([place, all]) => {
    const text = all.join("\n");
    return Object.entries(secrets)
      .filter(([, values]) => [values].flat().some((value) => text.includes(value)))
      .map(([kind]) => `${kind} in ${place}`);
  });
  return checked(
    `${issued.length} tokens, searched for in ${texts.length} log lines and errors and ${files.length} stored files`,
    {
      "there were log lines to search": texts.some((line) => line.includes('"route"')),
      "no secret is found": leaks.length === 0,
    },
    leaks.join("; "),
  );
};

export const upgrade: Drill = async function* (databaseUrl, { short, previous = latestRelease() }) {
  const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
  const newer = join(folder, "next");
  bundle(newer);
  const older = previous === undefined ? newer : join(folder, "before");
  const checkout = previous === undefined ? ROOT : bundleCommit(older, previous);
  const database = await temporaryDatabase(databaseUrl, "drill_upgrade");
  const endpoint = await startNeonEndpoint({ url: database.url, sessions: 10, roles: ["salon_api"] });
  const storage = join(folder, "storage");
  const environment = { databaseUrl: endpoint.urlOf("salon_api"), storage, texts: [], issued: [] };
  const sessions: Tokens[] = [];
  const seconds = short ? 3 : 20;
  const together = (what: string, versions: readonly [host: string, guest: string]) =>
    runTogether(environment, what, versions, sessions, seconds);
  const alone = (what: string, version: string, ...others: number[]) =>
    runAlone(environment, what, version, sessions, ...others);
  try {
    // Migrate with the older release's own tool.
    execFileSync("node", ["tools/warehouse/migrate.ts"], {
      cwd: checkout,
      env: { ...process.env, DATABASE_URL: database.url },
      stdio: "ignore",
    });
    await connected(database.url, (owner) => addUser(owner, ACCOUNT));
    const from = previous ?? "the same code, because nothing has been released";
    yield await together(`the old code alone (${from})`, [older, older]);
    await migrateWarehouse(database.url);
    // A 500 does not use up the token.
    yield await alone("the old code on the new schema", older, 500);
    yield await together("both versions serve, objects run the old code", [older, newer]);
    yield await together("both versions serve, objects run the new code", [newer, older]);
    // Users whose tokens the older code does not know sign in again.
    yield await alone("rolled back: the old code on data of the new code", older, 401);
    yield await alone("the new code again: sessions from before and from the rollback", newer);
    yield searchForSecrets(environment);
  } finally {
    await endpoint.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
