import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { signAccessToken } from "../../src/auth/access-token.ts";
import { normalizeAddress, pseudonym } from "../../src/auth/client.ts";
import { keyRing } from "../../src/auth/keys.ts";
import { hashPassword } from "../../src/auth/passwords.ts";
import { settingsOf } from "../../src/ground/settings.ts";
import { hintKey } from "../../src/limits/counter.ts";
import { forget } from "../../src/limits/memory.ts";
import {
  authorization,
  DEMO,
  databaseRequests,
  expectError,
  mendDatabase,
  sql,
  type Tokens,
} from "../support/api.ts";
import { cheapHash, createClient, interceptObjects, newAddress, tally } from "../support/client.ts";

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
const stored = async (address: string) =>
  runInDurableObject(
    await counterOf(address),
    (_, { storage }) => [...storage.kv.list({ prefix: "hit:" })].length,
  );

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
    expect(await stored(address)).toBe(500);
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

  it("a clock that jumps back opens no second window (E3)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 5 });
    await times(5, () => send("/health"));
    wait(-3_600_000);
    forget();
    expect((await send("/health")).status).toBe(429);
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
      expect((await counter.hit("x", "same", quotas)).standings[0]?.remaining).toBe(4);
  });

  it("a client's own X-Request-Id is no such id", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 });
    const responses = await times(10, () => send("/health", { headers: { "X-Request-Id": "same" } }));
    expect(tally(responses)).toEqual({ 200: 3, 429: 7 });
  });

  it("writes once for an allowed hit and never for a refusal", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    for (let i = 0; i < 50; i += 1) await counter.hit("y", crypto.randomUUID(), quotas);
    const entries = await runInDurableObject(counter, (_, { storage }) => [...storage.kv.list()].length);
    expect(entries).toBe(5);
  });

  it("all quotas or none: a refusal by one counts in no other", async () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    await counter.hit("z", "1", { global: 5, auth: 1 });
    for (const id of ["2", "3", "4"])
      expect((await counter.hit("z", id, { global: 5, auth: 1 })).allowed).toBe(false);
    expect((await counter.hit("z", "5", { global: 5 })).standings[0]?.remaining).toBe(3);
  });

  it("its storage is a ring, and an alarm empties it when nothing counts any more", async () => {
    stopClock();
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    for (let i = 0; i < 2100; i += 1) {
      await counter.hit("ring", crypto.randomUUID(), { global: 500 });
      if (i % 500 === 499) wait(900_000);
    }
    const size = () => runInDurableObject(counter, (_, { storage }) => [...storage.kv.list()].length);
    expect(await size()).toBeLessThanOrEqual(1024);
    wait(450_000);
    await runDurableObjectAlarm(counter);
    expect(await size()).toBeGreaterThan(0);
    wait(450_000);
    await runDurableObjectAlarm(counter);
    expect(await size()).toBe(0);
    expect((await counter.hit("ring", "new", { global: 500 })).standings[0]?.remaining).toBe(499);
  });
});

