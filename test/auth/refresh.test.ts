// @module-tag server
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { pseudonym } from "../../src/auth/client.ts";
import { keyRing } from "../../src/auth/keys.ts";
import { revokedKey } from "../../src/auth/sessions.ts";
import { settingsOf } from "../../src/core/settings.ts";
import {
  authorization,
  breakDatabase,
  expectError,
  mendDatabase,
  post,
  send,
  signIn,
  sql,
  type Tokens,
} from "../support/api.ts";
import { cheapHash, createClient, interceptObjects } from "../support/client.ts";

const HERE = { "CF-Connecting-IP": "198.51.100.1" };
const ELSEWHERE = { "CF-Connecting-IP": "198.51.100.2" };

const refresh = (refresh_token: string, headers: Record<string, string> = HERE) =>
  post("/auth/refresh", { refresh_token }, headers);

const renewed = async (refresh_token: string, headers = HERE): Promise<Tokens> => {
  const response = await refresh(refresh_token, headers);
  expect(response.status).toBe(200);
  return response.json();
};

const expectDead = async (refresh_token: string) =>
  expectError(
    await refresh(refresh_token, ELSEWHERE),
    401,
    "Unauthorized",
    /not valid any more.*\/auth\/login/,
  );

/** Runs the clock ahead of now. */
const wait = (ms: number) => vi.setSystemTime(Date.now() + ms);
const DAY = 86_400_000;

afterEach(() => {
  vi.useRealTimers();
});

