// @module-tag server
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Context } from "hono";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { hashAgentToken, newAgentToken } from "../../../src/access/auth/agent-token.ts";
import { callerOfAgent, clearAgentCaches } from "../../../src/access/auth/agents.ts";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import type { AppEnv } from "../../../src/core/context.ts";
import { settingsOf } from "../../../src/core/settings.ts";
import { openDatabase } from "../../../src/platform/db/connect.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import {
  breakDatabase,
  expectError,
  get,
  makeAgentToken,
  mendDatabase,
  post,
  send,
  sql,
  statements,
} from "../../support/worker/api.ts";
import { logged } from "../../support/worker/captured-logs.ts";
import {
  countByStatus,
  createClient,
  DEPLOYED_QUOTAS,
  inParallel,
  remainingIn,
} from "../../support/worker/client.ts";
import { stopClock, wait } from "../../support/worker/clock.ts";

const MINUTE = 60_000;
const ROW = 70_101;
const PERSON = { email: "agent-token@example.com", password: "a-person's-password" };
const PATH = "/v1/lancamentos?per_page=1";

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Sends a request with the token. */
const ask = (token: string, path = PATH, init: RequestInit = {}) =>
  send(path, { ...init, headers: { ...bearer(token), ...(init.headers as Record<string, string>) } });

/** The number of token lookups in the database since `mendDatabase()`. */
const countLookups = async () =>
  (await statements()).filter(({ query }) => query.includes("agent_account")).length;

/** The part of a request's context that a lookup uses. */
const createContext = (deadline = Date.now() + MINUTE) => {
  const db = openDatabase(settingsOf(env).DATABASE_URL, { deadline, recordDuration: () => undefined });
  return { var: { deadline, db }, executionCtx: createExecutionContext() } as unknown as Context<AppEnv>;
};

const expectEnded = async (response: Response) => {
  expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api", error="invalid_token"');
  await expectError(
    response,
    401,
    "Unauthorized",
    /^The agent token is invalid, expired or revoked\..* POST \/auth\/refresh/,
  );
};

/** Creates the user, or another one in the same row. */
const createUser = async () => {
  await sql`delete from users where id = ${ROW}`;
  await sql`insert into users (id, email, name, password_hash)
    values (${ROW}, ${PERSON.email}, 'Agent', ${cheapHash(PERSON.password)})`;
};
let token: string;

beforeAll(async () => {
  // Sends the driver's and the demo user's first requests before statements are counted.
  await get(PATH);
});
beforeEach(async () => {
  await createUser();
  token = await makeAgentToken(PERSON.email);
  clearAgentCaches();
  await mendDatabase();
});
afterEach(async () => {
  vi.useRealTimers();
  clearTallies();
  clearAgentCaches();
  await mendDatabase();
});

