import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { keyRing } from "../../src/auth/keys.ts";
import { hashPassword } from "../../src/auth/passwords.ts";
import { normalizeAddress, pseudonym } from "../../src/auth/rate-limit-client.ts";
import { settingsOf } from "../../src/core/settings.ts";
import { hintKey } from "../../src/limits/counter.ts";
import { clearPermits } from "../../src/limits/middleware.ts";
import { Permits } from "../../src/limits/permits.ts";
import { cheapHash } from "../support/cheap-hash.ts";
import {
  authorization,
  DEMO,
  databaseRequests,
  expectError,
  mendDatabase,
  send as sendToWorker,
  sql,
  type Tokens,
} from "../support/worker/api.ts";
import {
  countByStatus,
  createClient as createClientOf,
  DEPLOYED_QUOTAS,
  inParallel,
  interceptObjects,
  newAddress,
  remainingIn,
  signTokenOf,
} from "../support/worker/client.ts";
import { advanceClock, advanceClockUntilDone, startFakeClock } from "../support/worker/clock.ts";

/** Uses the deployed limits instead of the unlimited ones of other tests. */
const createClient: typeof createClientOf = (overrides, address) =>
  createClientOf({ ...DEPLOYED_QUOTAS, ...overrides }, address);

/** Reserves one permit. */
const ONE = { waiting: 0, ahead: 0, ended: [] as never[] };

const keys = keyRing(settingsOf(env).TOKEN_KEYS);
const counterOf = async (address: string) =>
  env.COUNTERS.getByName(`address:${await pseudonym(keys, normalizeAddress(address))}`);
/** Runs in groups of five, because the password checks of one account run in turn within the deadline. */
const inFives = async <T>(n: number, make: () => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  while (results.length < n) results.push(...(await inParallel(5, make)));
  return results;
};
/** What a client's counter stores: the permits that count, and those of them that may be unspent. */
const stored = async (address: string) =>
  runInDurableObject(await counterOf(address), (_, { storage }) => {
    const rows = Array.from(
      storage.kv.list<{ count?: number; reserved?: number }>({ prefix: "hit:" }),
      ([, row]) => row,
    );
    return {
      rows: rows.length,
      permits: rows.reduce((sum, { count = 1 }) => sum + count, 0),
      reserved: rows.reduce((sum, { reserved = 0 }) => sum + reserved, 0),
    };
  });

let lastUserId = 90_000;
/** The id of a user without earlier requests. */
const newUserId = () => {
  lastUserId += 1;
  return lastUserId;
};

/** The life of a block. Its unspent permits are returned after it. */
const BLOCK_MS = 5_000;

/** Counts the rows that an object writes from now on, including its alarm. */
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

/** Stops the clock; `wait` advances it. */
const stopClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
const wait = (ms: number) => vi.setSystemTime(Date.now() + ms);

afterEach(() => {
  vi.useRealTimers();
  clearPermits();
});

