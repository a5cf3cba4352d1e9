import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import type pg from "pg";
import { bundle } from "../local/bundle.ts";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";
import { OBJECTS, SETTINGS, workerIn } from "../local/runtime.ts";
import { ownGit } from "../own-git.ts";
import { addUser } from "../user-changes.ts";
import { connected, temporaryDatabase } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { ACCOUNT, type Client, createClient, remaining, type Tokens } from "./client.ts";
import { type Drill, failedOf, type TestResult, tally } from "./drill.ts";
import type { Service } from "./service.ts";

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

/** The environment of an upgrade: its database, and the storage of objects and KV. */
interface Environment {
  service: Service;
  databaseUrl: string;
  storage: string;
}

/**
 * Runs two versions on the same objects and KV, as during a deployment. The objects run the host's code. The guest
 * signs with another key, as during a key rotation.
 */
const serveTogether = async ({ service, databaseUrl, storage }: Environment, host: string, guest: string) => {
  const settings = { ...SETTINGS, DATABASE_URL: databaseUrl, PSEUDONYM_KEY: key(3) };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: storage,
      handleStructuredLogs: ({ message }) => service.captured.texts.push(message),
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
    return createClient(send, service.captured);
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
 * @returns the names of failed checks
 */
const sessionAcross = async (one: Client, other: Client): Promise<string[]> => {
  const first = await one.signIn();
  const readAs = (client: Client, tokens: Tokens) =>
    client.ask("/auth/me", { headers: client.bearer(tokens) });
  const before = remaining(await readAs(one, first));
  for (let i = 0; i < READS; i += 1) await readAs(other, first);
  const counted = before - remaining(await readAs(one, first));
  const second = await other.refresh(first);
  const race = await Promise.all([one, other, one, other].map((client) => client.renew(second)));
  const [winner] = race.filter(({ status }) => status === 200);
  const reuse = await one.renew(first);
  const afterReuse = winner && (await other.renew(other.tokensIn(winner)));
  const leaving = await one.signIn();
  await other.logout(leaving);
  const afterLogout = await one.renew(leaving);
  return failedOf({
    "both versions share a counter": counted > READS,
    "one of four concurrent renewals succeeds": race.filter(({ status }) => status === 200).length === 1,
    "the others get 401": race.every(({ status }) => status === 200 || status === 401),
    "reuse is refused": reuse.status === 401,
    "reuse ends the session in both versions": afterReuse?.status === 401,
    "a logout ends the session in both versions": afterLogout.status === 401,
  });
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
    reads.push((await client.ask("/v1/transacoes?per_page=5", { headers: client.bearer(tokens) })).status);
  }
  return { renewals, reads };
};

/** Renews long-lived sessions, and runs short ones that start and end across both versions. */
const runTogether = async (
  environment: Environment,
  what: string,
  { older, newer }: { older: string; newer: string },
  objects: "older" | "newer",
  sessions: Tokens[],
  seconds: number,
): Promise<TestResult> => {
  const [host, guest] = objects === "older" ? [older, newer] : [newer, older];
  const { clients, stop } = await serveTogether(environment, host, guest);
  const [oldClient, newClient] = objects === "older" ? clients : ([clients[1], clients[0]] as const);
  try {
    while (sessions.length < KEPT_SESSIONS) sessions.push(await oldClient.signIn());
    const failed = new Set<string>();
    const renewals: number[] = [];
    const reads: number[] = [];
    let cycles = 0;
    const ends = performance.now() + seconds * 1000;
    // Two sessions at least: one starts on each version.
    while (cycles < 2 || performance.now() < ends) {
      const [one, other] = cycles % 2 === 1 ? [newClient, oldClient] : [oldClient, newClient];
      for (const check of await sessionAcross(one, other)) failed.add(check);
      cycles += 1;
      const round = await renewAll(other, sessions);
      renewals.push(...round.renewals);
      reads.push(...round.reads);
    }
    const tested = `${cycles} sessions from login to token reuse and logout in both versions`;
    return {
      action: `${what}, ${seconds} s`,
      outcome: `${tested}; renewals of kept sessions ${tally(renewals)}; reads ${tally(reads)}`,
      failed: [
        ...failed,
        ...failedOf({
          "no kept session is lost": renewals.every((status) => status === 200),
          "every read is a 200": reads.every((status) => status === 200),
        }),
      ],
    };
  } finally {
    await stop();
  }
};

const runAlone = async (
  environment: Environment,
  what: string,
  version: string,
  use: (client: Client) => Promise<Omit<TestResult, "action">>,
): Promise<TestResult> => {
  const { clients, stop } = await serveTogether(environment, version, version);
  try {
    return { action: what, ...(await use(clients[0])) };
  } finally {
    await stop();
  }
};

/** The older code on the newer schema: sign-ins and reads work, and a failed renewal loses no session. */
const oldCodeOnNewSchema = (sessions: Tokens[]) => async (client: Client) => {
  const login = await client.login();
  const headers = client.bearer(client.tokensIn(login));
  const read = await client.ask("/v1/transacoes?per_page=5", { headers });
  const { renewals } = await renewAll(client, sessions);
  return {
    outcome: `login ${login.status}, read ${read.status}, renewals ${tally(renewals)}`,
    failed: failedOf({
      "logins and reads succeed": login.status === 200 && read.status === 200,
      "a renewal is a 200, or a 500 that does not use up the token": renewals.every((status) =>
        [200, 500].includes(status),
      ),
    }),
  };
};

