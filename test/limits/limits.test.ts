import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { signAccessToken } from "../../src/auth/access-token.ts";
import { normalizeAddress, pseudonym } from "../../src/auth/client.ts";
import { keyRing } from "../../src/auth/keys.ts";
import { hashPassword } from "../../src/auth/passwords.ts";
import { settingsOf } from "../../src/core/settings.ts";
import { hintKey } from "../../src/limits/counter.ts";
import { forget } from "../../src/limits/middleware.ts";
import { Permits } from "../../src/limits/permits.ts";
import {
  authorization,
  DEMO,
  databaseRequests,
  expectError,
  mendDatabase,
  send as sendToWorker,
  sql,
  type Tokens,
} from "../support/api.ts";
import {
  cheapHash,
  createClient as createClientOf,
  DEPLOYED,
  interceptObjects,
  newAddress,
  tally,
} from "../support/client.ts";
import { hurried, passTime, stopTimers } from "../support/clock.ts";

/** As elsewhere in tests, but limited as deployed. */
const createClient: typeof createClientOf = (overrides, address) =>
  createClientOf({ ...DEPLOYED, ...overrides }, address);

/** A call that asks for one permit. */
const ONE = { waiting: 0, ahead: 0, ended: [] as never[] };

const keys = keyRing(settingsOf(env).TOKEN_KEYS);
const counterOf = async (address: string) =>
  env.COUNTERS.getByName(`address:${await pseudonym(keys, normalizeAddress(address))}`);
const times = <T>(n: number, make: () => Promise<T>) => Promise.all(Array.from({ length: n }, make));
/** The same in groups of five: hashes of one account wait for one another, and a request has its deadline. */
const inFives = async <T>(n: number, make: () => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  while (results.length < n) results.push(...(await times(5, make)));
  return results;
};
interface Row {
  n: number;
  count?: number;
  reserved?: number;
  earlier?: { n: number; count: number }[];
}
/** What a client's counter has stored: permits that count, and those of them nobody is known to have spent. */
const stored = async (address: string) =>
  runInDurableObject(await counterOf(address), (_, { storage }) => {
    const rows = Array.from(storage.kv.list<Row>({ prefix: "hit:" }), ([, row]) => row);
    const ends = new Map(rows.flatMap(({ earlier = [] }) => earlier.map(({ n, count }) => [n, count])));
    return {
      rows: rows.length,
      permits: rows.reduce((sum, { n, count = 1 }) => sum + (ends.get(n) ?? count), 0),
      reserved: rows.reduce((sum, { n, reserved = 0 }) => sum + (ends.has(n) ? 0 : reserved), 0),
    };
  });
/** What `RateLimit` says is left. */
const left = (response: Response, name = "global") =>
  Number(new RegExp(`"${name}";r=(\\d+)`).exec(response.headers.get("RateLimit") ?? "")?.[1]);

/** An access token of a client nobody has heard of yet. */
const tokenOf = (id: number) =>
  signAccessToken(
    keys,
    { id, identity: crypto.randomUUID(), email: "x@example.com", name: "X", family: "f" },
    Math.floor(Date.now() / 1000),
  );

let lastRow = 90_000;
/** The row of a user nobody has heard of yet. */
const newRow = () => {
  lastRow += 1;
  return lastRow;
};

/** Longer than a block lives: what was not spent of it has been given back by then. */
const GIVEN_BACK_MS = 5_000;
const PATIENT = { timeout: 20_000 };

/** Counts the rows an object writes from now on, its alarm among them. */
const countWrites = (object: Awaited<ReturnType<typeof counterOf>>) =>
  runInDurableObject(object, (_, { storage }) => {
    let written = 0;
    const counted = (target: object, method: string) => {
      const work = Reflect.get(target, method) as (...args: unknown[]) => unknown;
      Object.defineProperty(target, method, {
        value: (...args: unknown[]) => {
          written += 1;
          return work.apply(target, args);
        },
      });
    };
    counted(storage.kv, "put");
    counted(storage, "setAlarm");
    return () => written;
  });

/** Starts a clock of our own; `wait` moves it. */
const stopClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
const wait = (ms: number) => vi.setSystemTime(Date.now() + ms);

afterEach(() => {
  vi.useRealTimers();
  forget();
});

