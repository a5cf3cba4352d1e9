// @module-tag server
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pseudonym } from "../../../src/access/auth/counter-name.ts";
import { keyRing } from "../../../src/access/auth/keys.ts";
import { revokedKey } from "../../../src/access/auth/sessions-object.ts";
import { settingsOf } from "../../../src/core/settings.ts";
import {
  addUser,
  authorization,
  breakDatabase,
  expectError,
  mendDatabase,
  post,
  send,
  signIn,
  sql,
  type Tokens,
} from "../../support/worker/api.ts";
import { createClient, interceptObjects } from "../../support/worker/client.ts";
import { wait } from "../../support/worker/clock.ts";

const HERE = { "CF-Connecting-IP": "198.51.100.1" };
const ELSEWHERE = { "CF-Connecting-IP": "198.51.100.2" };

const refresh = (refresh_token: string, headers: Record<string, string> = HERE) =>
  post("/auth/refresh", { refresh_token }, headers);

const renew = async (refresh_token: string, headers = HERE): Promise<Tokens> => {
  const response = await refresh(refresh_token, headers);
  expect(response.status).toBe(200);
  return response.json();
};

const expectEnded = async (refresh_token: string) =>
  expectError(await refresh(refresh_token, ELSEWHERE), 401, "Unauthorized", /already used.*\/auth\/login/);

const OPENING = { kind: "api", clientId: null, personalData: true, number: 0, device: null } as const;

/** Advances the clock. */
const DAY = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

describe("POST /auth/refresh", () => {
  it("exchanges a token for a new pair, which works (A6)", async () => {
    const first = await signIn();
    const second = await renew(first.refresh_token);
    expect(second).toEqual({ ...second, token_type: "Bearer", expires_in: 900 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await send("/auth/me", { headers: authorization(second) })).status).toBe(200);
    await renew(second.refresh_token);
  });

  it("gives a new pair to exactly one of 60 parallel requests, and that pair works (A6)", async () => {
    const { refresh_token } = await signIn();
    const responses = await Promise.all(Array.from({ length: 60 }, () => refresh(refresh_token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(59).fill(401)]);
    const winner = await responses.find(({ status }) => status === 200)?.json<Tokens>();
    await renew(winner?.refresh_token ?? "");
  });

  it("ends the session if a spent token is reused from another address (A6)", async () => {
    const { refresh_token } = await signIn();
    const next = await renew(refresh_token);
    await expectEnded(refresh_token);
    await expectEnded(next.refresh_token);
  });

  it("ends the session if a spent token is reused after ten seconds, from any address (A6)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { refresh_token } = await signIn();
    const next = await renew(refresh_token);
    wait(10_001);
    expect((await refresh(refresh_token)).status).toBe(401);
    await expectEnded(next.refresh_token);
  });

  it("rejects reuse within ten seconds from the same address with 401, and keeps the session (A6)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { refresh_token } = await signIn();
    const next = await renew(refresh_token);
    wait(9_999);
    expect((await refresh(refresh_token)).status).toBe(401);
    await renew(next.refresh_token);
  });

  it("ends the session if a token two generations old is reused, even within ten seconds (A6)", async () => {
    const first = await signIn();
    const second = await renew(first.refresh_token);
    const third = await renew(second.refresh_token);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    await expectEnded(third.refresh_token);
  });

  it("ends the oldest session of a user who has more than fifty (A7)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await addUser({ email: "many@example.com", password: "many-password" });
    const families: Tokens[] = [];
    for (let i = 0; i < 51; i += 1) {
      wait(1000);
      families.push(await signIn({ email: "many@example.com", password: "many-password" }));
    }
    await expectEnded(families[0]?.refresh_token ?? "");
    const [user] = await sql`select identity from users where email = 'many@example.com'`;
    const stub = env.SESSIONS.getByName(`user:${user?.identity}`);
    const count = () => runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()].length);
    expect(await count()).toBe(50);
    // A repeated call ends no second session.
    const call = { address: "here", until: Date.now() + 1000 };
    await stub.open("b".repeat(32), "hash", OPENING, call);
    await stub.open("b".repeat(32), "hash", OPENING, call);
    expect(await count()).toBe(50);
    await stub.revoke("b".repeat(32));
    await renew(families[2]?.refresh_token ?? "");
    await renew(families[50]?.refresh_token ?? "");
  });

  it("stores only the hash of a token and only the pseudonym of an address (A6)", async () => {
    const { refresh_token } = await renew((await signIn()).refresh_token, HERE);
    const [user] = await sql`select identity from users where email = 'demo@example.com'`;
    const stored = await runInDurableObject(env.SESSIONS.getByName(`user:${user?.identity}`), (_, state) =>
      JSON.stringify([...state.storage.kv.list()]),
    );
    expect(stored).toContain("hash");
    expect(stored).not.toContain(refresh_token);
    expect(stored).toContain(await pseudonym(keyRing(settingsOf(env).TOKEN_KEYS), HERE["CF-Connecting-IP"]));
    expect(stored).not.toContain(HERE["CF-Connecting-IP"]);
  });

  it("returns 503 and keeps the token valid if the database is down (A6, E2)", async () => {
    const { refresh_token } = await signIn();
    await breakDatabase({ kind: "refuse" });
    const response = await refresh(refresh_token);
    await mendDatabase();
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectError(response, 503, "Service Unavailable", /Try again/);
    await renew(refresh_token);
  });

  it.each([
    ["no body", "", /not valid JSON/],
    ["no token", "{}", /`refresh_token` must be text/],
    ["a number", '{"refresh_token":7}', /`refresh_token` must be text/],
    ["an empty token", '{"refresh_token":""}', /`refresh_token` must not be empty/],
  ])("rejects %s with 400 (A6)", async (_, body, message) => {
    await expectError(await post("/auth/refresh", body), 400, "Bad Request", message);
  });

  it("rejects forged or foreign text with 401 (A6)", async () => {
    const { refresh_token, access_token } = await signIn();
    const flip = (at: number) =>
      refresh_token.slice(0, at) + (refresh_token[at] === "A" ? "B" : "A") + refresh_token.slice(at + 1);
    const forged = [...Array(104).keys()].map(flip);
    for (const text of [
      ...forged,
      access_token,
      "x",
      `${refresh_token}=`,
      refresh_token.slice(1),
      "\u0000",
    ]) {
      expect((await refresh(text)).status, text).toBe(401);
    }
    await renew(refresh_token);
  });
});