describe("latency", () => {
  it("a blocked client costs no further calls, and never reaches the database", async () => {
    let calls = 0;
    const COUNTERS = interceptObjects(env.COUNTERS, (call) => {
      calls += 1;
      return call();
    });
    const tokens = await (await createClient().post("/auth/login", DEMO)).json<Tokens>();
    const { send } = createClient({ COUNTERS, RATE_LIMIT_GLOBAL: 3 });
    await times(5, () => send("/v1/lancamentos"));
    await mendDatabase();
    calls = 0;
    expect(tally(await times(20, () => send("/v1/lancamentos")))).toEqual({ 429: 20 });
    expect([calls, await databaseRequests()]).toEqual([0, 0]);
    expect(tokens.token_type).toBe("Bearer");
  });

  it("near the limit the counter comes first; with plenty left the statement does not wait for it", async () => {
    const events: string[] = [];
    const COUNTERS = interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      // Long enough for a statement to start, were it not waiting.
      for (let i = 0; i < 20 && (await databaseRequests()) === 0; i += 1)
        await new Promise((resolve) => setTimeout(resolve, 10));
      events.push(`${await databaseRequests()} statements when the counter answered`);
      return verdict;
    });
    const client = createClient();
    const tokens = await (await client.post("/auth/login", DEMO)).json<Tokens>();
    const { send } = createClient({ COUNTERS, RATE_LIMIT_GLOBAL: 1_000_000 });
    const read = async () => {
      await mendDatabase();
      return (await send("/v1/lancamentos?per_page=1", { headers: authorization(tokens) })).status;
    };
    expect([await read(), await read()]).toEqual([200, 200]);
    expect(events).toEqual([
      "0 statements when the counter answered",
      "1 statements when the counter answered",
    ]);
  });

  /** A counter whose answers take so long that a statement that does not wait for them has started. */
  const slowCounter = () =>
    interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return verdict;
    });
  const reader = async (row: number, overrides: Partial<Env>) => {
    const headers = { Authorization: `Bearer ${await tokenOf(row)}` };
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 60, ...overrides });
    return () => send("/v1/lancamentos?per_page=1", { headers });
  };

  it.each([
    [0, {}],
    [1, {}],
    [5, {}],
    [0, { COUNTERS: slowCounter() }],
    [1, { COUNTERS: slowCounter() }],
    [5, { COUNTERS: slowCounter() }],
  ])(
    "500 requests at once on a quota of 60, %i of it used, start 60 statements (E11)",
    async (used, overrides) => {
      const read = await reader(newRow(), overrides);
      await mendDatabase();
      for (let i = 0; i < used; i += 1) expect((await read()).status).toBe(200);
      expect(tally(await times(500, read))).toEqual({ 200: 60 - used, 429: 440 + used });
      expect(await databaseRequests()).toBe(60);
    },
  );

  it("an old answer of the counter that arrives late makes nothing of a newer one (E11)", async () => {
    const row = newRow();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const delayed = interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      await held;
      return verdict;
    });
    await mendDatabase();
    const read = await reader(row, {});
    expect((await read()).status).toBe(200);
    const late = (await reader(row, { COUNTERS: delayed }))();
    await expect.poll(databaseRequests).toBe(2);
    for (let i = 0; i < 58; i += 1) expect((await read()).status).toBe(200);
    expect((await read()).status).toBe(429);
    release();
    expect((await late).status).toBe(200);
    expect((await (await reader(row, { COUNTERS: slowCounter() }))()).status).toBe(429);
    expect(await databaseRequests()).toBe(60);
  });

  it("what was read by a client that turns out to be over its limit does not leave", async () => {
    const tokens = await (await createClient().post("/auth/login", DEMO)).json<Tokens>();
    const headers = authorization(tokens);
    const generous = createClient({ RATE_LIMIT_GLOBAL: 1_000_000 });
    await generous.send("/v1/lancamentos?per_page=1", { headers });
    const COUNTERS = interceptObjects(env.COUNTERS, async () => ({
      allowed: false,
      standings: [{ name: "global", quota: 500, remaining: 0, resetMs: 60_000 }],
    }));
    const response = await createClient({ COUNTERS }).send("/v1/lancamentos?per_page=1", { headers });
    expect(response.headers.get("ETag")).toBeNull();
    await expectError(response, 429, "Too Many Requests", /Wait 60 seconds/);
  });
});

