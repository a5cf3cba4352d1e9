import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { authorization, DEMO, type Tokens } from "../../support/worker/api.ts";
import { createClient, interceptObjects } from "../../support/worker/client.ts";
import { advanceClock, advanceClockUntilDone, startFakeClock } from "../../support/worker/clock.ts";

/** Longer than a Worker waits for one attempt. */
const ABANDONED_MS = 2000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let hung = 0;
/** A reply that never arrives. */
const never = () => {
  hung += 1;
  return new Promise<never>(() => undefined);
};
/** Waits for a response. Time passes once a call hangs. */
const waitFor = (answer: Promise<Response>) => advanceClockUntilDone(answer, () => hung > 0);

beforeEach(() => {
  hung = 0;
  startFakeClock();
});
afterEach(() => void vi.useRealTimers());

// KV caches a missing key for up to a minute, so the object must refuse without the hint.
const HINTS = new Proxy(env.HINTS, {
  get: (hints, name) => (name === "get" ? async () => null : Reflect.get(hints, name).bind(hints)),
});
const { post } = createClient({ HINTS });
const refresh = (refresh_token: string, client = post) => client("/auth/refresh", { refresh_token });
const expectStatus = async (status: number, refresh_token: string) =>
  expect((await refresh(refresh_token)).status).toBe(status);

/** Holds back the first calls of a session object's method. `deliver` runs them and returns their results. */
const holdBack = (method: "open" | "rotate", meanwhile: () => Promise<never>, calls = 1) => {
  const held: (() => Promise<unknown>)[] = [];
  const SESSIONS = interceptObjects(env.SESSIONS, (call, called) => {
    if (called !== method || held.length === calls) return call();
    held.push(call);
    return meanwhile();
  });
  return {
    client: createClient({ SESSIONS }).post,
    deliver: async () => {
      // After the time at which the caller gave up.
      await advanceClock(1);
      return Promise.allSettled(held.map((call) => call()));
    },
  };
};

/** What a first attempt seems to do, and how the object handles it if it arrives after its retry. */
const FIRST_ATTEMPTS: [name: string, attempt: () => Promise<never>, outcome: string][] = [
  ["given up", never, "rejected"],
  ["reported as lost, but in time", () => Promise.reject(new Error("Network connection lost.")), "fulfilled"],
];

describe("a call to a session object that arrives after its retry", () => {
  it.each(FIRST_ATTEMPTS)(
    "to open (%s) does not restore a session that was signed out (A8)",
    async (_, meanwhile, outcome) => {
      const { client, deliver } = holdBack("open", meanwhile);
      const tokens = await (await waitFor(client("/auth/login", DEMO))).json<Tokens>();
      await post("/auth/logout", { refresh_token: tokens.refresh_token }, authorization(tokens));
      expect(await deliver()).toMatchObject([{ status: outcome }]);
      await expectStatus(401, tokens.refresh_token);
    },
  );

  it.each(FIRST_ATTEMPTS)(
    "to open (%s) does not restore a spent token (A6)",
    async (_, meanwhile, outcome) => {
      const { client, deliver } = holdBack("open", meanwhile);
      const first = await (await waitFor(client("/auth/login", DEMO))).json<Tokens>();
      const second = await (await refresh(first.refresh_token)).json<Tokens>();
      expect(await deliver()).toMatchObject([{ status: outcome }]);
      await expectStatus(401, first.refresh_token);
      await expectStatus(200, second.refresh_token);
    },
  );

  it("to rotate does nothing if both attempts were given up: the response is 503 and the token works (A6)", async () => {
    const { refresh_token } = await (await post("/auth/login", DEMO)).json<Tokens>();
    const { client, deliver } = holdBack("rotate", never, 2);
    expect((await waitFor(refresh(refresh_token, client))).status).toBe(503);
    const expired = {
      status: "rejected",
      reason: expect.objectContaining({ message: expect.stringContaining("after its deadline") }),
    };
    expect(await deliver()).toEqual([expired, expired]);
    await expectStatus(200, refresh_token);
  });

  it("to rotate does not end the session if the second attempt succeeded (A6)", async () => {
    const { refresh_token } = await (await post("/auth/login", DEMO)).json<Tokens>();
    const { client, deliver } = holdBack("rotate", never);
    const second = await (await waitFor(refresh(refresh_token, client))).json<Tokens>();
    const third = await (await refresh(second.refresh_token)).json<Tokens>();
    await deliver();
    await expectStatus(200, third.refresh_token);
  });
});

describe("a late reply from a session object", () => {
  it("to the first rotate call is used while the second hangs (A6)", async () => {
    const { refresh_token } = await (await post("/auth/login", DEMO)).json<Tokens>();
    let calls = 0;
    const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
      if (method !== "rotate") return call();
      calls += 1;
      if (calls > 1) return never();
      const answer = await call();
      await pause(ABANDONED_MS);
      return answer;
    });
    const response = await advanceClockUntilDone(refresh(refresh_token, createClient({ SESSIONS }).post));
    expect(calls).toBe(2);
    expect(response.status).toBe(200);
    await expectStatus(200, (await response.json<Tokens>()).refresh_token);
  });

  it("to a rotate that ran in time is used until the request's deadline (A6)", async () => {
    const { refresh_token } = await (await post("/auth/login", DEMO)).json<Tokens>();
    const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
      if (method !== "rotate") return call();
      const answer = await call();
      await pause(2 * ABANDONED_MS);
      return answer;
    });
    const response = await advanceClockUntilDone(refresh(refresh_token, createClient({ SESSIONS }).post));
    expect(response.status).toBe(200);
    await expectStatus(200, (await response.json<Tokens>()).refresh_token);
  });
});