describe("the limits", () => {
  it("600 parallel requests of one client: exactly 500 pass (E3)", async () => {
    const { send, address } = createClient();
    expect(tally(await times(600, () => send("/health")))).toEqual({ 200: 500, 429: 100 });
    expect((await stored(address)).permits).toBe(500);
  });

  it("30 logins: exactly 20 pass, and /auth counts in both (E3, E4)", async () => {
    const { post, send } = createClient();
    const responses = await inFives(30, () => post("/auth/login", DEMO));
    expect(tally(responses)).toEqual({ 200: 20, 429: 10 });
    const refused = responses.find(({ status }) => status === 429) as Response;
    expect(refused.headers.get("RateLimit-Policy")).toBe('"global";q=500;w=900, "auth";q=20;w=900');
    expect(refused.headers.get("RateLimit")).toMatch(/^"global";r=480;t=\d+, "auth";r=0;t=\d+$/);
    await expectError(refused, 429, "Too Many Requests", /Wait \d+ seconds/);
    const data = await send("/health");
    expect(data.headers.get("RateLimit")).toMatch(/^"global";r=479;t=\d+$/);
  });

  it("hammered across three windows: never more than the limit in any 900 s (E3)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 20 });
    const allowed: number[] = [];
    for (let step = 0; step < 380; step += 1) {
      for (const { status } of await times(1 + (step % 3), () => send("/health")))
        if (status === 200) allowed.push(Date.now());
      wait(1000 + ((step * 7919) % 12_000));
    }
    expect(allowed.length).toBeGreaterThan(50);
    for (const [i, start] of allowed.entries()) {
      expect(allowed.slice(i).filter((at) => at < start + 900_000).length).toBeLessThanOrEqual(20);
    }
  });

  it("490 hits, eviction, 20 more: 10 pass (E3)", async () => {
    const { send, address } = createClient();
    await times(490, () => send("/health"));
    await evictDurableObject(await counterOf(address));
    expect(tally(await times(20, () => send("/health")))).toEqual({ 200: 10, 429: 10 });
  });

  it("after exactly Retry-After the next one passes, and not a second sooner (E4)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 });
    for (const gap of [0, 1234, 5678]) {
      wait(gap);
      expect((await send("/health")).status).toBe(200);
    }
    wait(10_000);
    const refused = await send("/health");
    const seconds = Number(refused.headers.get("Retry-After"));
    expect(seconds).toBe(Math.ceil((900_000 - 10_000 - 1234 - 5678) / 1000));
    expect(refused.headers.get("RateLimit")).toBe(`"global";r=0;t=${seconds}`);
    wait((seconds - 1) * 1000);
    expect((await send("/health")).status).toBe(429);
    wait(1000);
    expect((await send("/health")).status).toBe(200);
    expect((await send("/health")).status).toBe(429);
  });

  it("tells what is left on every counted answer, refusals included (E4)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 10 });
    for (const [path, left] of [
      ["/health", 9],
      ["/v1/lancamentos", 8],
      ["/nothing", 7],
      ["/auth/me", 6],
    ] as const) {
      expect((await send(path)).headers.get("RateLimit"), path).toContain(`"global";r=${left};t=900`);
    }
    expect((await send("/health", { method: "OPTIONS" })).headers.get("RateLimit")).toBeNull();
    expect((await send("/health")).headers.get("RateLimit")).toContain("r=5");
  });

  it("a clock that jumps back opens no second window (E3, E4)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 5 });
    await times(5, () => send("/health"));
    wait(-3_600_000);
    forget();
    const refused = await send("/health");
    expect(refused.status).toBe(429);
    // From then on nothing counts longer than a window and a block.
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(905);
    wait(905_000);
    expect((await send("/health")).status).toBe(200);
  });

  it.each(["0", "-1", "many", "1.5"])(
    "a limit of %s is a mistake of ours, and nothing is served",
    async (limit) => {
      const { send } = createClient({ RATE_LIMIT_GLOBAL: limit as never });
      expect((await send("/health")).status).toBe(500);
    },
  );
});