describe("POST /auth/logout", () => {
  const logout = (tokens: Tokens, body: string, headers: Record<string, string> = {}) =>
    send("/auth/logout", { method: "POST", body, headers: { ...authorization(tokens), ...headers } });

  it("ends the session; the access token works until it expires (A8)", async () => {
    const tokens = await signIn();
    const response = await logout(tokens, JSON.stringify({ refresh_token: tokens.refresh_token }));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: expect.any(String) });
    await expectEnded(tokens.refresh_token);
    expect((await send("/auth/me", { headers: authorization(tokens) })).status).toBe(200);
  });

  it.each([
    ["no body", "", {}],
    ["no body but a content type", "", { "Content-Type": "application/json" }],
    ["an empty object", "{}", { "Content-Type": "application/json" }],
    ["an unknown token", '{"refresh_token":"x"}', {}],
  ])("returns 200 and ends no session for %s (A8)", async (_, body, headers) => {
    const tokens = await signIn();
    expect((await logout(tokens, body, headers)).status).toBe(200);
    await renew(tokens.refresh_token);
  });

  it("returns 200 for another user's token, which stays valid (A8)", async () => {
    await addUser({ email: "other@example.com", password: "other-password" });
    const theirs = await signIn({ email: "other@example.com", password: "other-password" });
    const mine = await signIn();
    expect((await logout(mine, JSON.stringify({ refresh_token: theirs.refresh_token }))).status).toBe(200);
    await renew(theirs.refresh_token);
  });

  it.each([
    ["text", "bye"],
    ["an array", "[]"],
    ["a number as the token", '{"refresh_token":1}'],
  ])("rejects %s as the body with 400 (A8)", async (_, body) => {
    await expectError(await logout(await signIn(), body), 400, "Bad Request", /body|refresh_token/);
  });

  it("requires a bearer token (A1)", async () => {
    await expectError(await post("/auth/logout", {}), 401, "Unauthorized", /Authorization: Bearer/);
  });
});

describe("the KV hint of an ended session", () => {
  it("is written by the session object, and rejects the token without a call (A6)", async () => {
    const tokens = await signIn();
    const body = JSON.stringify({ refresh_token: tokens.refresh_token });
    await send("/auth/logout", { method: "POST", body, headers: authorization(tokens) });
    const family = JSON.parse(
      atob(tokens.access_token.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""),
    ).sid;
    await expect.poll(() => env.HINTS.get(revokedKey(family))).toBe("1");
    let calls = 0;
    const SESSIONS = interceptObjects(env.SESSIONS, (call) => {
      calls += 1;
      return call();
    });
    const client = createClient({ SESSIONS });
    expect((await client.post("/auth/refresh", { refresh_token: tokens.refresh_token })).status).toBe(401);
    expect(calls).toBe(0);
  });

  it("is optional: if KV fails, the session object decides (A6)", async () => {
    const HINTS = new Proxy(env.HINTS, { get: () => () => Promise.reject(new Error("KV is down")) });
    const client = createClient({ HINTS });
    const tokens = await signIn();
    const renewal = await client.post("/auth/refresh", { refresh_token: tokens.refresh_token });
    expect(renewal.status).toBe(200);
    const again = await client.post("/auth/refresh", { refresh_token: tokens.refresh_token }, ELSEWHERE);
    expect(again.status).toBe(401);
    await expectEnded((await renewal.json<Tokens>()).refresh_token);
  });
});

describe("the session object", () => {
  it("deletes expired sessions by its alarm (A7)", async () => {
    const stub = env.SESSIONS.getByName("user:4242");
    const call = { address: "here", until: Date.now() + 1000 };
    await stub.open("a".repeat(32), "hash", OPENING, call);
    expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).toBeGreaterThan(
      Date.now(),
    );
    vi.useFakeTimers({ toFake: ["Date"] });
    wait(8 * DAY);
    const left = await runInDurableObject(stub, async (sessions, { storage }) => {
      await sessions.alarm();
      return [...storage.kv.list()].length;
    });
    expect(left).toBe(0);
  });
});