describe("the rate limits", () => {
  it("allow exactly 500 of 600 parallel requests of one client (E3)", async () => {
    const { send, address } = createClient();
    expect(countByStatus(await inParallel(600, () => send("/health")))).toEqual({ 200: 500, 429: 100 });
    expect((await stored(address)).permits).toBe(500);
  });

  it("allow exactly 20 of 30 sign-ins, which count in both limits (E3, E4)", async () => {
    const { post, send } = createClient();
    const responses = await inFives(30, () => post("/auth/login", DEMO));
    expect(countByStatus(responses)).toEqual({ 200: 20, 429: 10 });
    const refused = responses.find(({ status }) => status === 429) as Response;
    expect(refused.headers.get("RateLimit-Policy")).toBe('"global";q=500;w=900, "auth";q=20;w=900');
    expect(refused.headers.get("RateLimit")).toMatch(/^"global";r=480;t=\d+, "auth";r=0;t=\d+$/);
    await expectError(refused, 429, "Too Many Requests", /Wait \d+ seconds/);
    const data = await send("/health");
    expect(data.headers.get("RateLimit")).toMatch(/^"global";r=479;t=\d+$/);
  });

  it("allow at most the quota in any 900 s of a steady load (E3)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 20 });
    const allowed: number[] = [];
    for (let step = 0; step < 380; step += 1) {
      for (const { status } of await inParallel(1 + (step % 3), () => send("/health")))
        if (status === 200) allowed.push(Date.now());
      wait(1000 + ((step * 7919) % 12_000));
    }
    expect(allowed.length).toBeGreaterThan(50);
    for (const [i, start] of allowed.entries()) {
      expect(allowed.slice(i).filter((at) => at < start + 900_000).length).toBeLessThanOrEqual(20);
    }
  });

  it("allow 10 of 20 requests after 490 requests and an eviction of the counter (E3)", async () => {
    const { send, address } = createClient();
    await inParallel(490, () => send("/health"));
    await evictDurableObject(await counterOf(address));
    expect(countByStatus(await inParallel(20, () => send("/health")))).toEqual({ 200: 10, 429: 10 });
  });

  it("allow the next request after exactly Retry-After, and not a second earlier (E4)", async () => {
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

  it("add RateLimit to every counted response, errors included (E4)", async () => {
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

  it("open no second window when the clock jumps back (E3, E4)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 5 });
    await inParallel(5, () => send("/health"));
    wait(-3_600_000);
    clearPermits();
    const refused = await send("/health");
    expect(refused.status).toBe(429);
    // After the jump, no permit counts for longer than a window and a block.
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(905);
    wait(905_000);
    expect((await send("/health")).status).toBe(200);
  });

  it.each(["0", "-1", "many", "1.5"])(
    "make every response a 500 if one of them is set to %s",
    async (limit) => {
      const { send } = createClient({ RATE_LIMIT_GLOBAL: limit as never });
      expect((await send("/health")).status).toBe(500);
    },
  );
});

describe("the counter", () => {
  const quotas = { global: 5 };

  it("counts a call once if it is repeated with the same id (E3)", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    for (let i = 0; i < 20; i += 1)
      expect((await counter.hit("x", "same", quotas, ONE)).standings[0]?.remaining).toBe(4);
  });

  it("does not use the client's X-Request-Id as the id of a call (E3)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 });
    const responses = await inParallel(10, () => send("/health", { headers: { "X-Request-Id": "same" } }));
    expect(countByStatus(responses)).toEqual({ 200: 3, 429: 7 });
  });

  it("writes once for an allowed request and never for a refused one (E11)", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    for (let i = 0; i < 50; i += 1) await counter.hit("y", crypto.randomUUID(), quotas, ONE);
    const entries = await runInDurableObject(counter, (_, { storage }) => [...storage.kv.list()].length);
    expect(entries).toBe(5);
  });

  it("counts a request in all its quotas, or in none if one of them refuses it (E3)", async () => {
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
  ])("overwrites no permit that counts when a quota of %i is raised to %i (E3)", async (before, after) => {
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
    // Everything but the block has expired.
    wait(900_010);
    const passed = await fill(after);
    expect(passed).toBe(after - block);
    await evictDurableObject(counter);
    expect(await fill(after)).toBe(0);
  });

  it("takes back a single permit once, and refuses a late repetition of its call (E3)", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    const hit = async (id: string) => (await counter.hit("b", id, quotas, ONE)).standings[0]?.remaining;
    expect([await hit("1"), await hit("2")]).toEqual([4, 3]);
    for (let i = 0; i < 3; i += 1) await counter.end([{ id: "1", spent: 0 }]);
    await expect(hit("1")).rejects.toThrow("ended before this call arrived");
    expect(await hit("3")).toBe(3);
    await evictDurableObject(counter);
    expect(await hit("4")).toBe(2);
    // A single permit that let a request pass is not taken back.
    await counter.end([{ id: "4", spent: 1 }]);
    expect(await hit("5")).toBe(1);
  });

  it("reuses its rows, and deletes them by an alarm when none counts any more", async () => {
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
  it("need at most 0.2 calls and 0.25 written rows per request at 10 requests/s (E11)", async () => {
    startFakeClock();
    const calls: string[] = [];
    const COUNTERS = interceptObjects(env.COUNTERS, (call, method) => {
      calls.push(method);
      return call();
    });
    const { send, address } = createClient({ COUNTERS });
    const written = await countWrites(await counterOf(address));
    for (let i = 0; i < 480; i += 1) {
      const response = await send("/health");
      expect([response.status, remainingIn(response)]).toEqual([200, 499 - i]);
      wait(100);
    }
    await advanceClock(BLOCK_MS);
    await expect.poll(async () => (await stored(address)).reserved).toBe(0);
    expect((await stored(address)).permits).toBe(480);
    expect(calls.length).toBeLessThanOrEqual(0.2 * 480);
    expect(written()).toBeLessThanOrEqual(0.25 * 480);
  });

  it("are not reserved at one request a minute, so that RateLimit is exact and each request is one write (E4)", async () => {
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
    // One of the writes is the alarm.
    expect(written()).toBe(61);
  });

  it("return unspent permits when they end, after the last response (E11)", async () => {
    startFakeClock();
    const { send, address } = createClient();
    for (let i = 0; i < 10; i += 1) expect(remainingIn(await send("/health"))).toBe(499 - i);
    expect((await stored(address)).reserved).toBeGreaterThan(0);
    expect((await stored(address)).permits).toBeGreaterThan(10);
    await advanceClock(BLOCK_MS);
    await expect.poll(() => stored(address)).toMatchObject({ permits: 10, reserved: 0 });
    await evictDurableObject(await counterOf(address));
    expect(remainingIn(await send("/health"))).toBe(489);
  });

  it("reserve at most 16 permits in all isolates together, and none near the end of a quota (E11)", async () => {
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

  it("end once: a repeated or late end, or one of an unknown block, changes nothing (E11)", async () => {
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
        { id: "unknown", spent: 1 },
      ]),
    ).toBe(94);
    await counter.end([{ id: "block", spent: 1 }]);
    await evictDurableObject(counter);
    expect(await remaining()).toBe(93);
    // Its permits count from its end, five seconds after its request.
    wait(904_999);
    expect(await remaining()).toBe(96);
    wait(1);
    expect(await remaining()).toBe(98);
  });

  it("are not reserved if their end arrives before their request (E11)", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    await counter.end([{ id: "late", spent: 1 }]);
    // A stub returns an RPC promise, each property of which rejects separately: `async` makes it a plain one.
    const late = async () => counter.hit("l", "late", { global: 9 }, { waiting: 4, ahead: 0, ended: [] });
    await expect(late()).rejects.toThrow("ended before this call arrived");
    expect((await counter.hit("l", "in time", { global: 9 }, ONE)).standings[0]?.remaining).toBe(8);
  });

  it("end before a single permit that carries their end is given back, also after an eviction (E11)", async () => {
    stopClock();
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    const quotas = { global: 100 };
    const hit = (id: string, ended: { id: string; spent: number }[] = [], waiting = 0) =>
      counter.hit("g", id, quotas, { waiting, ahead: 0, ended });
    await hit("block", [], 4);
    expect((await hit("single", [{ id: "block", spent: 2 }])).standings[0]?.remaining).toBe(97);
    await counter.end([{ id: "single", spent: 0 }]);
    expect((await hit("next")).standings[0]?.remaining).toBe(97);
    await evictDurableObject(counter);
    expect((await hit("last")).standings[0]?.remaining).toBe(96);
  });

  it("leave Retry-After exact when the quota is used up and no block is open (E4)", async () => {
    const { send } = createClient();
    expect(countByStatus(await inParallel(500, () => send("/health")))).toEqual({ 200: 500 });
    const refused = await send("/auth/me");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    expect(Number((await send("/health")).headers.get("Retry-After"))).toBeGreaterThan(800);
  });

  it("are shared by parallel requests, each in its own execution context (E11)", async () => {
    const address = newAddress();
    const headers = { "CF-Connecting-IP": address };
    expect(countByStatus(await inParallel(100, () => sendToWorker("/health", { headers })))).toEqual({
      200: 100,
    });
    const { permits, rows } = await stored(address);
    expect(permits).toBeGreaterThanOrEqual(100);
    expect(rows).toBeLessThan(20);
  });

  it("fail with 503 for all that wait for a failed call, and are requested again after an abandoned call (E2)", async () => {
    const COUNTERS = interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));
    expect(countByStatus(await inParallel(5, createClient({ COUNTERS }).send.bind(null, "/health")))).toEqual(
      {
        503: 5,
      },
    );
    startFakeClock();
    const permits = new Permits(`test:${newAddress()}`);
    const asking = {
      counter: () => env.COUNTERS.getByName("abandoned call"),
      quotas: { global: 5 },
      deadline: Date.now() + 20_000,
      waitUntil: () => {},
    };
    // A cancelled request: neither its responses nor its timers arrive.
    vi.stubGlobal("setTimeout", () => 0);
    const silent = { hit: () => new Promise<never>(() => {}), end: async () => {} };
    permits.take({ ...asking, counter: () => silent }).catch(() => undefined);
    vi.unstubAllGlobals();
    const others = await advanceClockUntilDone(inParallel(3, () => permits.take(asking)));
    expect(others.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  });
});