describe("an agent token (A10)", () => {
  it("reads what its user can read, with the same ETags (A10, E6)", async () => {
    const [mine, theirs] = [await ask(token), await get(PATH)];
    expect(mine.status).toBe(200);
    expect(mine.headers.get("ETag")).toBe(theirs.headers.get("ETag"));
    expect(await mine.text()).toBe(await theirs.text());
    const again = await ask(token, PATH, { headers: { "If-None-Match": mine.headers.get("ETag") ?? "" } });
    expect(again.status).toBe(304);
    expect((await ask(token, PATH, { method: "HEAD" })).status).toBe(200);
    await expectError(await ask(token, "/v1/lancamentos/x"), 404, "Not Found", /No record/);
    await expectError(await ask(token, "/v1/lancamentos?per_page=0"), 400, "Bad Request", /per_page/);
  });

  it("shares its user's quota with access tokens (E3)", async () => {
    const { access_token } = await (await post("/auth/login", PERSON)).json<{ access_token: string }>();
    const invalid = `${PATH}?per_page=0`;
    const first = remainingIn(await ask(token, invalid));
    expect(remainingIn(await ask(access_token))).toBe(first - 1);
    expect(remainingIn(await ask(token))).toBe(first - 2);
    const mcp = await ask(token, "/mcp", { method: "POST", body: "{}" });
    expect(remainingIn(mcp)).toBe(first - 3);
  });

  it.each([
    ["GET", "/auth/me"],
    ["POST", "/auth/logout"],
    ["GET", "/openapi.yaml"],
    ["GET", "/docs"],
  ])(
    "is rejected by %s %s with a 401 that says where it is valid, and without a statement (A3, A10)",
    async (method, path) => {
      expect((await ask(token)).status).toBe(200);
      await mendDatabase();
      const response = await ask(token, path, { method });
      expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api", error="invalid_token"');
      await expectError(
        response,
        401,
        "Unauthorized",
        /^An agent token is valid only for GET \/v1\/… and POST \/mcp\..* POST \/auth\/refresh/,
      );
      expect(await statements()).toEqual([]);
    },
  );

  it.each([
    ["POST", "/v1/lancamentos", 405],
    ["DELETE", "/v1/lancamentos/1", 405],
    ["GET", "/llms.txt", 200],
    ["GET", "/nothing", 404],
    ["GET", "/v1", 404],
    ["GET", "/V1/lancamentos", 404],
  ])("is not looked up for %s %s (A10)", async (method, path, status) => {
    expect((await ask(token, path, { method })).status).toBe(status);
    expect(await statements()).toEqual([]);
  });

  it("is read only from the Authorization header, with the scheme in any case (A3)", async () => {
    for (const value of [`bearer ${token}`, `BEARER   ${token}`])
      expect((await send(PATH, { headers: { Authorization: value } })).status).toBe(200);
    for (const query of ["access_token", "token", "Authorization"]) {
      const response = await send(`${PATH}&${query}=${token}`);
      expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
      expect(response.status).toBe(401);
    }
    const twice = new Headers();
    for (const value of [`Bearer ${token}`, `Bearer ${token}`]) twice.append("Authorization", value);
    expect((await send(PATH, { headers: twice })).status).toBe(401);
    expect((await send(PATH, { headers: { Authorization: `Basic ${token}` } })).status).toBe(401);
  });

  it("is rejected with 401 if any character is changed (A10)", async () => {
    const changed = Array.from(token, (character, at) => {
      const other = character === "A" ? "E" : "A";
      return token.slice(0, at) + other + token.slice(at + 1);
    });
    const responses = await Promise.all(changed.map((one) => ask(one)));
    expect(countByStatus(responses)).toEqual({ 401: token.length });
    expect((await ask(token)).status).toBe(200);
  });

  it("leaves the number of its user in the log (E9)", async () => {
    logged.splice(0);
    await ask(token, PATH, { headers: { "X-Request-Id": "agent-1" } });
    expect(JSON.parse(logged[0] ?? "{}")).toMatchObject({ request: "agent-1", user: ROW, status: 200 });
    for (const line of logged) expect(line).not.toContain(await hashAgentToken(token));
  });
});

describe("an agent token ends (A10)", () => {
  const ENDS: [what: string, end: () => Promise<unknown>][] = [
    ["revoke-token", async () => sql`delete from agent_tokens where hash = ${await hashAgentToken(token)}`],
    ["sign-out", () => sql`update users set session_number = session_number + 1 where id = ${ROW}`],
    ["disable", () => sql`update users set ativo = false where id = ${ROW}`],
    [
      "disable and enable",
      () =>
        sql.transaction([
          sql`update users set ativo = false where id = ${ROW}`,
          sql`update users set ativo = true where id = ${ROW}`,
        ]),
    ],
    ["remove", () => sql`delete from users where id = ${ROW}`],
    ["a new password", () => sql`update users set password_hash = ${cheapHash("another")} where id = ${ROW}`],
  ];

  it.each(ENDS)("within a minute of %s where it is cached, and at once elsewhere (A10)", async (_, end) => {
    stopClock();
    expect((await ask(token)).status).toBe(200);
    await end();
    // Also if it is in use.
    for (const ms of [30_000, 29_999]) {
      wait(ms);
      await ask(token);
    }
    wait(1);
    await expectEnded(await ask(token));
    clearAgentCaches();
    await expectEnded(await ask(token));
  });

  it("exactly at its expiry, cached or not (A10)", async () => {
    const rows =
      await sql`select ceil(extract(epoch from expires_at) * 1000) as at from agent_tokens where hash = ${await hashAgentToken(token)}`;
    const end = Number(rows[0]?.at);
    vi.useFakeTimers({ toFake: ["Date"], now: end - 30_000 });
    expect((await ask(token)).status).toBe(200);
    vi.setSystemTime(end - 2);
    expect((await ask(token)).status).toBe(200);
    vi.setSystemTime(end);
    await expectEnded(await ask(token));
    clearAgentCaches();
    await expectEnded(await ask(token));
  });

  it("at its expiry by the clock of the database (A10)", async () => {
    await sql`update agent_tokens set created_at = now() - interval '2 days', expires_at = now() where hash = ${await hashAgentToken(token)}`;
    await expectEnded(await ask(token));
  });

  it("without ending other tokens of the same user (A10)", async () => {
    const other = await makeAgentToken(PERSON.email);
    await sql`delete from agent_tokens where hash = ${await hashAgentToken(token)}`;
    await expectEnded(await ask(token));
    expect((await ask(other)).status).toBe(200);
  });

  it("with its user, even if another user gets the same row later (A10)", async () => {
    await createUser();
    await expectEnded(await ask(token));
  });

  it("even if the clock jumps back an hour (A10)", async () => {
    stopClock();
    expect((await ask(token)).status).toBe(200);
    await sql`delete from agent_tokens`;
    wait(-60 * MINUTE);
    await expectEnded(await ask(token));
  });
});

