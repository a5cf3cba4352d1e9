// @module-tag server
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  addUser,
  authorization,
  expectError,
  makeAgentToken,
  post,
  send,
  sql,
  type Tokens,
} from "../../support/worker/api.ts";
import { createBrowser } from "../../support/worker/kept-session.ts";

interface Session {
  id: string;
  started_at: string;
  renewed_at: string;
  expires_at: string;
  kind: string;
  client: string | null;
  device: string | null;
  current: boolean;
}

const ANA = { email: "ana@example.com", password: "ana-password" };
const BIA = { email: "bia@example.com", password: "bia-password" };
const CHROME_ON_ANDROID =
  "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36";
const { send: ask, refresh } = createBrowser();
const DAY = 86_400_000;

const signIn = async (user = ANA): Promise<Tokens> => (await post("/auth/login", user)).json();
const renew = async ({ refresh_token }: Tokens) => post("/auth/refresh", { refresh_token });
const list = async (tokens: Tokens): Promise<Session[]> => {
  const response = await send("/auth/sessions", { headers: authorization(tokens) });
  expect(response.status).toBe(200);
  return (await response.json<{ data: Session[] }>()).data;
};
const logout = (tokens: Tokens, body: unknown) => post("/auth/logout", body, authorization(tokens));

beforeAll(async () => {
  for (const user of [ANA, BIA]) await addUser(user);
});
afterEach(() => void vi.useRealTimers());

describe("GET /auth/sessions", () => {
  it("lists the sessions of the user and no others, newest first, with the current one (A13)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 1000);
    await signIn(BIA);
    const first = await signIn();
    const start = Date.now();
    vi.setSystemTime(start + 1000);
    const { cookie } = await ask("login", undefined, ANA, { "User-Agent": CHROME_ON_ANDROID });
    vi.setSystemTime(start + 2000);
    const kept = await (await refresh(cookie)).response.json<Tokens>();
    const time = (ms: number) => new Date(start + ms).toISOString();
    const [browser, api, ...others] = await list(kept);
    expect(others).toEqual([]);
    const common = { id: expect.stringMatching(/^[\da-f]{32}$/), client: null };
    expect(browser).toEqual({
      ...common,
      started_at: time(1000),
      renewed_at: time(2000),
      expires_at: time(2000 + 7 * DAY),
      kind: "browser",
      device: "Chrome no Android",
      current: true,
    });
    expect(api).toEqual({
      ...common,
      started_at: time(0),
      renewed_at: time(0),
      expires_at: time(7 * DAY),
      kind: "api",
      device: null,
      current: false,
    });
    expect((await list(first)).map(({ current }) => current)).toEqual([false, true]);
  });

  it("leaves out sessions that ended, also by a raised session number (A9, A13)", async () => {
    const first = await signIn();
    const { length } = await list(first);
    const second = await signIn();
    expect(await list(first)).toHaveLength(length + 1);
    await logout(second, { refresh_token: second.refresh_token });
    expect(await list(first)).toHaveLength(length);
    await sql`update users set session_number = session_number + 1 where email = ${ANA.email}`;
    expect(await list(first)).toEqual([]);
    const third = await signIn();
    expect(await list(third)).toHaveLength(1);
  });

  it("shows the device of the sign-in, not that of a renewal, and stores no more of its header (A6, A13)", async () => {
    const user = { email: "device@example.com", password: "device-password" };
    await addUser(user);
    const agent = (name: string) => ({ "User-Agent": name });
    const signedIn = await post("/auth/login", user, agent(`${CHROME_ON_ANDROID} secret-model/1`));
    const { refresh_token } = await signedIn.json<Tokens>();
    const answer = await post(
      "/auth/refresh",
      { refresh_token },
      agent("Mozilla/5.0 (X11; Linux) Firefox/145.0"),
    );
    const renewed = await answer.json<Tokens>();
    expect((await list(renewed)).map(({ device }) => device)).toEqual(["Chrome no Android"]);
    const [row] = await sql`select identity from users where email = ${user.email}`;
    const stored = await runInDurableObject(
      env.SESSIONS.getByName(`user:${row?.identity}`),
      (_, { storage }) => {
        const [[key, family] = []] = storage.kv.list<object>();
        // As an earlier release stored it.
        storage.kv.put(key ?? "", { ...family, device: undefined });
        return JSON.stringify(family);
      },
    );
    expect(stored).toContain("Chrome no Android");
    expect(stored).not.toMatch(/Mozilla|Linux|secret-model|Firefox/);
    expect((await list(renewed)).map(({ device }) => device)).toEqual([null]);
  });

  it("needs an access token; an agent token is refused (A13, A10)", async () => {
    for (const token of [undefined, await makeAgentToken(ANA.email)]) {
      const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const response = await send("/auth/sessions", { headers });
      await expectError(response, 401, "Unauthorized", /POST \/auth\/refresh/);
    }
  });
});

