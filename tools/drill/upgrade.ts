import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { bundle, OBJECTS, workerIn } from "../local/runtime.ts";
import { type Client, createClient, remaining, type Tokens } from "./client.ts";
import { brokenOf, type Drill, type Line, tally } from "./drill.ts";
import type { Service } from "./service.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const KEPT_SESSIONS = 5;

const key = (id: number) => `${id}:${Buffer.alloc(32, id).toString("base64url")}`;

const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();

/** The commit before the last one that changed what is deployed; undefined where the history does not reach so far. */
const previousCommit = (): string | undefined => {
  try {
    return git("rev-parse", "--verify", `${git("log", "-1", "--format=%H", "--", "src")}^`);
  } catch {
    return undefined;
  }
};

/** Bundles the code of a commit. */
const bundleCommit = (folder: string, commit: string) => {
  const root = join(folder, "checkout");
  mkdirSync(root, { recursive: true });
  const archive = execFileSync("git", ["archive", commit], { cwd: ROOT, maxBuffer: 2 ** 28 });
  execFileSync("tar", ["-x"], { cwd: root, input: archive });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  bundle(folder, [], root);
};

/**
 * Two versions on one set of objects and one KV, as while a deployment is under way. The objects run the code of the
 * host; the guest signs with another key first, as in the middle of a rotation.
 */
const serveTogether = async (service: Service, storage: string, host: string, guest: string) => {
  const bindings = { DATABASE_URL: service.databaseUrl };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      resourcePersistencePath: storage,
      handleStructuredLogs: ({ message }) => service.kept.said.push(message),
      workers: [
        { name: "host", ...workerIn(host, { ...bindings, TOKEN_KEYS: `${key(1)},${key(2)}` }) },
        {
          name: "guest",
          ...workerIn(guest, { ...bindings, TOKEN_KEYS: `${key(2)},${key(1)}` }),
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
    // The runtime's own Response differs from the platform's in its types alone.
    const send = (path: string, init: RequestInit) =>
      worker.fetch(`http://service.test${path}`, init as never) as unknown as Promise<Response>;
    return createClient(send, service.kept);
  };
  return {
    clients: [await clientOf("host"), await clientOf("guest")] as const,
    stop: () => runtime.dispose(),
  };
};

/** One life of a session across both versions. @returns the promises that were broken */
const sessionAcross = async (one: Client, other: Client): Promise<string[]> => {
  const first = await one.signIn();
  const counts = [
    remaining(await other.ask("/auth/me", { headers: other.bearer(first) })),
    remaining(await one.ask("/auth/me", { headers: one.bearer(first) })),
  ];
  const second = await other.refresh(first);
  const race = await Promise.all([one, other, one, other].map((client) => client.renew(second)));
  const [winner] = race.filter(({ status }) => status === 200);
  const reuse = await one.renew(first);
  const afterReuse = winner && (await other.renew(other.tokensIn(winner)));
  const leaving = await other.signIn();
  await one.logout(leaving);
  const afterLogout = await other.renew(leaving);
  return brokenOf({
    "one counter counts for both": counts[0] === Number(counts[1]) + 1,
    "one winner of four": race.filter(({ status }) => status === 200).length === 1,
    "the losers get 401": race.every(({ status }) => status === 200 || status === 401),
    "reuse is refused": reuse.status === 401,
    "reuse ends the family everywhere": afterReuse?.status === 401,
    "a logout holds everywhere": afterLogout.status === 401,
  });
};

/** Sessions that live through all of it, and new ones that live and die on both versions. */
const phase = async (
  service: Service,
  what: string,
  folders: { storage: string; host: string; guest: string },
  sessions: Tokens[],
  seconds: number,
): Promise<Line> => {
  const { clients, stop } = await serveTogether(service, folders.storage, folders.host, folders.guest);
  try {
    while (sessions.length < KEPT_SESSIONS) sessions.push(await clients[0].signIn());
    const broken = new Set<string>();
    const renewals: number[] = [];
    const reads: number[] = [];
    let lives = 0;
    const ends = performance.now() + seconds * 1000;
    while (performance.now() < ends) {
      const [one, other] = lives % 2 === 0 ? clients : ([clients[1], clients[0]] as const);
      for (const promise of await sessionAcross(one, other)) broken.add(promise);
      lives += 1;
      const turn = lives % KEPT_SESSIONS;
      const kept = sessions[turn] as Tokens;
      reads.push((await other.ask("/v1/transacoes?per_page=5", { headers: other.bearer(kept) })).status);
      const renewed = await one.renew(kept);
      renewals.push(renewed.status);
      if (renewed.status === 200) sessions[turn] = one.tokensIn(renewed);
    }
    return {
      did: `${what}, ${seconds} s`,
      counted: `${lives} sessions from login to reuse and logout on both; renewals of kept sessions ${tally(renewals)}; reads ${tally(reads)}`,
      broken: [
        ...broken,
        ...brokenOf({
          "sessions were tried": lives > 0,
          "no kept session is lost": renewals.every((status) => status === 200),
          "every read is served": reads.every((status) => status === 200),
        }),
      ],
    };
  } finally {
    await stop();
  }
};

export const upgrade: Drill = {
  name: "upgrade",
  found:
    "Nothing to mend from one release to the next. From a commit older than `migrations/0005_password_hash_by_email.sql` on, logins of the older code fail on the newer schema: that migration takes away what the code before it reads. README says since then that such a migration is a release of its own.",
  async *run(service, { short, previous = previousCommit() }) {
    const folder = join(service.folder, "upgrade");
    const next = join(folder, "next");
    bundle(next);
    const before = previous === undefined ? next : join(folder, "before");
    if (previous !== undefined) bundleCommit(before, previous);
    const old = previous?.slice(0, 7) ?? "the same code, as no earlier one is in this clone's history";
    const storage = join(folder, "storage");
    const sessions: Tokens[] = [];
    const seconds = short ? 3 : 20;
    const phases = [
      [`Before: ${old} alone`, before, before],
      ["The new code serves beside it, on objects of the old", before, next],
      ["The objects have the new code, the old serves beside it", next, before],
      ["Rolled back: objects of the old code on what the new has written", before, next],
    ] as const;
    for (const [what, host, guest] of phases)
      yield await phase(service, what, { storage, host, guest }, sessions, seconds);
  },
};