describe("the counter", () => {
  const quotas = { global: 5 };

  it("counts a repeated call once, by its id", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    for (let i = 0; i < 20; i += 1)
      expect((await counter.hit("x", "same", quotas, ONE)).standings[0]?.remaining).toBe(4);
  });

  it("a client's own X-Request-Id is no such id", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 });
    const responses = await times(10, () => send("/health", { headers: { "X-Request-Id": "same" } }));
    expect(tally(responses)).toEqual({ 200: 3, 429: 7 });
  });

  it("writes once for an allowed hit and never for a refusal", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    for (let i = 0; i < 50; i += 1) await counter.hit("y", crypto.randomUUID(), quotas, ONE);
    const entries = await runInDurableObject(counter, (_, { storage }) => [...storage.kv.list()].length);
    expect(entries).toBe(5);
  });

  it("all quotas or none: a refusal by one counts in no other", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    await counter.hit("z", "1", { global: 5, auth: 1 }, ONE);
    for (const id of ["2", "3", "4"])
      expect((await counter.hit("z", id, { global: 5, auth: 1 }, ONE)).allowed).toBe(false);
    expect((await counter.hit("z", "5", { global: 5 }, ONE)).standings[0]?.remaining).toBe(3);
  });

  it.each([
    [600, 600],
    [800, 1200],
    [1100, 1500],
  ])("with a quota of %i, raised to %i: nothing that counts is written over (E3)", async (before, after) => {
    stopClock();
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    const ask = async (quota: number, want = ONE) => {
      const { allowed, permits = 1 } = await counter.hit("s", crypto.randomUUID(), { global: quota }, want);
      return allowed ? permits : 0;
    };
    const fill = async (quota: number) => {
      let passed = 0;
      for (let more = 1; more > 0; passed += more) more = await ask(quota);
      return passed;
    };
    const block = await ask(before, { waiting: 15, ahead: 0, ended: [] });
    expect(block + (await fill(before))).toBe(before);
    // All but the block has gone.
    wait(900_010);
    const passed = await fill(after);
    expect(passed).toBe(after - block);
    await evictDurableObject(counter);
    expect(await fill(after)).toBe(0);
  });

  it("its slots are used again, and an alarm empties it when nothing counts any more", async () => {
    stopClock();
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    for (let i = 0; i < 2100; i += 1) {
      await counter.hit("ring", crypto.randomUUID(), { global: 500 }, ONE);
      if (i % 500 === 499) wait(900_000);
    }
    const size = () => runInDurableObject(counter, (_, { storage }) => [...storage.kv.list()].length);
    expect(await size()).toBeLessThanOrEqual(500);
    wait(450_000);
    await runDurableObjectAlarm(counter);
    expect(await size()).toBeGreaterThan(0);
    wait(450_000);
    await runDurableObjectAlarm(counter);
    expect(await size()).toBe(0);
    expect((await counter.hit("ring", "new", { global: 500 }, ONE)).standings[0]?.remaining).toBe(499);
  });
});

