import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hintKey } from "../../../src/access/limits/counter.ts";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import { Tally } from "../../../src/access/limits/tally.ts";
import {
  addUser,
  authorization,
  databaseRequests,
  mendDatabase,
  sql,
  type Tokens,
} from "../../support/worker/api.ts";
import {
  countByStatus,
  createClient,
  DEPLOYED_QUOTAS,
  interceptObjects,
  newAddress,
  remainingIn,
} from "../../support/worker/client.ts";
import { stopClock, wait } from "../../support/worker/clock.ts";
import { createBrowser } from "../../support/worker/kept-session.ts";
import { KIND_NAMES, SESSION_KINDS } from "../../support/worker/session-kinds.ts";

/** A new user for each test. */
const PERSON = { email: "renewing@example.com", password: "a-password" };
beforeEach(() => addUser(PERSON));
afterEach(() => {
  vi.useRealTimers();
  clearTallies();
});

const createLimited = (overrides: Partial<Env> = {}) => createClient({ ...DEPLOYED_QUOTAS, ...overrides });

/** Starts a session that is renewed by its newest token. */
const startSession = async (kind: (typeof KIND_NAMES)[number]) => {
  const { open, renew, tokenIn } = SESSION_KINDS[kind];
  const session = {
    token: await open(PERSON),
    renew: async (client = createLimited()) => {
      const response = await renew(session.token, client);
      if (response.status === 200) session.token = await tokenIn(response.clone());
      return response;
    },
  };
  return session;
};
type Session = Awaited<ReturnType<typeof startSession>>;

const signIn = async (email = PERSON.email) =>
  (await createClient().post("/auth/login", { ...PERSON, email })).json<Tokens>();

/** Sends a request of the user, and returns how many are left after it. It is counted exactly. */
const askAsUser = async (tokens: Tokens, global = DEPLOYED_QUOTAS.RATE_LIMIT_GLOBAL) => {
  const { send } = createClient({ RATE_LIMIT_GLOBAL: global });
  return remainingIn(await send("/auth/me", { headers: authorization(tokens) }));
};
/** Uses up the user's quota. */
const useUp = async (quota: number) => {
  const tokens = await signIn();
  for (let left = quota - 1; left >= 0; left -= 1) expect(await askAsUser(tokens, quota)).toBe(left);
};

/** Counters of which those whose name begins with `prefix` cannot be reached. */
const withoutCounters = (prefix: string) =>
  new Proxy(env.COUNTERS, {
    get: (counters, name) => {
      if (name !== "getByName") return Reflect.get(counters, name);
      const fail = () => Promise.reject(new Error("broken"));
      return (client: string) => (client.startsWith(prefix) ? { count: fail } : counters.getByName(client));
    },
  });

