import {
  createExecutionContext,
  evictDurableObject,
  runInDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { pseudonym } from "../../../src/access/auth/counter-name.ts";
import { keyRing } from "../../../src/access/auth/keys.ts";
import { type Call, hintKey, type Reply } from "../../../src/access/limits/counter.ts";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import { app } from "../../../src/app.ts";
import { settingsOf } from "../../../src/core/settings.ts";
import { DEMO, databaseRequests, expectError, mendDatabase } from "../../support/worker/api.ts";
import { ask as askRecorded, rowsOf, useReader } from "../../support/worker/audit.ts";
import {
  countByStatus,
  createLimitedClient as createClient,
  inFives,
  inParallel,
  interceptObjects,
  newAddress,
  remainingIn,
  signTokenOf,
} from "../../support/worker/client.ts";
import {
  advanceClock,
  advanceClockUntilDone,
  startFakeClock,
  stopClock,
  wait,
} from "../../support/worker/clock.ts";
import { toolCall } from "../../support/worker/mcp.ts";

useReader();

/** Answers with personal data are recorded. */
const AUDITED = { AUDIT_DATABASE_URL: inject("auditUrl") };

/** How many requests a counter has stored. */
const storedIn = (counter: ReturnType<typeof env.COUNTERS.getByName>) =>
  runInDurableObject(counter, (_, { storage }) =>
    Array.from(storage.kv.list<{ count: number }>({ prefix: "hit:" })).reduce(
      (sum, [, { count }]) => sum + count,
      0,
    ),
  );

let lastUserId = 90_000;
const LIST = "/v1/lancamentos?per_page=1";
/** A client that sends the token of a user without earlier requests. */
const createReader = async () => {
  lastUserId += 1;
  const token = await signTokenOf(lastUserId);
  const { sub } = JSON.parse(atob(token.split(".")[1] ?? ""));
  const client = (overrides: Partial<Env> = {}) => {
    const { send } = createClient(overrides);
    return (path = LIST, init: RequestInit = {}) =>
      send(path, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } });
  };
  return { client, token, counter: env.COUNTERS.getByName(`user:${sub}`) };
};

/** A message to `/mcp` that runs a statement. */
const MESSAGE = {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(toolCall("listTransacoes", { per_page: 1 })),
};

/** Counters that count, but hold their replies until `release`. */
const holdReplies = () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const calls: string[] = [];
  const COUNTERS = interceptObjects(env.COUNTERS, async (call, method) => {
    calls.push(method);
    const reply = await call();
    await released;
    return reply;
  });
  return { COUNTERS, release, calls };
};

/** Counters that refuse at once, before a statement can end. */
const REFUSING = interceptObjects(
  env.COUNTERS,
  async (): Promise<Reply> => ({
    counted: [0],
    standings: [{ name: "global", quota: 500, remaining: 0, resetMs: 60_000 }],
  }),
);

afterEach(async () => {
  vi.useRealTimers();
  clearTallies();
  await mendDatabase();
});