describe("the counter cannot be reached", () => {
  const broken = () => interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));

  it("data routes go on under a small allowance and say nothing of what is left; /auth answers 503", async () => {
    const { send, post } = createClient({ COUNTERS: broken() });
    const responses = [];
    for (let i = 0; i < 60; i += 1) responses.push(await send("/health"));
    expect(tally(responses)).toEqual({ 200: 50, 503: 10 });
    expect(responses[0]?.headers.get("RateLimit")).toBeNull();
    expect(responses[59]?.headers.get("Retry-After")).toBeTruthy();
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
    let lost = 0;
    const COUNTERS = interceptObjects(env.COUNTERS, async (call) => {
      const verdict = await call();
      lost += 1;
      if (lost % 2 === 1) throw new Error("reply lost");
      return verdict;
    });
    const { send } = createClient({ COUNTERS, RATE_LIMIT_GLOBAL: 10 });
    expect((await send("/health")).headers.get("RateLimit")).toContain("r=9");
    expect((await send("/health")).headers.get("RateLimit")).toContain("r=8");
  });

  it("KV failing as well makes no difference but the hint", async () => {
    const HINTS = new Proxy(env.HINTS, { get: () => () => Promise.reject(new Error("KV is down")) });
    expect((await createClient({ COUNTERS: broken(), HINTS }).send("/health")).status).toBe(200);
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

  it("spoofed address headers change nothing", async () => {
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

  it("a user is one client wherever the token is used from", async () => {
    const tokens = await (await createClient().post("/auth/login", DEMO)).json<Tokens>();
    const somewhere = () =>
      createClient({ RATE_LIMIT_GLOBAL: 1_000_000 }).send("/auth/me", { headers: authorization(tokens) });
    const left = (response: Response) =>
      Number(/"auth";r=(\d+)/.exec(response.headers.get("RateLimit") ?? "")?.[1]);
    expect(left(await somewhere())).toBe(left(await somewhere()) + 1);
  });
});

describe("names of addresses and e-mails", () => {
  const [first = "", second = ""] = env.TOKEN_KEYS.split(",");
  const left = async ({ send }: ReturnType<typeof createClient>) =>
    Number(/"global";r=(\d+)/.exec((await send("/health")).headers.get("RateLimit") ?? "")?.[1]);
  const flipped = `${second},${first}`;

  it("come from a secret of their own, so that no rotation of keys begins a window anew (E3)", async () => {
    const PSEUDONYM_KEY = `1:${"p".repeat(43)}`;
    const address = newAddress();
    const before = await left(createClient({ PSEUDONYM_KEY }, address));
    for (const TOKEN_KEYS of [`${first},${second}`, flipped, second])
      expect(await left(createClient({ PSEUDONYM_KEY, TOKEN_KEYS }, address))).toBeLessThan(before);
    expect(await left(createClient({ PSEUDONYM_KEY }, address))).toBe(before - 4);
  });

  it("come from the key that signs where there is none", async () => {
    const address = newAddress();
    const before = await left(createClient({}, address));
    expect(await left(createClient({ TOKEN_KEYS: flipped }, address))).toBe(before);
    expect(await left(createClient({}, address))).toBe(before - 1);
  });

  it("a secret that is too short serves nothing", async () => {
    expect((await createClient({ PSEUDONYM_KEY: "1:c2hvcnQ" }).send("/health")).status).toBe(500);
  });
});

describe("failed logins (E5)", () => {
  beforeAll(async () => {
    await sql`insert into users (email, name, password_hash)
      values ('known.target@example.com', 'Target', ${hashPassword("target-password")})`;
  });

  const guess = (email: string) => createClient().post("/auth/login", { email, password: "wrong-password" });

  it.each(["known.target@example.com", "unknown.target@example.com"])(
    "50 failures on %s, then 429, from wherever they come",
    async (email) => {
      const responses = await inFives(60, () => guess(email));
      expect(tally(responses)).toEqual({ 401: 50, 429: 10 });
      const refused = await guess(email);
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
      await expectError(refused, 429, "Too Many Requests", /Too many failed sign-ins with this e-mail/);
    },
  );

  it("guessing from elsewhere locks nobody out of an address they use; a new address shares the common count (E5)", async () => {
    const account = { email: "owner@example.com", password: "owner-password" };
    await sql`insert into users (email, name, password_hash)
      values (${account.email}, 'Owner', ${hashPassword(account.password)})`;
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

  it("a right password does not count, and a repeated call counts once", async () => {
    const attempts = env.LOGINS.getByName("test attempts");
    const hash = hashPassword("right");
    for (let i = 0; i < 3; i += 1)
      expect((await attempts.check(crypto.randomUUID(), "right", hash, true)).is).toBe("right");
    for (let i = 0; i < 3; i += 1)
      expect((await attempts.check("same", "wrong", hash, true)).is).toBe("wrong");
    expect((await attempts.check(crypto.randomUUID(), "right", hash, false)).is).toBe("wrong");
    const failures = await runInDurableObject(attempts, (_, { storage }) => [...storage.kv.list()].length);
    expect(failures).toBe(2);
  });
});
