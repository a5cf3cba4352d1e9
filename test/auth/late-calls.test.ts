import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { authorization, DEMO, type Tokens } from "../support/api.ts";
import { createClient, interceptObjects } from "../support/client.ts";
import { hurried, passTime, stopTimers } from "../support/clock.ts";

/** Longer than a Worker waits for one attempt. */
const ABANDONED_MS = 2000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
let hung = 0;
/** An answer that does not come. */
const never = () => {
  hung += 1;
  return new Promise<never>(() => undefined);
};
/** Waits for an answer: once a call hangs, time passes. */
const settled = (answer: Promise<Response>) => hurried(answer, () => hung > 0);

beforeEach(() => {
  hung = 0;
  stopTimers();
});
afterEach(() => void vi.useRealTimers());

// What KV has read as missing stays missing in places for a minute: the object must know by itself.
const HINTS = new Proxy(env.HINTS, {
  get: (hints, name) => (name === "get" ? async () => null : Reflect.get(hints, name).bind(hints)),
});
const { post } = createClient({ HINTS });
const refresh = (refresh_token: string, client = post) => client("/auth/refresh", { refresh_token });
const expectStatus = async (status: number, refresh_token: string) =>
  expect((await refresh(refresh_token)).status).toBe(status);

/**
 * Session objects whose first call of a method is not delivered; `deliver` does it when the test says so, and tells
 * what came of it.
 */
const holdingBack = (method: "open" | "rotate", meanwhile: () => Promise<never>, calls = 1) => {
  const held: (() => Promise<unknown>)[] = [];
  const SESSIONS = interceptObjects(env.SESSIONS, (call, called) => {
    if (called !== method || held.length === calls) return call();
    held.push(call);
    return meanwhile();
  });
  return {
    client: createClient({ SESSIONS }).post,
    deliver: async () => {
      // Later than the moment it was given up.
      await passTime(1);
      return Promise.allSettled(held.map((call) => call()));
    },
  };
};

describe("a call of a session object that arrives after another has taken its place", () => {
  it.each([
    ["given up", never, "rejected"],
    ["lost, though still in time", () => Promise.reject(new Error("Network connection lost.")), "fulfilled"],
  ])("open, %s: does not bring back what was signed out", async (_, meanwhile, outcome) => {
    const { client, deliver } = holdingBack("open", meanwhile);
    const tokens = await (await settled(client("/auth/login", DEMO))).json<Tokens>();
    await post("/auth/logout", { refresh_token: tokens.refresh_token }, authorization(tokens));
    expect(await deliver()).toMatchObject([{ status: outcome }]);
    await expectStatus(401, tokens.refresh_token);
  });

  it.each([
    ["given up", never, "rejected"],
    ["lost, though still in time", () => Promise.reject(new Error("Network connection lost.")), "fulfilled"],
  ])("open, %s: does not bring back a spent token", async (_, meanwhile, outcome) => {
    const { client, deliver } = holdingBack("open", meanwhile);
    const first = await (await settled(client("/auth/login", DEMO))).json<Tokens>();
    const second = await (await refresh(first.refresh_token)).json<Tokens>();
    expect(await deliver()).toMatchObject([{ status: outcome }]);
    await expectStatus(401, first.refresh_token);
    await expectStatus(200, second.refresh_token);
  });

  it("rotate, both attempts given up: 503, and the token still works (A6)", async () => {
    const { refresh_token } = await (await post("/auth/login", DEMO)).json<Tokens>();
    const { client, deliver } = holdingBack("rotate", never, 2);
    expect((await settled(refresh(refresh_token, client))).status).toBe(503);
    expect(await deliver()).toEqual([
      {
        status: "rejected",
        reason: expect.objectContaining({ message: expect.stringContaining("too late") }),
      },
      {
        status: "rejected",
        reason: expect.objectContaining({ message: expect.stringContaining("too late") }),
      },
    ]);
    await expectStatus(200, refresh_token);
  });

  it("rotate, given up while the second attempt wins: the session goes on", async () => {
    const { refresh_token } = await (await post("/auth/login", DEMO)).json<Tokens>();
    const { client, deliver } = holdingBack("rotate", never);
    const second = await (await settled(refresh(refresh_token, client))).json<Tokens>();
    const third = await (await refresh(second.refresh_token)).json<Tokens>();
    await deliver();
    await expectStatus(200, third.refresh_token);
  });
});

describe("an answer of a session object that comes late", () => {
  it("rotate: the first attempt's answer is taken while the second hangs", async () => {
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
    const response = await hurried(refresh(refresh_token, createClient({ SESSIONS }).post));
    expect(calls).toBe(2);
    expect(response.status).toBe(200);
    await expectStatus(200, (await response.json<Tokens>()).refresh_token);
  });

  it("rotate: what was carried out in time is taken however late it is told, while there is time", async () => {
    const { refresh_token } = await (await post("/auth/login", DEMO)).json<Tokens>();
    const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
      if (method !== "rotate") return call();
      const answer = await call();
      await pause(2 * ABANDONED_MS);
      return answer;
    });
    const response = await hurried(refresh(refresh_token, createClient({ SESSIONS }).post));
    expect(response.status).toBe(200);
    await expectStatus(200, (await response.json<Tokens>()).refresh_token);
  });
});