describe.each(KIND_NAMES)("a renewal of a session of kind %s", (kind) => {
  const openSession = () => startSession(kind);
  const auth = kind === "browser" ? undefined : DEPLOYED_QUOTAS.RATE_LIMIT_AUTH;
  const authLeft = (response: Response) => (auth === undefined ? undefined : remainingIn(response, "auth"));

  it("counts for its session and its user, and shows the tighter of both (E3, E4)", async () => {
    const [one, other] = [await openSession(), await openSession()];
    const first = await one.renew();
    expect([remainingIn(first), authLeft(first)]).toEqual([499, auth && 19]);
    const second = await other.renew();
    expect([remainingIn(second), authLeft(second)]).toEqual([498, auth && 19]);
    const third = await one.renew();
    expect([remainingIn(third), authLeft(third)]).toEqual([497, auth && 18]);
    expect(third.headers.get("RateLimit-Policy")).toBe(
      auth === undefined ? '"global";q=500;w=900' : '"global";q=500;w=900, "auth";q=20;w=900',
    );
    expect(await askAsUser(await signIn())).toBe(496);
  });

  it("with 429 for its user counts in neither, sends no statement, and leaves the token valid (E3, E11)", async () => {
    stopClock();
    const session = await openSession();
    const { token } = session;
    await useUp(3);
    wait(100_000);
    await mendDatabase();
    for (let attempt = 0; attempt < 25; attempt += 1) {
      const refused = await session.renew(createLimited({ RATE_LIMIT_GLOBAL: 3 }));
      expect([refused.status, remainingIn(refused), authLeft(refused)]).toEqual([429, 0, auth]);
      expect(refused.headers.get("Retry-After")).toBe("800");
      expect(await refused.json()).toMatchObject({ message: expect.stringMatching(/Wait 800 seconds/) });
      // Every other attempt reaches another isolate.
      if (attempt % 2 === 0) clearTallies();
    }
    expect(await databaseRequests()).toBe(0);
    wait(800_000);
    const renewed = await session.renew(createLimited({ RATE_LIMIT_GLOBAL: 3 }));
    expect([renewed.status, remainingIn(renewed), authLeft(renewed)]).toEqual([200, 2, auth && 19]);
    expect(session.token).not.toBe(token);
  });

  it("costs no call while the isolate knows that its user is blocked (E11)", async () => {
    const session = await openSession();
    await useUp(3);
    let calls = 0;
    const onCall = (call: () => Promise<unknown>) => {
      calls += 1;
      return call();
    };
    const limited = createLimited({
      RATE_LIMIT_GLOBAL: 3,
      COUNTERS: interceptObjects(env.COUNTERS, onCall),
      SESSIONS: interceptObjects(env.SESSIONS, onCall),
    });
    expect((await session.renew(limited)).status).toBe(429);
    calls = 0;
    for (let i = 0; i < 20; i += 1) expect((await session.renew(limited)).status).toBe(429);
    expect(calls).toBe(0);
  });

  it.each(["user:", "family:"])(
    "is a 503 without RateLimit if the counter of %s… cannot be reached, and leaves the token valid (E2, E3)",
    async (prefix) => {
      const session = await openSession();
      const refused = await session.renew(createLimited({ COUNTERS: withoutCounters(prefix) }));
      expect([
        refused.status,
        refused.headers.get("RateLimit"),
        refused.headers.get("RateLimit-Policy"),
      ]).toEqual([503, null, null]);
      expect(await refused.json()).toMatchObject({
        message: expect.stringMatching(/limits cannot be checked/),
      });
      expect((await session.renew()).status).toBe(200);
    },
  );

  it("counts for no session if only a hint says that its user is blocked (E2, E3)", async () => {
    const session = await openSession();
    await useUp(3);
    await createClient({ RATE_LIMIT_GLOBAL: 3 }).send("/auth/me", { headers: authorization(await signIn()) });
    const [user] = await sql`select identity from users where email = ${PERSON.email}`;
    await expect.poll(() => env.HINTS.get(hintKey(`user:${user?.identity}`))).toMatch(/^\d+$/);
    const limited = createLimited({ RATE_LIMIT_GLOBAL: 3, COUNTERS: withoutCounters("user:") });
    for (let attempt = 0; attempt < 25; attempt += 1) {
      clearTallies();
      const refused = await session.renew(limited);
      expect([refused.status, authLeft(refused)]).toEqual([429, auth]);
    }
  });

  it("passes for as many of 12 sessions at once as their user has requests left (E3)", async () => {
    const sessions: Session[] = [];
    for (let i = 0; i < 12; i += 1) sessions.push(await openSession());
    const limited = createLimited({ RATE_LIMIT_GLOBAL: 5 });
    const answers = await Promise.all(sessions.map(({ renew }) => renew(limited)));
    expect(countByStatus(answers)).toEqual({ 200: 5, 429: 7 });
    stopClock();
    wait(900_000);
    const refused = sessions.filter((_, i) => answers[i]?.status === 429);
    const later = await Promise.all(refused.map(({ renew }) => renew()));
    expect(countByStatus(later)).toEqual({ 200: 7 });
  });
});