describe("a release that runs beside the previous one", () => {
  const quotas = { global: 10 };

  it("reads the rows that the previous one stored, and counts the requests of its Workers", async () => {
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

  it("works with the previous counters, which give one permit per call", async () => {
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
    expect(countByStatus(await inParallel(30, () => send("/health")))).toEqual({ 200: 20, 429: 10 });
    expect(calls.length).toBe(21);
  });
});

describe("the database", () => {
  it("gets no statement from a blocked client, which costs no further calls either (E11)", async () => {
    let calls = 0;
    const COUNTERS = interceptObjects(env.COUNTERS, (call) => {
      calls += 1;
      return call();
    });
    const { send } = createClient({ COUNTERS, RATE_LIMIT_GLOBAL: 3 });
    await inParallel(5, () => send("/v1/lancamentos"));
    await mendDatabase();
    calls = 0;
    expect(countByStatus(await inParallel(20, () => send("/v1/lancamentos")))).toEqual({ 429: 20 });
    expect([calls, await databaseRequests()]).toEqual([0, 0]);
  });

  const createReader = async (row: number, overrides: Partial<Env>) => {
    const headers = { Authorization: `Bearer ${await signTokenOf(row)}` };
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 60, ...overrides });
    return () => send("/v1/lancamentos?per_page=1", { headers });
  };

  it("gets a statement only after its request has a permit, even with a large quota (E11)", async () => {
    const started: number[] = [];
    const COUNTERS = interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      // Long enough for a statement to start if it did not wait for the permit.
      await new Promise((resolve) => setTimeout(resolve, 100));
      started.push(await databaseRequests());
      return verdict;
    });
    const read = await createReader(newUserId(), { COUNTERS, RATE_LIMIT_GLOBAL: 1_000_000 });
    await mendDatabase();
    for (let i = 0; i < 6; i += 1) {
      const [calls, before] = [started.length, await databaseRequests()];
      expect((await read()).status).toBe(200);
      if (started.length > calls) expect(started.at(-1)).toBe(before);
    }
    expect(started.length).toBeGreaterThan(1);
  });

  /** A counter so slow that a statement that did not wait for it would have started. */
  const slowCounter = () =>
    interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return verdict;
    });

  const expectSixtyStatements = async (used: number, overrides: Partial<Env>) => {
    const read = await createReader(newUserId(), overrides);
    await mendDatabase();
    for (let i = 0; i < used; i += 1) expect((await read()).status).toBe(200);
    expect(countByStatus(await inParallel(500, read))).toEqual({ 200: 60 - used, 429: 440 + used });
    expect(await databaseRequests()).toBe(60);
  };

  it.each([0, 1, 5])(
    "gets 60 statements from 500 parallel requests on a quota of 60, %i of it used (E11)",
    { tags: ["server"] },
    (used) => expectSixtyStatements(used, {}),
  );

  it.each([0, 1, 5])(
    "gets 60 statements from 500 parallel requests on a quota of 60, %i of it used, if the counter is slow (E11)",
    { tags: ["slow", "server"] },
    (used) => expectSixtyStatements(used, { COUNTERS: slowCounter() }),
  );

  it("gets no statement from a request that the counter refuses (E11)", async () => {
    const headers = { Authorization: `Bearer ${await signTokenOf(newUserId())}` };
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

describe("the service without its counter", () => {
  const broken = () => interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));

  it("spends the permits in hand, then returns 503 without RateLimit (E2)", async () => {
    const address = newAddress();
    stopClock();
    const healthy = createClient({}, address);
    for (let i = 0; i < 5; i += 1) await healthy.send("/health");
    expect(await stored(address)).toMatchObject({ permits: 11, reserved: 6 });
    const { send, post } = createClient({ COUNTERS: broken() }, address);
    const responses = [];
    for (let i = 0; i < 10; i += 1) responses.push(await send("/health"));
    expect(responses.map(({ status }) => status)).toEqual([...Array(6).fill(200), ...Array(4).fill(503)]);
    expect(responses.slice(0, 6).map((response) => remainingIn(response))).toEqual([
      494, 493, 492, 491, 490, 489,
    ]);
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

  it("refuses a blocked client by its hint in KV with 429 (E2, E3)", async () => {
    const address = newAddress();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 }, address);
    await inParallel(5, () => send("/health"));
    clearPermits();
    const key = hintKey(`address:${await pseudonym(keys, address)}`);
    await expect.poll(() => env.HINTS.get(key)).toMatch(/^\d+$/);
    const refused = await createClient({ COUNTERS: broken() }, address).send("/health");
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    await expectError(refused, 429, "Too Many Requests", /Wait \d+ seconds/);
  });

  it("repeats a call whose reply was lost, and counts it once (E3)", async () => {
    startFakeClock();
    let lost = 0;
    const COUNTERS = interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      lost += 1;
      if (lost % 2 === 1) throw new Error("reply lost");
      return verdict;
    });
    const { send, address } = createClient({ COUNTERS });
    for (let i = 0; i < 20; i += 1) expect(remainingIn(await send("/health"))).toBe(499 - i);
    await advanceClock(BLOCK_MS);
    await expect.poll(() => stored(address)).toMatchObject({ permits: 20, reserved: 0 });
  });

  it("needs KV only for the hint (E2)", async () => {
    const HINTS = new Proxy(env.HINTS, { get: () => () => Promise.reject(new Error("KV is down")) });
    expect((await createClient({ COUNTERS: broken(), HINTS }).send("/health")).status).toBe(503);
    expect((await createClient({ HINTS }).send("/health")).status).toBe(200);
  });
});