describe("blocks of permits", () => {
  it("a steady 10 requests/s of one client: at most 0.2 calls and 0.15 rows written a request (E11)", async () => {
    stopTimers();
    const calls: string[] = [];
    const COUNTERS = interceptObjects(env.COUNTERS, (call, method) => {
      calls.push(method);
      return call();
    });
    const { send, address } = createClient({ COUNTERS });
    const written = await countWrites(await counterOf(address));
    for (let i = 0; i < 480; i += 1) {
      const response = await send("/health");
      expect([response.status, left(response)]).toEqual([200, 499 - i]);
      wait(100);
    }
    await passTime(GIVEN_BACK_MS);
    await expect.poll(async () => (await stored(address)).reserved, PATIENT).toBe(0);
    expect((await stored(address)).permits).toBe(480);
    expect(calls.length).toBeLessThanOrEqual(0.2 * 480);
    expect(written()).toBeLessThanOrEqual(0.15 * 480);
  });

  it("one request a minute for an hour: each is one write, and is told all that it has (E4)", async () => {
    stopClock();
    const { send, address } = createClient({ RATE_LIMIT_GLOBAL: 20 });
    const written = await countWrites(await counterOf(address));
    for (let minute = 0; minute < 60; minute += 1) {
      expect((await send("/health")).headers.get("RateLimit")).toMatch(
        new RegExp(`^"global";r=${20 - Math.min(minute + 1, 15)};t=\\d+$`),
      );
      expect((await stored(address)).reserved).toBe(0);
      wait(60_000);
    }
    // One of them is the alarm's.
    expect(written()).toBe(61);
  });

  it("what is not spent is given back when the block ends, after the last answer (E11)", async () => {
    stopTimers();
    const { send, address } = createClient();
    for (let i = 0; i < 10; i += 1) expect(left(await send("/health"))).toBe(499 - i);
    expect((await stored(address)).reserved).toBeGreaterThan(0);
    expect((await stored(address)).permits).toBeGreaterThan(10);
    await passTime(GIVEN_BACK_MS);
    await expect.poll(() => stored(address), PATIENT).toMatchObject({ permits: 10, reserved: 0 });
    await evictDurableObject(await counterOf(address));
    expect(left(await send("/health"))).toBe(489);
  });

  it("16 are reserved at most, in all isolates together, and none near the end of a quota (E11)", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    const want = { waiting: 0, ahead: 16, ended: [] };
    const ask = async (quota: number) =>
      (await counter.hit("w", crypto.randomUUID(), { global: quota }, want)).permits;
    expect([await ask(500), await ask(500), await ask(500)]).toEqual([17, 1, 1]);
    const other = env.COUNTERS.getByName(`test:${newAddress()}`);
    const near = async () => (await other.hit("w", crypto.randomUUID(), { global: 20 }, want)).permits;
    for (const permits of [3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1]) expect(await near()).toBe(permits);
    expect(await near()).toBeUndefined();
  });

  it("an end is told once: repeated, late or of a block nobody knows, it changes nothing more", async () => {
    stopClock();
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    const quotas = { global: 100 };
    const remaining = async (ended: { id: string; spent: number }[] = []) =>
      (await counter.hit("e", crypto.randomUUID(), quotas, { waiting: 0, ahead: 0, ended })).standings[0]
        ?.remaining;
    expect((await counter.hit("e", "block", quotas, { waiting: 4, ahead: 0, ended: [] })).permits).toBe(5);
    expect(await remaining()).toBe(94);
    expect(await remaining([{ id: "block", spent: 3 }])).toBe(95);
    expect(
      await remaining([
        { id: "block", spent: 1 },
        { id: "nobody's", spent: 1 },
      ]),
    ).toBe(94);
    await counter.end([{ id: "block", spent: 1 }]);
    await evictDurableObject(counter);
    expect(await remaining()).toBe(93);
    // Its permits count from its end, five seconds after it was asked for.
    wait(904_999);
    expect(await remaining()).toBe(96);
    wait(1);
    expect(await remaining()).toBe(98);
  });

  it("a block that was ended before it was asked for is given to nobody", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    await counter.end([{ id: "late", spent: 1 }]);
    // What a method of an object returns is no plain promise: each property that is looked at rejects by itself.
    const late = async () => counter.hit("l", "late", { global: 9 }, { waiting: 4, ahead: 0, ended: [] });
    await expect(late()).rejects.toThrow("too late");
    expect((await counter.hit("l", "in time", { global: 9 }, ONE)).standings[0]?.remaining).toBe(8);
  });

  it("a quota that is used up says when there is more, with no block out that could come back (E4)", async () => {
    const { send } = createClient();
    expect(tally(await times(500, () => send("/health")))).toEqual({ 200: 500 });
    const refused = await send("/auth/me");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    expect(Number((await send("/health")).headers.get("Retry-After"))).toBeGreaterThan(800);
  });

  it("requests at the same time share calls, each in a context of its own", async () => {
    const address = newAddress();
    const headers = { "CF-Connecting-IP": address };
    expect(tally(await times(100, () => sendToWorker("/health", { headers })))).toEqual({ 200: 100 });
    const { permits, rows } = await stored(address);
    expect(permits).toBeGreaterThanOrEqual(100);
    expect(rows).toBeLessThan(20);
  });

  it("who waits for a call that fails is refused with it; who waits for one that is gone asks anew", async () => {
    const COUNTERS = interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));
    expect(tally(await times(5, createClient({ COUNTERS }).send.bind(null, "/health")))).toEqual({ 503: 5 });
    stopTimers();
    const permits = new Permits(`test:${newAddress()}`);
    const asking = {
      counter: () => env.COUNTERS.getByName("asks anew"),
      quotas: { global: 5 },
      deadline: Date.now() + 20_000,
      waitUntil: () => {},
    };
    // A request that was cancelled: neither its answers nor its timers come.
    vi.stubGlobal("setTimeout", () => 0);
    const silent = { hit: () => new Promise<never>(() => {}), end: async () => {} };
    permits.take({ ...asking, counter: () => silent }).catch(() => undefined);
    vi.unstubAllGlobals();
    const others = await hurried(times(3, () => permits.take(asking)));
    expect(others.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  });
});