describe("a renewal", () => {
  it.each(["api", "oauth"] as const)(
    "with 429 for its session of kind %s does not count for its user (E3)",
    async (kind) => {
      const session = await startSession(kind);
      const limited = createLimited({ RATE_LIMIT_AUTH: 2 });
      for (const status of [200, 200, 429, 429]) expect((await session.renew(limited)).status).toBe(status);
      expect(await askAsUser(await signIn())).toBe(497);
    },
  );

  it("shows the standing of its session if that is tighter (E4)", async () => {
    const session = await startSession("api");
    const { token } = session;
    const client = createLimited();
    expect(remainingIn(await session.renew(client))).toBe(499);
    // A used token counts for the session, and not for the user.
    expect((await client.post("/auth/refresh", { refresh_token: token })).status).toBe(401);
    expect(remainingIn(await session.renew(client))).toBe(497);
    expect(await askAsUser(await signIn())).toBe(497);
  });

  it("adds no quota to the user's, however many sessions there are (E3)", async () => {
    const sessions: Session[] = [];
    for (let i = 0; i < 20; i += 1) sessions.push(await startSession("browser"));
    const limited = createLimited({ RATE_LIMIT_GLOBAL: 30 });
    const answers: Response[] = [];
    for (let round = 0; round < 5; round += 1)
      answers.push(...(await Promise.all(sessions.map(({ renew }) => renew(limited)))));
    expect(countByStatus(answers)).toEqual({ 200: 30, 429: 70 });
  });

  it("does not count for a user whose session has ended, or whose token is forged or of another kind (E3)", async () => {
    const tokens = await signIn();
    const signedOut = (await createBrowser().send("login", undefined, PERSON)).cookie;
    await createBrowser().send("logout", signedOut);
    const used = await startSession("api");
    const first = used.token;
    await used.renew();
    const forged = `${used.token.slice(0, -1)}${used.token.endsWith("A") ? "Q" : "A"}`;
    const expired = await startSession("oauth");
    const before = await askAsUser(tokens);
    const client = createLimited({ RATE_LIMIT_AUTH: 1e6 });
    for (let i = 0; i < 5; i += 1) {
      const answers = [
        await createBrowser(client).refresh(signedOut),
        await client.post("/auth/refresh", { refresh_token: first }),
        await client.post("/auth/refresh", { refresh_token: forged }),
        await client.post("/auth/refresh", { refresh_token: expired.token }),
        await createBrowser(client).refresh(first),
      ];
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(401));
    }
    expect(await askAsUser(tokens)).toBe(before - 1);
    stopClock();
    wait(8 * 86_400_000);
    expect((await expired.renew()).status).toBe(400);
    expect(await askAsUser(await signIn())).toBe(499);
  });

  it("with an access token counts once for the user of that token, and also for the user of the session (E3)", async () => {
    const own = await signIn();
    const renewWith = (bearer: Tokens, { refresh_token }: Tokens, overrides: Partial<Env> = {}) =>
      createLimited(overrides).post("/auth/refresh", { refresh_token }, authorization(bearer));
    const renewed = await renewWith(own, own);
    expect([renewed.status, remainingIn(renewed), remainingIn(renewed, "auth")]).toEqual([200, 499, 19]);
    await addUser({ ...PERSON, email: "other.renewing@example.com" });
    const other = await signIn("other.renewing@example.com");
    const next = await renewed.json<Tokens>();
    const mixed = await renewWith(other, next);
    expect([mixed.status, remainingIn(mixed), remainingIn(mixed, "auth")]).toEqual([200, 498, 19]);
    // The other user sent the request, so it counts for them even if the user of the session is blocked.
    const last = await mixed.json<Tokens>();
    clearTallies();
    const refused = await renewWith(other, last, { RATE_LIMIT_GLOBAL: 2 });
    expect([refused.status, remainingIn(refused)]).toEqual([429, 0]);
    clearTallies();
    expect(await askAsUser(other)).toBe(497);
  });
});

describe("a count that is taken back", () => {
  it("is taken back by the next call if the first one is lost (E3)", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    const tally = new Tally();
    const quotas = { global: 5 };
    const remote = {
      counterName: "session:test",
      counter: () => counter,
      hints: env.HINTS,
      waitUntil: () => undefined,
    };
    const lost = { ...remote, counter: () => ({ count: () => Promise.reject(new Error("lost")) }) };
    const count = async () => (await tally.countExactly(quotas, remote, Date.now() + 8000)).id;
    await tally.takeBack(await count(), [], lost, quotas);
    await count();
    expect(tally.standings(quotas)?.[0]?.remaining).toBe(4);
  });
});