describe("the client of a request (E3)", () => {
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
  ])("with CF-Connecting-IP %s is %s (E3)", (header, expected) => {
    expect(normalizeAddress(header)).toBe(expected);
  });

  it("is the same for 256 addresses of one IPv6 /56 (E3)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 100 });
    const addresses = Array.from(
      { length: 256 },
      (_, i) => `2001:db8:77:42${i.toString(16).padStart(2, "0")}::${i}`,
    );
    const responses = await Promise.all(
      addresses.map((address) => send("/health", { headers: { "CF-Connecting-IP": address } })),
    );
    expect(countByStatus(responses)).toEqual({ 200: 100, 429: 156 });
  });

  it("does not depend on headers that claim another address (E3)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 5 });
    const spoofed = ["X-Forwarded-For", "X-Real-IP", "True-Client-IP", "Forwarded", "X-Client-IP"];
    const responses = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        send("/health", { headers: { [spoofed[i % 5] ?? ""]: `198.51.100.${i}` } }),
      ),
    );
    expect(countByStatus(responses)).toEqual({ 200: 5, 429: 20 });
  });

  it("is the same for all requests without an address (E3)", async () => {
    const clients = [createClient({ RATE_LIMIT_GLOBAL: 4 }, ""), createClient({ RATE_LIMIT_GLOBAL: 4 }, "")];
    const responses = await Promise.all(
      clients.flatMap(({ send }) => Array.from({ length: 4 }, () => send("/health"))),
    );
    expect(countByStatus(responses)).toEqual({ 200: 4, 429: 4 });
  });

  it("is the session when it renews, so that 21 devices can renew at one address (E3)", async () => {
    const office = createClient();
    const sessions: Tokens[] = [];
    for (let i = 0; i < 21; i += 1)
      sessions.push(await (await createClient().post("/auth/login", DEMO)).json());
    const renewals = await Promise.all(
      sessions.map(({ refresh_token }) => office.post("/auth/refresh", { refresh_token })),
    );
    expect(countByStatus(renewals)).toEqual({ 200: 21 });
    const forged = await inParallel(25, () =>
      office.post("/auth/refresh", { refresh_token: "A".repeat(104) }),
    );
    expect(countByStatus(forged)).toEqual({ 401: 20, 429: 5 });
  });

  it("is the user of a valid token, from every address (E3)", async () => {
    const tokens = await (await createClient().post("/auth/login", DEMO)).json<Tokens>();
    const somewhere = () =>
      createClient({ RATE_LIMIT_GLOBAL: 1_000_000, RATE_LIMIT_AUTH: 1_000_000 }).send("/auth/me", {
        headers: authorization(tokens),
      });
    expect(remainingIn(await somewhere(), "auth")).toBe(remainingIn(await somewhere(), "auth") + 1);
  });
});