describe("a release beside the one before", () => {
  const quotas = { global: 10 };

  it("reads what that one stored, and counts what its Workers ask", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    await runInDurableObject(counter, (_, { storage }) => {
      for (let n = 0; n < 4; n += 1)
        storage.kv.put(`hit:${n}`, { n, at: Date.now() - 1000 + n, id: `old ${n}`, names: ["global"] });
    });
    expect((await counter.hit("old", "new", quotas, ONE)).standings[0]?.remaining).toBe(5);
    expect((await counter.hit("old", "old 3", quotas, ONE)).standings[0]?.remaining).toBe(5);
    const { standings } = await counter.hit("old", "block", quotas, { waiting: 2, ahead: 0, ended: [] });
    expect(standings[0]?.remaining).toBe(2);
  });

  it("asks counters of that one, which give one permit a call", async () => {
    const calls: number[] = [];
    const old = new Proxy(env.COUNTERS, {
      get: (target, name) =>
        name !== "getByName"
          ? Reflect.get(target, name)
          : (client: string) => ({
              hit: async (...[who, id, limits]: Parameters<ReturnType<typeof target.getByName>["hit"]>) => {
                calls.push(1);
                const { allowed, standings } = await target.getByName(client).hit(who, id, limits, ONE);
                return { allowed, standings };
              },
            }),
    });
    const { send } = createClient({ COUNTERS: old, RATE_LIMIT_GLOBAL: 20 });
    expect(tally(await times(30, () => send("/health")))).toEqual({ 200: 20, 429: 10 });
    expect(calls.length).toBe(21);
  });
});

describe("what counting keeps from the database", () => {
  it("a blocked client costs no further calls, and never reaches the database (E11)", async () => {
    let calls = 0;
    const COUNTERS = interceptObjects(env.COUNTERS, (call) => {
      calls += 1;
      return call();
    });
    const { send } = createClient({ COUNTERS, RATE_LIMIT_GLOBAL: 3 });
    await times(5, () => send("/v1/lancamentos"));
    await mendDatabase();
    calls = 0;
    expect(tally(await times(20, () => send("/v1/lancamentos")))).toEqual({ 429: 20 });
    expect([calls, await databaseRequests()]).toEqual([0, 0]);
  });

  const reader = async (row: number, overrides: Partial<Env>) => {
    const headers = { Authorization: `Bearer ${await tokenOf(row)}` };
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 60, ...overrides });
    return () => send("/v1/lancamentos?per_page=1", { headers });
  };

  it("a statement starts with a permit in hand, however much is left (E11)", async () => {
    const started: number[] = [];
    const COUNTERS = interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      // Long enough for a statement to start, were it not waiting.
      await new Promise((resolve) => setTimeout(resolve, 100));
      started.push(await databaseRequests());
      return verdict;
    });
    const read = await reader(newRow(), { COUNTERS, RATE_LIMIT_GLOBAL: 1_000_000 });
    await mendDatabase();
    for (let i = 0; i < 6; i += 1) {
      const [calls, before] = [started.length, await databaseRequests()];
      expect((await read()).status).toBe(200);
      if (started.length > calls) expect(started.at(-1)).toBe(before);
    }
    expect(started.length).toBeGreaterThan(1);
  });

  /** A counter whose answers take so long that a statement that does not wait for them has started. */
  const slowCounter = () =>
    interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return verdict;
    });

  const startSixty = async (used: number, overrides: Partial<Env>) => {
    const read = await reader(newRow(), overrides);
    await mendDatabase();
    for (let i = 0; i < used; i += 1) expect((await read()).status).toBe(200);
    expect(tally(await times(500, read))).toEqual({ 200: 60 - used, 429: 440 + used });
    expect(await databaseRequests()).toBe(60);
  };

  it.each([0, 1, 5])(
    "500 requests at once on a quota of 60, %i of it used, start 60 statements (E11)",
    { tags: ["server"] },
    (used) => startSixty(used, {}),
  );

  it.each([0, 1, 5])(
    "500 requests at once on a quota of 60, %i of it used, start 60 statements where the counter is slow (E11)",
    { tags: ["slow", "server"] },
    (used) => startSixty(used, { COUNTERS: slowCounter() }),
  );

  it("a refusal by the counter starts none (E11)", async () => {
    const headers = { Authorization: `Bearer ${await tokenOf(newRow())}` };
    await mendDatabase();
    const COUNTERS = interceptObjects(env.COUNTERS, async () => ({
      allowed: false,
      standings: [{ name: "global", quota: 500, remaining: 0, resetMs: 60_000 }],
    }));
    const response = await createClient({ COUNTERS }).send("/v1/lancamentos?per_page=1", { headers });
    expect(response.headers.get("ETag")).toBeNull();
    await expectError(response, 429, "Too Many Requests", /Wait 60 seconds/);
    expect(await databaseRequests()).toBe(0);
  });
});