/** After a rollback: users whose tokens the older code does not know sign in again. */
const afterRollback = (sessions: Tokens[], newSessions: Tokens[]) => async (client: Client) => {
  const { renewals } = await renewAll(client, sessions);
  for (let i = 0; i < KEPT_SESSIONS; i += 1) newSessions.push(await client.signIn());
  const later = await renewAll(client, newSessions);
  return {
    outcome: `renewals of kept sessions ${tally(renewals)}; after new sign-ins: renewals ${tally(later.renewals)}, reads ${tally(later.reads)}`,
    failed: failedOf({
      "a renewal is a 200 or a 401": renewals.every((status) => [200, 401].includes(status)),
      "a new session works": [...later.renewals, ...later.reads].every((status) => status === 200),
    }),
  };
};

/** The new code alone: every kept session still works. */
const allSessionsWork = (sessions: Tokens[]) => async (client: Client) => {
  const { renewals, reads } = await renewAll(client, sessions);
  return {
    outcome: `renewals ${tally(renewals)}; reads ${tally(reads)}`,
    failed: failedOf({
      "no session is lost": [...renewals, ...reads].every((status) => status === 200),
    }),
  };
};

/** The user row was replaced: all earlier sessions are refused, and a new one works. */
const earlierSessionsAreRefused = (sessions: Tokens[]) => async (client: Client) => {
  const { renewals } = await renewAll(client, sessions);
  const later = await renewAll(client, [await client.signIn()]);
  return {
    outcome: `renewals of earlier sessions ${tally(renewals)}; of a new session ${tally(later.renewals)}`,
    failed: failedOf({
      "every earlier session is refused": renewals.every((status) => status === 401),
      "a new session works": later.renewals.every((status) => status === 200),
    }),
  };
};

/** Empties the users table and inserts a user with the same id and e-mail. */
const replaceUsers = async (owner: pg.Client) => {
  await owner.query("truncate users restart identity cascade");
  await addUser(owner, ACCOUNT);
};

export const upgrade: Drill = {
  name: "upgrade",
  findings: "No defects from one release to the next.",
  async *run(service, { short, previous = latestRelease() }) {
    const folder = join(service.folder, "upgrade");
    const newer = join(folder, "next");
    bundle(newer);
    const older = previous === undefined ? newer : join(folder, "before");
    const checkout = previous === undefined ? ROOT : bundleCommit(older, previous);
    const oldVersion = previous ?? "the same code, because nothing has been released";
    const database = await temporaryDatabase(service.ownerUrl, "drill_upgrade");
    const endpoint = await startNeonEndpoint({ url: database.url, sessions: 10, roles: ["salon_api"] });
    const environment = {
      service,
      databaseUrl: endpoint.urlOf("salon_api"),
      storage: join(folder, "storage"),
    };
    const asOwner = (use: (owner: pg.Client) => Promise<unknown>) => connected(database.url, use);
    try {
      // Migrate with the older release's own tool.
      execFileSync("node", ["tools/warehouse/migrate.ts"], {
        cwd: checkout,
        env: { ...process.env, DATABASE_URL: database.url },
        stdio: "ignore",
      });
      await asOwner((owner) => addUser(owner, ACCOUNT));
      const sessions: Tokens[] = [];
      const newSessions: Tokens[] = [];
      const untouched: Tokens[] = [];
      const seconds = short ? 3 : 20;
      const versions = { older, newer };
      yield await runTogether(
        environment,
        `The old code alone (${oldVersion})`,
        { older, newer: older },
        "older",
        sessions,
        seconds,
      );
      yield await runAlone(
        environment,
        "Sessions that are not renewed until the end",
        older,
        async (client) => {
          for (let i = 0; i < KEPT_SESSIONS; i += 1) untouched.push(await client.signIn());
          return { outcome: `${untouched.length} signed in`, failed: [] };
        },
      );
      await migrateWarehouse(database.url);
      yield await runAlone(
        environment,
        "The old code on the new schema",
        older,
        oldCodeOnNewSchema(sessions),
      );
      yield await runTogether(
        environment,
        "Both versions serve, objects run the old code",
        versions,
        "older",
        sessions,
        seconds,
      );
      yield await runTogether(
        environment,
        "Both versions serve, objects run the new code",
        versions,
        "newer",
        sessions,
        seconds,
      );
      yield await runAlone(
        environment,
        "Rolled back: the old code on data of the new code",
        older,
        afterRollback(sessions, newSessions),
      );
      const kept = [...sessions, ...newSessions];
      yield await runAlone(
        environment,
        "The new code again: sessions from before and from the rollback",
        newer,
        allSessionsWork(kept),
      );
      await asOwner(replaceUsers);
      yield await runAlone(
        environment,
        "The users table truncated and filled again",
        newer,
        earlierSessionsAreRefused([...kept, ...untouched]),
      );
    } finally {
      await endpoint.close();
      await database.close();
    }
  },
};