describe("the lookup of an agent token (A10, E11)", () => {
  it("happens once a minute, for a request that then counts for its address too; with a cached token a request counts only for its user (E3)", async () => {
    stopClock();
    const { send: from, address } = createClient(DEPLOYED_QUOTAS);
    const elsewhere = createClient(DEPLOYED_QUOTAS, address);
    expect((await from(PATH, { headers: bearer(token) })).status).toBe(200);
    for (let i = 0; i < 5; i += 1) expect((await from(PATH, { headers: bearer(token) })).status).toBe(200);
    expect(await countLookups()).toBe(1);
    // One for the lookup and one for this request.
    expect(remainingIn(await elsewhere.send("/nothing"))).toBe(498);
    wait(MINUTE);
    expect((await from(PATH, { headers: bearer(token) })).status).toBe(200);
    expect(await countLookups()).toBe(2);
    expect(remainingIn(await elsewhere.send("/nothing"))).toBe(496);
  });

  it("happens once a minute for an unknown token, whose every request counts once for its address (A10)", async () => {
    stopClock();
    const { send: from } = createClient(DEPLOYED_QUOTAS);
    const unknown = { headers: bearer(newAgentToken()) };
    const first = await from(PATH, unknown);
    expect(remainingIn(first)).toBe(499);
    await expectEnded(first);
    expect(remainingIn(await from(PATH, unknown))).toBe(498);
    wait(MINUTE - 1);
    expect(remainingIn(await from(PATH, unknown))).toBe(497);
    expect(await countLookups()).toBe(1);
    expect(await statements()).toHaveLength(1);
    wait(1);
    expect(remainingIn(await from(PATH, unknown))).toBe(496);
    expect(await countLookups()).toBe(2);
  });

  it("does not happen for an address out of quota, where a cached token still works (E11)", async () => {
    const { send: from, address } = createClient({ RATE_LIMIT_GLOBAL: 3 });
    const nonsense = () => from(PATH, { headers: bearer(newAgentToken()) });
    expect(countByStatus(await inParallel(20, nonsense))).toEqual({ 401: 3, 429: 17 });
    const refused = await nonsense();
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    await expectError(refused, 429, "Too Many Requests", /^Too many requests\. Wait \d+ seconds/);
    // A valid token that is not cached is refused too: only the database can tell that it is valid.
    expect((await from(PATH, { headers: bearer(token) })).status).toBe(429);
    expect(await countLookups()).toBe(3);
    expect(await statements()).toHaveLength(3);
    await createClient().send(PATH, { headers: bearer(token) });
    expect((await createClient({}, address).send(PATH, { headers: bearer(token) })).status).toBe(200);
  });

  it.each([
    ["only the prefix", () => "agt_"],
    ["one character too few", () => token.slice(0, -1)],
    ["padding", () => `${token}=`],
    ["the standard base64 alphabet", () => `${token.slice(0, 10)}+${token.slice(11)}`],
    ["trailing bits that are not zero", () => `${token.slice(0, -1)}B`],
    ["8 KB", () => `agt_${"A".repeat(8000)}`],
  ])("does not happen for %s, which gets 401 and counts for the address (A10)", async (_, make) => {
    const { send: from } = createClient(DEPLOYED_QUOTAS);
    const response = await from(PATH, { headers: bearer(make()) });
    expect(remainingIn(response)).toBe(499);
    await expectEnded(response);
    expect(await statements()).toEqual([]);
  });

  it.each([["AGT_"], ["agt-"], ["xagt_"]])(
    "does not happen for a token that begins with %s, which is rejected with 401 as an invalid access token (A10)",
    async (prefix) => {
      const response = await ask(prefix + token.slice(4));
      await expectError(response, 401, "Unauthorized", /^The access token is invalid/);
      expect(await statements()).toEqual([]);
    },
  );

  it("counts once for the address if thirty parallel requests share a valid token, and each request counts for the user (E3, E11, A10)", async () => {
    // A user without permits that other tests reserved, because those may be returned during this test.
    await sql`insert into users (email, name, password_hash) values ('crowd@example.com', 'Crowd', 'x')
      on conflict do nothing`;
    const headers = bearer(await makeAgentToken("crowd@example.com"));
    const { send: from, address } = createClient(DEPLOYED_QUOTAS);
    const first = remainingIn(await from(`${PATH}?per_page=0`, { headers }));
    clearAgentCaches();
    await mendDatabase();
    const responses = await inParallel(30, () => from(PATH, { headers }));
    expect([countByStatus(responses), await countLookups()]).toEqual([{ 200: 30 }, 1]);
    expect(remainingIn(await from(PATH, { headers }))).toBe(first - 31);
    // Two lookups and this request.
    expect(remainingIn(await createClient(DEPLOYED_QUOTAS, address).send("/nothing"))).toBe(497);
  });

  it("counts for the address with each of thirty parallel requests if the token is unknown (E3, A10)", async () => {
    const { send: from } = createClient(DEPLOYED_QUOTAS);
    const unknown = { headers: bearer(newAgentToken()) };
    expect(countByStatus(await inParallel(30, () => from(PATH, unknown)))).toEqual({ 401: 30 });
    expect(remainingIn(await from("/nothing"))).toBe(469);
    expect(await countLookups()).toBe(1);
  });

  it("happens once if the first request is refused, and each waiting request is charged (E11, A10)", async () => {
    const first = Promise.withResolvers<void>();
    const c = createContext();
    let charges = 0;
    const refused = callerOfAgent(c, token, () => first.promise);
    const others = [1, 2, 3].map(() =>
      callerOfAgent(c, token, async () => {
        charges += 1;
      }),
    );
    first.reject(new Error("out of quota"));
    await expect(refused).rejects.toThrow("out of quota");
    expect(await Promise.all(others)).toMatchObject([{ id: ROW }, { id: ROW }, { id: ROW }]);
    expect([charges, await countLookups()]).toEqual([3, 1]);
  });

  it("does not happen if the first request and all that wait for it are out of quota (E11)", async () => {
    const first = Promise.withResolvers<void>();
    const refuse = () => Promise.reject(new Error("out of quota"));
    const all = [() => first.promise, refuse, refuse].map((count) =>
      callerOfAgent(createContext(), token, count),
    );
    first.reject(new Error("out of quota"));
    for (const one of await Promise.allSettled(all)) expect(one.status).toBe("rejected");
    expect(await countLookups()).toBe(0);
  });

  it("gives 503 at its deadline to a request that waits for an abandoned lookup, and starts again for the next one (E2, A10)", async () => {
    // Both requests must start before it.
    const soon = Date.now() + 500;
    const never = () => new Promise<void>(() => undefined);
    const abandoned = callerOfAgent(createContext(soon), token, never).catch(() => undefined);
    const refuseCharge = () => Promise.reject(new Error("charged"));
    await expect(callerOfAgent(createContext(soon), token, refuseCharge)).rejects.toMatchObject({
      status: 503,
    });
    await abandoned;
    expect(await callerOfAgent(createContext(), token, async () => undefined)).toMatchObject({ id: ROW });
  });

  it("gives 503 to all waiting requests and caches nothing if the database fails (E2, A10)", async () => {
    await breakDatabase({ kind: "refuse" });
    const responses = await Promise.all([ask(token), ask(token), ask(newAgentToken())]);
    for (const response of responses) {
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
      await expectError(response, 503, "Service Unavailable", /^The database is unavailable/);
    }
    await mendDatabase();
    expect((await ask(token)).status).toBe(200);
  });

  it("gives 503 within the deadline to all waiting requests if the database hangs (E2)", {
    tags: ["slow"],
  }, async () => {
    await breakDatabase({ kind: "hang" });
    const responses = await Promise.all([ask(token), ask(token)]);
    for (const response of responses)
      await expectError(response, 503, "Service Unavailable", /^The database is unavailable/);
    expect(await countLookups()).toBe(1);
    await mendDatabase();
    expect((await ask(token)).status).toBe(200);
  });

  it("does not lose valid tokens from its cache when many unknown ones are evicted (A10)", async () => {
    stopClock();
    // Calls the lookup directly: a thousand requests would also call a counter a thousand times.
    const c = createContext();
    const lookUp = (one: string) => callerOfAgent(c, one, async () => undefined);
    const first = newAgentToken();
    expect(await lookUp(token)).toMatchObject({ id: ROW });
    await lookUp(first);
    for (let i = 0; i < 20; i += 1) await inParallel(50, () => lookUp(newAgentToken()));
    await mendDatabase();
    expect(await lookUp(token)).toMatchObject({ id: ROW });
    expect(await countLookups()).toBe(0);
    expect(await lookUp(first)).toBeUndefined();
    expect(await countLookups()).toBe(1);
  });
});