describe("the counter cannot be reached", () => {
  const broken = () => interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));

  it("permits in hand are spent, then 503 that says nothing of what is left (E2)", async () => {
    const address = newAddress();
    stopClock();
    const healthy = createClient({}, address);
    for (let i = 0; i < 5; i += 1) await healthy.send("/health");
    expect(await stored(address)).toMatchObject({ permits: 11, reserved: 6 });
    const { send, post } = createClient({ COUNTERS: broken() }, address);
    const responses = [];
    for (let i = 0; i < 10; i += 1) responses.push(await send("/health"));
    expect(responses.map(({ status }) => status)).toEqual([...Array(6).fill(200), ...Array(4).fill(503)]);
    expect(responses.slice(0, 6).map((response) => left(response))).toEqual([494, 493, 492, 491, 490, 489]);
    const refused = responses[9] as Response;
    expect(refused.headers.get("RateLimit")).toBeNull();
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectError(refused, 503, "Service Unavailable", /limits cannot be checked/);
    await expectError(
      await post("/auth/login", DEMO),
      503,
      "Service Unavailable",
      /limits cannot be checked/,
    );
  });

  it("a hint in KV keeps a flood out (E3)", async () => {
    const address = newAddress();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 }, address);
    await times(5, () => send("/health"));
    forget();
    const key = hintKey(`address:${await pseudonym(keys, address)}`);
    await expect.poll(() => env.HINTS.get(key)).toMatch(/^\d+$/);
    const refused = await createClient({ COUNTERS: broken() }, address).send("/health");
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    await expectError(refused, 429, "Too Many Requests", /Wait \d+ seconds/);
  });

  it("a lost reply is asked for again and counts once", async () => {
    stopTimers();
    let lost = 0;
    const COUNTERS = interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      lost += 1;
      if (lost % 2 === 1) throw new Error("reply lost");
      return verdict;
    });
    const { send, address } = createClient({ COUNTERS });
    for (let i = 0; i < 20; i += 1) expect(left(await send("/health"))).toBe(499 - i);
    await passTime(GIVEN_BACK_MS);
    await expect.poll(() => stored(address), PATIENT).toMatchObject({ permits: 20, reserved: 0 });
  });

  it("KV failing as well makes no difference but the hint (E2)", async () => {
    const HINTS = new Proxy(env.HINTS, { get: () => () => Promise.reject(new Error("KV is down")) });
    expect((await createClient({ COUNTERS: broken(), HINTS }).send("/health")).status).toBe(503);
    expect((await createClient({ HINTS }).send("/health")).status).toBe(200);
  });
});