describe("POST /auth/refresh", () => {
  it("trades a token for a new pair and revokes it at once (A6)", async () => {
    const first = await signIn();
    const second = await renewed(first.refresh_token);
    expect(second).toEqual({ ...second, token_type: "Bearer", expires_in: 900 });
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await send("/auth/me", { headers: authorization(second) })).status).toBe(200);
    await renewed(second.refresh_token);
  });

  it("lets exactly one of 60 parallel uses win, and the winner goes on working (A6)", async () => {
    const { refresh_token } = await signIn();
    const responses = await Promise.all(Array.from({ length: 60 }, () => refresh(refresh_token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(59).fill(401)]);
    const winner = await responses.find(({ status }) => status === 200)?.json<Tokens>();
    await renewed(winner?.refresh_token ?? "");
  });

  it("reuse of a spent token from another address revokes the family (A6)", async () => {
    const { refresh_token } = await signIn();
    const next = await renewed(refresh_token);
    await expectDead(refresh_token);
    await expectDead(next.refresh_token);
  });

  it("reuse after ten seconds revokes the family, whatever the address (A6)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { refresh_token } = await signIn();
    const next = await renewed(refresh_token);
    wait(10_001);
    expect((await refresh(refresh_token)).status).toBe(401);
    await expectDead(next.refresh_token);
  });

  it("reuse within ten seconds from the same address gets its 401 and kills nobody (A6)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { refresh_token } = await signIn();
    const next = await renewed(refresh_token);
    wait(9_999);
    expect((await refresh(refresh_token)).status).toBe(401);
    await renewed(next.refresh_token);
  });

  it("a token two generations old revokes the family even within the ten seconds (A6)", async () => {
    const first = await signIn();
    const second = await renewed(first.refresh_token);
    const third = await renewed(second.refresh_token);
    expect((await refresh(first.refresh_token)).status).toBe(401);
    await expectDead(third.refresh_token);
  });

  it("a token lives seven days (A7)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const [early, late] = [await signIn(), await signIn()];
    wait(7 * DAY - 1000);
    await renewed(early.refresh_token);
    wait(2000);
    await expectDead(late.refresh_token);
  });

  it("a family ends after ninety days however often it is renewed (A7)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    let { refresh_token } = await signIn();
    for (let day = 0; day < 84; day += 6) {
      wait(6 * DAY);
      ({ refresh_token } = await renewed(refresh_token));
    }
    wait(5.9 * DAY);
    ({ refresh_token } = await renewed(refresh_token));
    wait(0.2 * DAY);
    await expectDead(refresh_token);
  });

  it("the oldest of more than fifty families goes (A7)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await sql`insert into users (email, name, password_hash)
      values ('many@example.com', 'Many', ${cheapHash("many-password")})`;
    const families: Tokens[] = [];
    for (let i = 0; i < 51; i += 1) {
      wait(1000);
      families.push(await signIn({ email: "many@example.com", password: "many-password" }));
    }
    await expectDead(families[0]?.refresh_token ?? "");
    const [user] = await sql`select identity from users where email = 'many@example.com'`;
    const stub = env.SESSIONS.getByName(`user:${user?.identity}`);
    const count = () => runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()].length);
    expect(await count()).toBe(50);
    // A repeated call takes no second family away.
    const call = { address: "here", until: Date.now() + 1000, number: 0 };
    await stub.open("b".repeat(32), "hash", call);
    await stub.open("b".repeat(32), "hash", call);
    expect(await count()).toBe(50);
    await stub.revoke("b".repeat(32));
    await renewed(families[2]?.refresh_token ?? "");
    await renewed(families[50]?.refresh_token ?? "");
  });

  it("stores no token, only its hash, and no address, only its pseudonym (A6)", async () => {
    const { refresh_token } = await renewed((await signIn()).refresh_token, HERE);
    const [user] = await sql`select identity from users where email = 'demo@example.com'`;
    const stored = await runInDurableObject(env.SESSIONS.getByName(`user:${user?.identity}`), (_, state) =>
      JSON.stringify([...state.storage.kv.list()]),
    );
    expect(stored).toContain("hash");
    expect(stored).not.toContain(refresh_token);
    expect(stored).toContain(await pseudonym(keyRing(settingsOf(env).TOKEN_KEYS), HERE["CF-Connecting-IP"]));
    expect(stored).not.toContain(HERE["CF-Connecting-IP"]);
  });

  it("a user disabled since: 401, and the family is gone (A6)", async () => {
    await sql`insert into users (email, name, password_hash)
      values ('leaver@example.com', 'Leaver', ${cheapHash("leaver-password")})`;
    const { refresh_token } = await signIn({ email: "leaver@example.com", password: "leaver-password" });
    await sql`update users set ativo = false where email = 'leaver@example.com'`;
    await expectDead(refresh_token);
    await sql`update users set ativo = true where email = 'leaver@example.com'`;
    await expectDead(refresh_token);
  });

  it("database lost: 503, and the token is not used up (A6, E2)", async () => {
    const { refresh_token } = await signIn();
    await breakDatabase({ kind: "refuse" });
    const response = await refresh(refresh_token);
    await mendDatabase();
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectError(response, 503, "Service Unavailable", /Try again/);
    await renewed(refresh_token);
  });

  it.each([
    ["no body", "", /not valid JSON/],
    ["no token", "{}", /`refresh_token` must be text/],
    ["a number", '{"refresh_token":7}', /`refresh_token` must be text/],
    ["an empty token", '{"refresh_token":""}', /`refresh_token` must not be empty/],
  ])("%s: 400 (A6)", async (_, body, message) => {
    await expectError(await post("/auth/refresh", body), 400, "Bad Request", message);
  });

  it("a forged or foreign text: 401 without waking an object (A6)", async () => {
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
    await renewed(refresh_token);
  });
});

describe("POST /auth/logout", () => {
  const logout = (tokens: Tokens, body: string, headers: Record<string, string> = {}) =>
    send("/auth/logout", { method: "POST", body, headers: { ...authorization(tokens), ...headers } });

  it("revokes the family; the access token stays usable (A8)", async () => {
    const tokens = await signIn();
    const response = await logout(tokens, JSON.stringify({ refresh_token: tokens.refresh_token }));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ message: expect.any(String) });
    await expectDead(tokens.refresh_token);
    expect((await send("/auth/me", { headers: authorization(tokens) })).status).toBe(200);
  });

  it.each([
    ["none", "", {}],
    ["none, with a content type", "", { "Content-Type": "application/json" }],
    ["an empty object", "{}", { "Content-Type": "application/json" }],
    ["an unknown token", '{"refresh_token":"x"}', {}],
  ])("body %s: 200 and nothing else happens (A8)", async (_, body, headers) => {
    const tokens = await signIn();
    expect((await logout(tokens, body, headers)).status).toBe(200);
    await renewed(tokens.refresh_token);
  });

  it("another user's token: 200, and it lives on (A8)", async () => {
    await sql`insert into users (email, name, password_hash)
      values ('other@example.com', 'Other', ${cheapHash("other-password")})`;
    const theirs = await signIn({ email: "other@example.com", password: "other-password" });
    const mine = await signIn();
    expect((await logout(mine, JSON.stringify({ refresh_token: theirs.refresh_token }))).status).toBe(200);
    await renewed(theirs.refresh_token);
  });

  it.each([
    ["text", "bye"],
    ["an array", "[]"],
    ["a number for a token", '{"refresh_token":1}'],
  ])("body %s: 400 (A8)", async (_, body) => {
    await expectError(await logout(await signIn(), body), 400, "Bad Request", /body|refresh_token/);
  });

  it("needs the bearer (A1)", async () => {
    await expectError(await post("/auth/logout", {}), 401, "Unauthorized", /Authorization: Bearer/);
  });
});

describe("word of a revoked family in KV", () => {
  it("is left by its object, and refuses the token without waking it (A6)", async () => {
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

  it("missing or failing KV costs a call, never a wrong answer", async () => {
    const HINTS = new Proxy(env.HINTS, { get: () => () => Promise.reject(new Error("KV is down")) });
    const client = createClient({ HINTS });
    const tokens = await signIn();
    const renewal = await client.post("/auth/refresh", { refresh_token: tokens.refresh_token });
    expect(renewal.status).toBe(200);
    const again = await client.post("/auth/refresh", { refresh_token: tokens.refresh_token }, ELSEWHERE);
    expect(again.status).toBe(401);
    await expectDead((await renewal.json<Tokens>()).refresh_token);
  });
});

describe("clean-up", () => {
  it("one alarm forgets what has expired and empties the object when nothing is left (A7)", async () => {
    const stub = env.SESSIONS.getByName("user:4242");
    const call = { address: "here", until: Date.now() + 1000, number: 0 };
    await stub.open("a".repeat(32), "hash", call);
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