describe("the rate limits", () => {
  it("allow exactly 20 of 30 sign-ins, which count in both limits (E3, E4)", async () => {
    const { post, send } = createClient();
    const responses = await inFives(30, () => post("/auth/login", DEMO));
    expect(countByStatus(responses)).toEqual({ 200: 20, 429: 10 });
    const refused = responses.find(({ status }) => status === 429) as Response;
    expect(refused.headers.get("RateLimit-Policy")).toBe('"global";q=500;w=900, "auth";q=20;w=900');
    expect(refused.headers.get("RateLimit")).toMatch(/^"global";r=4\d\d;t=\d+, "auth";r=0;t=\d+$/);
    await expectError(refused, 429, "Too Many Requests", /Wait \d+ seconds/);
    expect((await send("/health")).headers.get("RateLimit")).toMatch(/^"global";r=479;t=\d+$/);
  });

  it("allow exactly the quota of a mix of sequential, parallel and exact requests (E3, E11)", async () => {
    const reader = await createReader();
    const send = reader.client({ RATE_LIMIT_GLOBAL: 60, RATE_LIMIT_AUTH: 1000 });
    const answers: Response[] = [];
    for (let round = 0; round < 8; round += 1) {
      answers.push(await send(), ...(await inParallel(7, () => send("/auth/me"))));
      answers.push(...(await Promise.all(["/auth/me", "/health", LIST, LIST].map((path) => send(path)))));
    }
    // A user who does not exist gets a 404 at `/auth/me`.
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(60);
    expect(await storedIn(reader.counter)).toBe(60);
  });

  it("allow the next request after exactly Retry-After, and not a second earlier (E4)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 });
    for (const gap of [0, 1234, 5678]) {
      wait(gap);
      expect((await send("/nothing")).status).toBe(404);
    }
    wait(10_000);
    const refused = await send("/nothing");
    const seconds = Number(refused.headers.get("Retry-After"));
    expect(seconds).toBe(Math.ceil((900_000 - 10_000 - 1234 - 5678) / 1000));
    expect(refused.headers.get("RateLimit")).toBe(`"global";r=0;t=${seconds}`);
    wait((seconds - 1) * 1000);
    expect((await send("/nothing")).status).toBe(429);
    wait(1000);
    expect((await send("/nothing")).status).toBe(404);
    expect((await send("/nothing")).status).toBe(429);
  });

  it("add RateLimit to every counted response once the remainder is known, errors included (E4)", async () => {
    const { COUNTERS, release } = holdReplies();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 10, COUNTERS });
    const first = await send("/health");
    expect([first.headers.get("RateLimit"), first.headers.get("RateLimit-Policy")]).toEqual([null, null]);
    release();
    for (const [path, left] of [
      ["/v1/lancamentos", 8],
      ["/health", 7],
      ["/nothing", 6],
      ["/auth/me", 5],
    ] as const)
      expect((await send(path)).headers.get("RateLimit"), path).toContain(`"global";r=${left};t=900`);
    expect((await send("/health", { method: "OPTIONS" })).headers.get("RateLimit")).toBeNull();
    expect(remainingIn(await send("/health"))).toBe(4);
  });

  it("open no second window when the clock jumps back (E3, E4)", async () => {
    stopClock();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 5 });
    await inParallel(5, () => send("/nothing"));
    wait(-3_600_000);
    const refused = await send("/nothing");
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("Retry-After"))).toBeLessThanOrEqual(900);
    wait(900_000);
    expect((await send("/nothing")).status).toBe(404);
  });
});

describe("the counter", () => {
  const quotas = { global: 5, auth: 2 };
  const ask = (id: string, total = 1, names = ["global"]) => ({ id, names, answered: 0, total, ageMs: 0 });
  const newCounter = () => {
    const counter = env.COUNTERS.getByName(`test:${newAddress()}`);
    const call = async (asks: Call["asks"], takenBack: string[] = []) => {
      const { counted, standings } = await counter.count("x", { quotas, asks, takenBack });
      return { counted, left: standings[0]?.remaining, leftForAuth: standings[1]?.remaining };
    };
    return { counter, call };
  };

  it("writes one row for each call, however many requests it has (E11)", async () => {
    const { call, counter } = newCounter();
    for (const id of ["1", "2", "3", "4"]) await call([ask(id, 3)]);
    expect(await runInDurableObject(counter, (_, { storage }) => [...storage.kv.list()].length)).toBe(4);
  });

  it("counts a request in all its quotas, or in none if one of them refuses it (E3)", async () => {
    const { call } = newCounter();
    await call([ask("1", 2, ["global", "auth"])]);
    for (const id of ["2", "3"])
      expect(await call([ask(id, 1, ["global", "auth"])])).toMatchObject({ counted: [0] });
    expect(await call([ask("4")])).toMatchObject({ left: 2, leftForAuth: 0 });
  });

  it("takes a request back once, also if its call arrives later or is repeated (E3)", async () => {
    const { call, counter } = newCounter();
    expect(await call([ask("1"), ask("2")])).toMatchObject({ left: 3 });
    for (let i = 0; i < 3; i += 1) expect(await call([], ["1"])).toMatchObject({ left: 4 });
    await evictDurableObject(counter);
    expect(await call([ask("1"), ask("3")])).toMatchObject({ counted: [0, 1], left: 3 });
    await call([], ["late"]);
    expect(await call([ask("late")])).toMatchObject({ counted: [0], left: 3 });
  });

  it("keeps its count when it is evicted, reuses its rows, and deletes them when none counts", async () => {
    stopClock();
    const { call, counter } = newCounter();
    const rows = () => runInDurableObject(counter, (_, { storage }) => [...storage.kv.list()].length);
    for (let i = 0; i < 23; i += 1) {
      await call([ask(`${i}`)]);
      await evictDurableObject(counter);
      if (i % 5 === 4) wait(900_000);
    }
    expect(await call([ask("last", 9)])).toMatchObject({ counted: [2], left: 0 });
    expect(await rows()).toBeLessThanOrEqual(6);
    wait(900_000);
    await runInDurableObject(counter, (object) => object.alarm?.());
    expect(await rows()).toBe(0);
    expect(await call([ask("new")])).toMatchObject({ left: 4 });
  });
});