describe("who is asking (E3)", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    [" 203.0.113.7 ", "203.0.113.7"],
    ["2001:db8:1:2ff:3:4:5:6", "2001:db8:1:200::/56"],
    ["2001:DB8:1:02AB::1", "2001:db8:1:200::/56"],
    ["2001:db8:1:300::", "2001:db8:1:300::/56"],
    ["::1", "0:0:0:0::/56"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    [undefined, "unknown"],
    ["", "unknown"],
    ["localhost", "unknown"],
    ["203.0.113.7, 198.51.100.1", "unknown"],
    ["2001:db8::1::2", "unknown"],
    ["fe80::1%eth0", "unknown"],
    ["] or [::1", "unknown"],
  ])("%s is %s", (header, expected) => {
    expect(normalizeAddress(header)).toBe(expected);
  });

  it("256 addresses of one /56 share a bucket", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 100 });
    const addresses = Array.from(
      { length: 256 },
      (_, i) => `2001:db8:77:42${i.toString(16).padStart(2, "0")}::${i}`,
    );
    const responses = await Promise.all(
      addresses.map((address) => send("/health", { headers: { "CF-Connecting-IP": address } })),
    );
    expect(tally(responses)).toEqual({ 200: 100, 429: 156 });
  });

  it("spoofed address headers change nothing (E3)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 5 });
    const spoofed = ["X-Forwarded-For", "X-Real-IP", "True-Client-IP", "Forwarded", "X-Client-IP"];
    const responses = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        send("/health", { headers: { [spoofed[i % 5] ?? ""]: `198.51.100.${i}` } }),
      ),
    );
    expect(tally(responses)).toEqual({ 200: 5, 429: 20 });
  });

  it("a missing address falls into one shared bucket", async () => {
    const clients = [createClient({ RATE_LIMIT_GLOBAL: 4 }, ""), createClient({ RATE_LIMIT_GLOBAL: 4 }, "")];
    const responses = await Promise.all(
      clients.flatMap(({ send }) => Array.from({ length: 4 }, () => send("/health"))),
    );
    expect(tally(responses)).toEqual({ 200: 4, 429: 4 });
  });

  it("the 21st device behind one address that refreshes a valid session is not refused because of the other 20", async () => {
    const office = createClient();
    const sessions: Tokens[] = [];
    for (let i = 0; i < 21; i += 1)
      sessions.push(await (await createClient().post("/auth/login", DEMO)).json());
    const renewals = await Promise.all(
      sessions.map(({ refresh_token }) => office.post("/auth/refresh", { refresh_token })),
    );
    expect(tally(renewals)).toEqual({ 200: 21 });
    const forged = await times(25, () => office.post("/auth/refresh", { refresh_token: "A".repeat(104) }));
    expect(tally(forged)).toEqual({ 401: 20, 429: 5 });
  });

  it("a user is one client wherever the token is used from (E3)", async () => {
    const tokens = await (await createClient().post("/auth/login", DEMO)).json<Tokens>();
    const somewhere = () =>
      createClient({ RATE_LIMIT_GLOBAL: 1_000_000, RATE_LIMIT_AUTH: 1_000_000 }).send("/auth/me", {
        headers: authorization(tokens),
      });
    expect(left(await somewhere(), "auth")).toBe(left(await somewhere(), "auth") + 1);
  });
});

describe("names of addresses and e-mails", () => {
  const [first = "", second = ""] = env.TOKEN_KEYS.split(",");
  const leftTo = async ({ send }: ReturnType<typeof createClient>) => left(await send("/health"));
  const flipped = `${second},${first}`;

  it("come from a secret of their own, so that no rotation of keys begins a window anew (E3)", async () => {
    const PSEUDONYM_KEY = `1:${"p".repeat(43)}`;
    const address = newAddress();
    const before = await leftTo(createClient({ PSEUDONYM_KEY }, address));
    for (const TOKEN_KEYS of [`${first},${second}`, flipped, second])
      expect(await leftTo(createClient({ PSEUDONYM_KEY, TOKEN_KEYS }, address))).toBeLessThan(before);
    expect(await leftTo(createClient({ PSEUDONYM_KEY }, address))).toBe(before - 4);
  });

  it("come from the key that signs where there is none", async () => {
    const address = newAddress();
    const before = await leftTo(createClient({}, address));
    expect(await leftTo(createClient({ TOKEN_KEYS: flipped }, address))).toBe(before);
    expect(await leftTo(createClient({}, address))).toBe(before - 1);
  });

  it("a secret that is too short serves nothing", async () => {
    expect((await createClient({ PSEUDONYM_KEY: "1:c2hvcnQ" }).send("/health")).status).toBe(500);
  });
});