describe("pseudonyms of addresses and e-mails", () => {
  const [first = "", second = ""] = env.TOKEN_KEYS.split(",");
  const remainingOf = async ({ send }: ReturnType<typeof createClient>) => remainingIn(await send("/health"));
  const flipped = `${second},${first}`;

  it("derive from PSEUDONYM_KEY, so that a rotation of the token keys starts no new window (E3)", async () => {
    const PSEUDONYM_KEY = `1:${"p".repeat(43)}`;
    const address = newAddress();
    const before = await remainingOf(createClient({ PSEUDONYM_KEY }, address));
    for (const TOKEN_KEYS of [`${first},${second}`, flipped, second])
      expect(await remainingOf(createClient({ PSEUDONYM_KEY, TOKEN_KEYS }, address))).toBeLessThan(before);
    expect(await remainingOf(createClient({ PSEUDONYM_KEY }, address))).toBe(before - 4);
  });

  it("derive from the signing key without PSEUDONYM_KEY", async () => {
    const address = newAddress();
    const before = await remainingOf(createClient({}, address));
    expect(await remainingOf(createClient({ TOKEN_KEYS: flipped }, address))).toBe(before);
    expect(await remainingOf(createClient({}, address))).toBe(before - 1);
  });

  it("make every response a 500 if PSEUDONYM_KEY is too short (A4)", async () => {
    expect((await createClient({ PSEUDONYM_KEY: "1:c2hvcnQ" }).send("/health")).status).toBe(500);
  });
});