describe("a request beside its count", () => {
  it("is answered in the time of its statement while the counter is slow, and counts after it (E8, E11)", async () => {
    startFakeClock();
    const { COUNTERS, release, calls } = holdReplies();
    const { token, counter } = await createReader();
    const context = createExecutionContext();
    const headers = { Authorization: `Bearer ${token}` };
    const request = new Request(`https://api.test${LIST}`, { headers });
    // The counter takes 300 ms and more: it replies only after the answer has arrived.
    const response = await app.fetch(request, { ...env, COUNTERS }, context);
    expect([response.status, calls.length]).toEqual([200, 1]);
    expect(response.headers.get("Server-Timing")).toMatch(
      /limit;dur=\d+.*db;dur=\d+|db;dur=\d+.*limit;dur=\d+/,
    );
    let isOver = false;
    const over = waitOnExecutionContext(context).then(() => {
      isOver = true;
    });
    await env.HINTS.get("none");
    expect(isOver).toBe(false);
    release();
    await over;
    expect(await storedIn(counter)).toBe(1);
  });

  it("runs at once only if fewer than 8 of its client are unconfirmed (E11)", async () => {
    startFakeClock();
    const { COUNTERS, release } = holdReplies();
    const { client } = await createReader();
    let answered = 0;
    await mendDatabase();
    const all = inParallel(12, async () => {
      const response = await client({ COUNTERS })();
      answered += 1;
      return response;
    });
    await expect.poll(() => answered).toBe(8);
    await env.HINTS.get("none");
    expect([answered, await databaseRequests()]).toEqual([8, 8]);
    release();
    expect(countByStatus(await advanceClockUntilDone(all))).toEqual({ 200: 12 });
  });

  it("runs at once only if more remains than is unconfirmed (E3, E11)", async () => {
    startFakeClock();
    const { client } = await createReader();
    await client({ RATE_LIMIT_GLOBAL: 4 })("/nothing");
    const { COUNTERS, release } = holdReplies();
    await mendDatabase();
    const all = inParallel(7, client({ RATE_LIMIT_GLOBAL: 4, COUNTERS }));
    await expect.poll(databaseRequests).toBe(3);
    release();
    expect(countByStatus(await advanceClockUntilDone(all))).toEqual({ 200: 3, 429: 4 });
    expect(await databaseRequests()).toBe(3);
  });

  it.each([
    ["GET", LIST, {}],
    ["HEAD", LIST, { method: "HEAD" }],
    ["GET with If-None-Match", LIST, {}],
    ["GET as CSV", `${LIST}&formato=csv`, {}],
    ["POST", "/mcp", MESSAGE],
  ] as [string, string, RequestInit][])(
    "is a 429 without the headers of what it replaces if the count refuses %s of %s before the answer (E4, E11)",
    async (name, path, init) => {
      const { client } = await createReader();
      const etag = (await client()(path, init)).headers.get("ETag") ?? "";
      clearTallies();
      const headers = name.includes("If-None-Match") ? { "If-None-Match": etag } : {};
      await mendDatabase();
      const refused = await client({ COUNTERS: REFUSING })(path, {
        ...init,
        headers: { ...init.headers, ...headers },
      });
      expect(await databaseRequests()).toBe(1);
      const names = ["ETag", "Link", "Content-Disposition", "Preference-Applied"];
      expect(names.map((one) => refused.headers.get(one))).toEqual([null, null, null, null]);
      expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "60"]);
      expect(refused.headers.get("RateLimit")).toBe('"global";r=0;t=60');
      expect(refused.headers.get("Server-Timing")).toContain("db;dur=");
      expect(refused.headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(refused.headers.get("Cache-Control")).toMatch(/^(private, no-cache|no-store)$/);
      if (name === "HEAD") expect(await refused.text()).toBe("");
      else await expectError(refused, 429, "Too Many Requests", /Wait 60 seconds/);
    },
  );

  it("is not recorded as an access if it is a 429 (A15, E11)", async () => {
    const path = "/v1/transacoes?per_page=1";
    const refused = await askRecorded(path, { settings: { ...AUDITED, COUNTERS: REFUSING } });
    clearTallies();
    expect([refused.response.status, await rowsOf(refused.id)]).toEqual([429, []]);
    const sent = await askRecorded(path);
    expect([sent.response.status, (await rowsOf(sent.id)).length]).toEqual([200, 1]);
  });

  it.each([
    [400, "GET", "/v1/lancamentos?per_page=0", true],
    [401, "GET", LIST, false],
    [404, "GET", "/nothing", true],
    [405, "POST", "/health", true],
  ])(
    "with a %i without a statement waits for its count, and a 429 wins (E11)",
    async (status, method, path, isSignedIn) => {
      startFakeClock();
      const { client } = await createReader();
      const sendWith = (overrides: Partial<Env>) =>
        (isSignedIn ? client(overrides) : createClient(overrides).send)(path, { method });
      const { COUNTERS, release, calls } = holdReplies();
      let isAnswered = false;
      const answer = sendWith({ COUNTERS }).then((response) => {
        isAnswered = true;
        return response;
      });
      await expect.poll(() => calls.length).toBe(1);
      await env.HINTS.get("none");
      expect(isAnswered).toBe(false);
      release();
      expect((await answer).status).toBe(status);
      clearTallies();
      expect((await sendWith({ COUNTERS: REFUSING })).status).toBe(429);
    },
  );

  it("shares one call at a time with what comes meanwhile (E11)", async () => {
    let [calls, running, most] = [0, 0, 0];
    const COUNTERS = interceptObjects(env.COUNTERS, async (call) => {
      calls += 1;
      running += 1;
      most = Math.max(most, running);
      return call().finally(() => {
        running -= 1;
      });
    });
    const { client, counter } = await createReader();
    expect(countByStatus(await inParallel(100, client({ COUNTERS })))).toEqual({ 200: 100 });
    await expect.poll(() => storedIn(counter)).toBe(100);
    expect(most).toBe(1);
    expect(calls).toBeLessThanOrEqual(25);
  });

  it("is refused without a call or a statement once the isolate was refused (E11)", async () => {
    let calls = 0;
    const COUNTERS = interceptObjects(env.COUNTERS, (call) => {
      calls += 1;
      return call();
    });
    const { client } = await createReader();
    const send = client({ COUNTERS, RATE_LIMIT_GLOBAL: 3 });
    await inParallel(5, send);
    await mendDatabase();
    calls = 0;
    expect(countByStatus(await inParallel(20, send))).toEqual({ 429: 20 });
    expect([calls, await databaseRequests()]).toEqual([0, 0]);
  });

  it("does not use the client's X-Request-Id as an id (E3)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 });
    const responses = await inParallel(10, () => send("/health", { headers: { "X-Request-Id": "same" } }));
    expect(countByStatus(responses)).toEqual({ 200: 3, 429: 7 });
  });
});