describe("failed logins (E5)", () => {
  beforeAll(async () => {
    await sql`insert into users (email, name, password_hash)
      values ('known.target@example.com', 'Target', ${cheapHash("target-password")})`;
  });

  const guess = (email: string) => createClient().post("/auth/login", { email, password: "wrong-password" });

  const lockOut = async (email: string) => {
    const responses = await inFives(60, () => guess(email));
    expect(tally(responses)).toEqual({ 401: 50, 429: 10 });
    const refused = await guess(email);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    await expectError(refused, 429, "Too Many Requests", /Too many failed sign-ins with this e-mail/);
  };

  it.each(["known.target@example.com"])("50 failures on %s, then 429, from wherever they come (E5)", lockOut);

  // An unknown e-mail costs a full password hash per attempt.
  it.each(["unknown.target@example.com"])(
    "50 failures on %s, then 429, from wherever they come",
    { tags: ["slow"] },
    lockOut,
  );

  it("guessing from elsewhere locks nobody out of an address they use; a new address shares the common count (E5)", async () => {
    const account = { email: "owner@example.com", password: "owner-password" };
    await sql`insert into users (email, name, password_hash)
      values (${account.email}, 'Owner', ${cheapHash(account.password)})`;
    const home = createClient();
    expect((await home.post("/auth/login", account)).status).toBe(200);
    expect(tally(await inFives(50, () => guess(account.email)))).toEqual({ 401: 50 });
    expect((await guess(account.email)).status).toBe(429);
    expect((await createClient().post("/auth/login", account)).status).toBe(429);
    expect((await home.post("/auth/login", account)).status).toBe(200);
    // At home, mistakes count for themselves.
    expect((await home.post("/auth/login", { ...account, password: "a mistake" })).status).toBe(401);
    expect((await home.post("/auth/login", account)).status).toBe(200);
  });

  describe("an address that counts for itself (E5)", () => {
    const HASH = cheapHash("right");
    const DAY = 86_400_000;
    const account = () => {
      const attempts = env.LOGINS.getByName(`test:${newAddress()}`);
      const check = async (password: string, address: string) =>
        (await attempts.check(crypto.randomUUID(), password, HASH, true, address)).is;
      const exhaust = async (address: string) => {
        for (let i = 0; i < 50; i += 1) expect(await check("wrong", address)).toBe("wrong");
        expect(await check("right", address)).toBe("throttled");
      };
      return { attempts, check, exhaust };
    };

    it("has fifty failures of its own, and no more", async () => {
      const { check, exhaust } = account();
      expect(await check("right", "home")).toBe("right");
      expect(await check("right", "office")).toBe("right");
      await exhaust("home");
      expect(await check("right", "office")).toBe("right");
      await exhaust("elsewhere");
      expect(await check("right", "office")).toBe("right");
      expect(await check("right", "anywhere")).toBe("throttled");
    });

    it("is one of the last ten signed in from", async () => {
      const { check, exhaust } = account();
      for (let i = 0; i < 10; i += 1) expect(await check("right", `address ${i}`)).toBe("right");
      // Signed in from again: now the second is the oldest.
      expect(await check("right", "address 0")).toBe("right");
      expect(await check("right", "address 10")).toBe("right");
      await exhaust("elsewhere");
      expect(await check("right", "address 1")).toBe("throttled");
      for (const i of [0, 2, 10]) expect(await check("right", `address ${i}`)).toBe("right");
    });

    it("is one signed in from within ninety days, and forgotten then", async () => {
      stopClock();
      const { attempts, check, exhaust } = account();
      const stored = () => runInDurableObject(attempts, (_, { storage }) => [...storage.kv.list()].length);
      expect(await check("right", "home")).toBe("right");
      wait(89 * DAY);
      await exhaust("elsewhere");
      expect(await check("right", "home")).toBe("right");
      wait(900_000);
      await runDurableObjectAlarm(attempts);
      expect(await stored()).toBe(1);
      wait(91 * DAY);
      await exhaust("elsewhere");
      expect(await check("right", "home")).toBe("throttled");
      wait(900_000);
      await runDurableObjectAlarm(attempts);
      expect(await stored()).toBe(0);
    });
  });

  it("a right password does not count, and a repeated call counts once (E5)", async () => {
    const attempts = env.LOGINS.getByName("test attempts");
    const hash = hashPassword("right");
    for (let i = 0; i < 3; i += 1)
      expect((await attempts.check(crypto.randomUUID(), "right", hash, true, "home")).is).toBe("right");
    for (let i = 0; i < 3; i += 1)
      expect((await attempts.check("same", "wrong", hash, true, "home")).is).toBe("wrong");
    expect((await attempts.check(crypto.randomUUID(), "right", hash, false, "home")).is).toBe("wrong");
    const failures = await runInDurableObject(
      attempts,
      (_, { storage }) => [...storage.kv.list({ prefix: "hit:" })].length,
    );
    expect(failures).toBe(2);
  });
});