describe("POST /auth/logout", () => {
  it("with `session` ends that session, and its access token lives on (A13)", async () => {
    const [own, lost] = [await signIn(), await signIn()];
    const id = (await list(lost)).find(({ current }) => current)?.id;
    expect((await logout(own, { session: id })).status).toBe(200);
    expect((await renew(lost)).status).toBe(401);
    expect((await send("/auth/me", { headers: authorization(lost) })).status).toBe(200);
    expect((await renew(own)).status).toBe(200);
  });

  it("with `all` ends every session of the user, of this kind and of browsers, and none of others (A13)", async () => {
    const [one, two, other] = [await signIn(), await signIn(), await signIn(BIA)];
    const { cookie } = await ask("login", undefined, ANA);
    expect((await logout(one, { all: true })).status).toBe(200);
    for (const ended of [one, two]) expect((await renew(ended)).status).toBe(401);
    expect((await refresh(cookie)).status).toBe(401);
    expect(await list(one)).toEqual([]);
    expect((await renew(other)).status).toBe(200);
  });

  it("changes nothing for an id that is unknown, malformed or of another user (A13)", async () => {
    const [own, other] = [await signIn(), await signIn(BIA)];
    const foreign = (await list(other)).find(({ current }) => current)?.id ?? "";
    for (const session of [foreign, "0".repeat(32), foreign.toUpperCase(), "x", "\u0000", "x".repeat(3000)])
      expect((await logout(own, { session })).status).toBe(200);
    expect((await renew(other)).status).toBe(200);
    expect((await renew(own)).status).toBe(200);
  });

  it("refuses more than one of its fields, and wrong types (A13)", async () => {
    const own = await signIn();
    const { refresh_token } = own;
    const [session] = (await list(own)).map(({ id }) => id);
    for (const body of [
      { refresh_token, session },
      { refresh_token, all: true },
      { session, all: true },
      { refresh_token, session, all: true },
    ])
      await expectError(await logout(own, body), 400, "Bad Request", /only one of/);
    for (const body of [{ all: false }, { all: "true" }, { all: null }, { all: 1 }])
      await expectError(await logout(own, body), 400, "Bad Request", /`all` must be true/);
    for (const body of [{ session: 1 }, { session: "" }, { session: null }, { session: [session] }])
      await expectError(await logout(own, body), 400, "Bad Request", /`session` must/);
    expect((await renew(own)).status).toBe(200);
  });

  it("ends a session in a race with its renewal, whichever comes first (A8, A13)", async () => {
    const own = await signIn();
    for (let round = 0; round < 10; round += 1) {
      const session = await signIn();
      const id = (await list(session)).find(({ current }) => current)?.id;
      const [renewal] = await Promise.all([renew(session), logout(own, { session: id })]);
      if (renewal.status === 200) expect((await renew(await renewal.json<Tokens>())).status).toBe(401);
      expect((await renew(session)).status).toBe(401);
    }
  });
});