const broken = (error: object = {}) =>
  interceptObjects(env.COUNTERS, () => Promise.reject(Object.assign(new Error("broken"), error)));
const FAILURES = {
  "cannot be reached": broken(),
  "are overloaded": broken({ overloaded: true }),
  "never reply": interceptObjects(env.COUNTERS, () => new Promise(() => {})),
  "count, but lose every reply": interceptObjects(env.COUNTERS, async (call) => {
    await call();
    throw new Error("reply lost");
  }),
};

describe("the service without its counters", () => {
  it.each(Object.entries(FAILURES))(
    "answers as with them if they %s, and counts everything once they are back (E2, E11)",
    async (_, COUNTERS) => {
      startFakeClock();
      const { client, counter } = await createReader();
      const send = client({ COUNTERS });
      expect((await send()).status).toBe(200);
      expect((await advanceClockUntilDone(send("/nothing"))).status).toBe(404);
      // The clock does not advance. So a request that waits gets no answer, and this test times out.
      const paths = [...Array<string>(20).fill(LIST), "/health", "/nothing", "/v1/lancamentos?per_page=0"];
      const answers = await Promise.all([...paths.map((path) => send(path)), send("/mcp", MESSAGE)]);
      expect(countByStatus(answers)).toEqual({ 200: 22, 404: 1, 400: 1 });
      // The calls fail, then the isolate counts alone for five seconds.
      for (let i = 0; i < 4; i += 1) await advanceClock(4_000);
      expect((await advanceClockUntilDone(client()("/nothing"))).status).toBe(404);
      await expect.poll(() => storedIn(counter)).toBe(27);
    },
  );

  it("allows what remained, or the full quota if nothing is known, and records it beyond the quota (E11)", async () => {
    stopClock();
    const { client, counter } = await createReader();
    const [healthy, alone] = [
      client({ RATE_LIMIT_GLOBAL: 5 }),
      client({ RATE_LIMIT_GLOBAL: 5, COUNTERS: broken() }),
    ];
    await inParallel(2, () => healthy("/nothing"));
    const send = async (n: number) => {
      const statuses: number[] = [];
      for (let i = 0; i < n; i += 1) statuses.push((await alone("/nothing")).status);
      return statuses;
    };
    expect(await send(5)).toEqual([404, 404, 404, 429, 429]);
    const refused = await alone("/nothing");
    expect(Number(refused.headers.get("Retry-After"))).toBe(900);
    clearTallies();
    expect(await send(6)).toEqual([404, 404, 404, 404, 404, 429]);
    wait(5_000);
    expect((await healthy("/nothing")).status).toBe(429);
    expect(await storedIn(counter)).toBe(2 + 5);
  });

  it("refuses a blocked client by its hint in KV with 429 (E2, E3)", async () => {
    const address = newAddress();
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 3 }, address);
    await inParallel(5, () => send("/nothing"));
    clearTallies();
    const key = hintKey(`address:${await pseudonym(keyRing(settingsOf(env).TOKEN_KEYS), address)}`);
    await expect.poll(() => env.HINTS.get(key)).toMatch(/^\d+$/);
    const alone = createClient({ COUNTERS: broken() }, address);
    // The hint is read when the call has failed. What ran until then may be answered.
    const { 200: answered = 0 } = countByStatus(await inParallel(30, () => alone.send("/health")));
    expect(answered).toBeLessThanOrEqual(8);
    for (const path of ["/nothing", "/health"]) {
      const refused = await alone.send(path);
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
      await expectError(refused, 429, "Too Many Requests", /Wait \d+ seconds/);
    }
  });

  it("makes /auth and /oauth a 503 without RateLimit (E2)", async () => {
    const { post } = createClient({ COUNTERS: broken() });
    for (const path of ["/auth/login", "/oauth/token"]) {
      const refused = await post(path, DEMO);
      expect([refused.status, refused.headers.get("RateLimit")]).toEqual([503, null]);
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
  });

  it("needs KV only for the hint (E2)", async () => {
    const HINTS = new Proxy(env.HINTS, { get: () => () => Promise.reject(new Error("KV is down")) });
    expect((await createClient({ COUNTERS: broken(), HINTS }).send("/nothing")).status).toBe(404);
    expect((await createClient({ HINTS }).send("/nothing")).status).toBe(404);
  });
});