describe("failed sign-ins (E5)", () => {
  beforeAll(async () => {
    await sql`insert into users (email, name, password_hash)
      values ('known.target@example.com', 'Target', ${cheapHash("target-password")})`;
  });

  const guess = (email: string) => createClient().post("/auth/login", { email, password: "wrong-password" });

  const lockOut = async (email: string) => {
    const responses = await inFives(60, () => guess(email));
    expect(countByStatus(responses)).toEqual({ 401: 50, 429: 10 });
    const refused = await guess(email);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    await expectError(refused, 429, "Too Many Requests", /Too many failed sign-ins with this e-mail/);
  };

  it.each(["known.target@example.com"])(
    "on the known e-mail %s get 429 after the 50th, from every address (E5)",
    lockOut,
  );

  // An unknown e-mail costs a full password hash per attempt.
  it.each(["unknown.target@example.com"])(
    "on the unknown e-mail %s get 429 after the 50th, from every address (E5)",
    { tags: ["slow"] },
    lockOut,
  );

  it("from other addresses block a new address of the owner, but not a known one (E5)", async () => {
    const account = { email: "owner@example.com", password: "owner-password" };
    await sql`insert into users (email, name, password_hash)
      values (${account.email}, 'Owner', ${cheapHash(account.password)})`;
    const home = createClient();
    expect((await home.post("/auth/login", account)).status).toBe(200);
    expect(countByStatus(await inFives(50, () => guess(account.email)))).toEqual({ 401: 50 });
    expect((await guess(account.email)).status).toBe(429);
    expect((await createClient().post("/auth/login", account)).status).toBe(429);
    expect((await home.post("/auth/login", account)).status).toBe(200);
    // Failures at the known address have their own count.
    expect((await home.post("/auth/login", { ...account, password: "a mistake" })).status).toBe(401);
    expect((await home.post("/auth/login", account)).status).toBe(200);
  });

  describe("at an address with its own count (E5)", () => {
    const HASH = cheapHash("right");
    const DAY = 86_400_000;
    const newAccount = () => {
      const attempts = env.LOGINS.getByName(`test:${newAddress()}`);
      const check = async (password: string, address: string) =>
        (await attempts.check({ id: crypto.randomUUID(), password, hash: HASH, isEnabled: true, address }))
          .is;
      const exhaust = async (address: string) => {
        for (let i = 0; i < 50; i += 1) expect(await check("wrong", address)).toBe("wrong");
        expect(await check("right", address)).toBe("throttled");
      };
      return { attempts, check, exhaust };
    };

    it("get 429 after the 50th there (E5)", async () => {
      const { check, exhaust } = newAccount();
      expect(await check("right", "home")).toBe("right");
      expect(await check("right", "office")).toBe("right");
      await exhaust("home");
      expect(await check("right", "office")).toBe("right");
      await exhaust("elsewhere");
      expect(await check("right", "office")).toBe("right");
      expect(await check("right", "anywhere")).toBe("throttled");
    });

    it("have their own count if the address is among the last ten of the account (E5)", async () => {
      const { check, exhaust } = newAccount();
      for (let i = 0; i < 10; i += 1) expect(await check("right", `address ${i}`)).toBe("right");
      // Address 0 signs in again, so address 1 is now the oldest.
      expect(await check("right", "address 0")).toBe("right");
      expect(await check("right", "address 10")).toBe("right");
      await exhaust("elsewhere");
      expect(await check("right", "address 1")).toBe("throttled");
      for (const i of [0, 2, 10]) expect(await check("right", `address ${i}`)).toBe("right");
    });

    it("have their own count for ninety days after the last sign-in (E5)", async () => {
      stopClock();
      const { attempts, check, exhaust } = newAccount();
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

  it("count once per call, and do not include correct passwords (E5)", async () => {
    const attempts = env.LOGINS.getByName("test attempts");
    const attempt = { hash: hashPassword("right"), address: "home" };
    const check = async (id: string, password: string, isEnabled = true) =>
      (await attempts.check({ ...attempt, id, password, isEnabled })).is;
    for (let i = 0; i < 3; i += 1) expect(await check(crypto.randomUUID(), "right")).toBe("right");
    for (let i = 0; i < 3; i += 1) expect(await check("same", "wrong")).toBe("wrong");
    expect(await check(crypto.randomUUID(), "right", false)).toBe("wrong");
    const failures = await runInDurableObject(
      attempts,
      (_, { storage }) => [...storage.kv.list({ prefix: "hit:" })].length,
    );
    expect(failures).toBe(2);
  });
});
