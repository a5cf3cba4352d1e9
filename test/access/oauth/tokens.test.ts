// @module-tag server
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { cheapHash } from "../../support/cheap-hash.ts";
import {
  addUser,
  authorization,
  breakDatabase,
  databaseRequests,
  mendDatabase,
  post,
  send,
  sql,
  type Tokens,
} from "../../support/worker/api.ts";
import { logged } from "../../support/worker/captured-logs.ts";
import { createClient, DEPLOYED_QUOTAS, interceptObjects } from "../../support/worker/client.ts";
import { wait } from "../../support/worker/clock.ts";
import {
  challengeOf,
  createOAuth,
  expectOAuthError,
  hostClient,
  type OAuthTokens,
  ORIGIN,
  REDIRECT,
  RESOURCE,
  requestQuery,
  VERIFIER,
} from "../../support/worker/oauth.ts";

const oauth = createOAuth();
const { codeFor, redeem, renew, form, token } = oauth;
const DAY = 86_400_000;
const USER = { email: "tokens@example.com", password: "tokens-password" };
const LIST_TOOLS = { jsonrpc: "2.0", id: 1, method: "tools/list" };
let client = "";

beforeAll(async () => {
  await addUser(USER);
  client = await hostClient();
});
afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

const connect = async (user: Record<string, unknown> = USER, at = client): Promise<OAuthTokens> => {
  const response = await redeem(at, await codeFor(at, user));
  expect(response.status).toBe(200);
  return response.json();
};
const renewed = async (refresh_token: string, at = client): Promise<OAuthTokens> => {
  const response = await renew(at, refresh_token);
  expect(response.status).toBe(200);
  return response.json();
};
const expectEnded = async (refresh_token: string) =>
  expectOAuthError(await renew(client, refresh_token), "invalid_grant");
/** The object of a user's sessions, and what it stores. */
const sessionsOf = async (email: string) => {
  const [user] = await sql`select identity from users where email = ${email}`;
  const store = env.SESSIONS.getByName(`user:${user?.identity}`) as DurableObjectStub;
  const stored = () => runInDurableObject(store, (_, { storage }) => JSON.stringify([...storage.kv.list()]));
  return { store, stored };
};
const callMcp = (bearer: string) =>
  createClient().post("/mcp", LIST_TOOLS, {
    Authorization: `Bearer ${bearer}`,
    Accept: "application/json, text/event-stream",
  });

describe("POST /oauth/token with a code", () => {
  it("returns tokens for /mcp, which no other path accepts (A14, RFC 9068)", async () => {
    const response = await redeem(client, await codeFor(client, USER), { resource: RESOURCE });
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Pragma")).toBe("no-cache");
    const tokens = await response.json<OAuthTokens>();
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 900 });
    const claims = decodeJwt(tokens.access_token);
    expect(claims).toMatchObject({ aud: RESOURCE, iss: ORIGIN, client_id: client });
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900);
    const names = "aud client_id exp iat iss jti rights sid sub uid";
    expect(Object.keys(claims).sort().join(" ")).toBe(names);
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    const headers = authorization(tokens as Tokens);
    // The second round meets the cache that /mcp filled.
    for (const _ of [1, 2])
      for (const path of ["/v1/frescor", "/auth/me", "/auth/sessions", "/openapi.yaml", "/docs", "/mcp/"])
        expect((await send(path, { headers })).status, path).toBe(path === "/mcp/" ? 404 : 401);
    expect((await post("/auth/logout", {}, headers)).status).toBe(401);
  });

  it("accepts no token of another origin, (A14)", async () => {
    const { access_token } = await connect();
    const { exports } = await import("cloudflare:workers");
    for (const [origin, status] of [
      [ORIGIN, 200],
      ["https://other.test", 401],
    ] as const) {
      const response = await exports.default.fetch(`${origin}/mcp`, {
        method: "POST",
        body: JSON.stringify(LIST_TOOLS),
        headers: {
          Authorization: `Bearer ${access_token}`,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
      });
      expect(response.status).toBe(status);
    }
  });

  it("returns tokens that do not name the user, with and without personal data, also renewed (A4, A14)", async () => {
    for (const without_personal_data of [true, false]) {
      const tokens = await connect({ ...USER, without_personal_data });
      for (const { access_token } of [tokens, await renewed(tokens.refresh_token)]) {
        expect(decodeJwt(access_token)).not.toHaveProperty("email");
        expect(decodeJwt(access_token)).not.toHaveProperty("name");
        expect((await callMcp(access_token)).status).toBe(200);
      }
    }
  });

  it("takes the resource's scheme and host in any case, and its path in one (A14, RFC 8707)", async () => {
    for (const [resource, status] of [
      ["HTTPS://API.TEST/mcp", 200],
      ["https://Api.test/mcp", 200],
      [`${ORIGIN}/Mcp`, 400],
      [`${RESOURCE}/`, 400],
      [`${ORIGIN}:443/mcp`, 400],
    ] as const) {
      const code = await codeFor(client, USER, status === 200 ? { resource } : {});
      const response = await redeem(client, code, { resource });
      expect(response.status, resource).toBe(status);
      if (status === 400) continue;
      const tokens = await response.json<OAuthTokens>();
      expect(decodeJwt(tokens.access_token).aud).toBe(RESOURCE);
      expect((await renew(client, tokens.refresh_token, { resource })).status).toBe(200);
    }
  });

  it("gives tokens to one of 60 parallel requests, and the replays end its session (A14)", async () => {
    const code = await codeFor(client, USER);
    const responses = await Promise.all(Array.from({ length: 60 }, () => redeem(client, code)));
    const winners = responses.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const loser of responses.filter(({ status }) => status !== 200))
      await expectOAuthError(loser, "invalid_grant");
    await expectEnded((await (winners[0] as Response).json<OAuthTokens>()).refresh_token);
  });

  it("a second use ends the session of the first, also renewed and days later (A14)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const code = await codeFor(client, USER);
    const first = await (await redeem(client, code)).json<OAuthTokens>();
    const next = await renewed(first.refresh_token);
    wait(6 * DAY);
    await expectOAuthError(await redeem(client, code, { code_verifier: "x".repeat(43) }), "invalid_grant");
    await expectEnded(next.refresh_token);
  });

  it("a replay while the first use is under way leaves no session (A14)", async () => {
    const code = await codeFor(client, USER);
    const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
      if (method === "open") await expectOAuthError(await redeem(client, code), "invalid_grant");
      return call();
    });
    const slow = await (await createOAuth({ SESSIONS }).redeem(client, code)).json<OAuthTokens>();
    await expectEnded(slow.refresh_token);
  });

  it("stays used when the alarm of its object runs (A14)", async () => {
    const user = { email: "alarm@example.com", password: "alarm-password" };
    await addUser(user);
    const code = await codeFor(client, user);
    await redeem(client, code, { code_verifier: "" });
    const { store, stored } = await sessionsOf(user.email);
    expect(await runDurableObjectAlarm(store)).toBe(true);
    await expectOAuthError(await redeem(client, code), "invalid_grant");
    vi.useFakeTimers({ toFake: ["Date"] });
    wait(71_000);
    await runDurableObjectAlarm(store);
    expect(await stored()).toBe("[]");
  });

  it("works within 60 seconds and not later (A14)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const [early, late] = [await codeFor(client, USER), await codeFor(client, USER)];
    wait(59_000);
    expect((await redeem(client, early)).status).toBe(200);
    wait(1001);
    await expectOAuthError(await redeem(client, late), "invalid_grant");
  });

  it("is used up by any attempt, however wrong (A14)", async () => {
    const other = await hostClient();
    const attempts: [Record<string, string>, error: string][] = [
      [{ code_verifier: `${VERIFIER}x` }, "invalid_grant"],
      [{ code_verifier: await challengeOf(VERIFIER) }, "invalid_grant"],
      [{ code_verifier: "short" }, "invalid_grant"],
      [{ code_verifier: "" }, "invalid_request"],
      [{ client_id: other }, "invalid_grant"],
      [{ client_id: "" }, "invalid_request"],
      [{ redirect_uri: `${REDIRECT}/` }, "invalid_grant"],
      [{ redirect_uri: "" }, "invalid_request"],
      [{ resource: "https://evil.test/mcp" }, "invalid_target"],
    ];
    for (const [changes, error] of attempts) {
      const code = await codeFor(client, USER);
      await expectOAuthError(await redeem(client, code, changes), error);
      await expectOAuthError(await redeem(client, code), "invalid_grant");
    }
  });

  it("is used up by a form with a repeated field (A14)", async () => {
    const code = await codeFor(client, USER);
    const fields = Object.entries({ grant_type: "authorization_code", code, client_id: client });
    await expectOAuthError(await form("/oauth/token", [...fields, ["client_id", client]]), "invalid_request");
    await expectOAuthError(await redeem(client, code), "invalid_grant");
  });

  it("is bound to its own request: two codes cannot be mixed up (A14)", async () => {
    const other = await hostClient();
    const verifier = "another-verifier-of-another-request-0123456789";
    const [one, two] = [
      await codeFor(client, USER),
      await codeFor(other, USER, { code_challenge: await challengeOf(verifier) }),
    ];
    await expectOAuthError(await redeem(other, one, { code_verifier: verifier }), "invalid_grant");
    await expectOAuthError(await redeem(client, two), "invalid_grant");
  });

  it("is bound to the port of its redirect (A14, RFC 8252)", async () => {
    const local = await hostClient(["http://127.0.0.1/cb"]);
    const redirect_uri = "http://127.0.0.1:5000/cb";
    const code = await codeFor(local, USER, { redirect_uri });
    await expectOAuthError(
      await redeem(local, code, { redirect_uri: "http://127.0.0.1:5001/cb" }),
      "invalid_grant",
    );
    expect((await redeem(local, await codeFor(local, USER, { redirect_uri }), { redirect_uri })).status).toBe(
      200,
    );
  });

  it("asks no object or database for a code that cannot be one (A14)", async () => {
    const calls: string[] = [];
    const SESSIONS = interceptObjects(env.SESSIONS, (call, method) => {
      calls.push(method);
      return call();
    });
    const watched = createOAuth({ SESSIONS });
    const { access_token } = await connect();
    const code = await codeFor(client, USER);
    const [header, payload, signature] = code.split(".");
    const altered = `${header}.${payload?.replace(/^../, "AA")}.${signature}`;
    await mendDatabase();
    for (const no of ["x", "A".repeat(43), "é", "\u0000", "a.b.c", access_token, altered, `${code}=`])
      await expectOAuthError(await watched.redeem(client, no), "invalid_grant");
    expect(calls).toEqual([]);
    await expectOAuthError(await watched.redeem(client, code, { code_verifier: "short" }), "invalid_grant");
    expect(calls).toEqual(["redeem"]);
    expect(await databaseRequests()).toBe(0);
  });

  it("ends with the user's sessions: a new password or disabling between approval and exchange (A9, A14)", async () => {
    const user = { email: "changed@example.com", password: "changed-password" };
    await addUser(user);
    for (const change of [
      () => sql`update users set session_number = session_number + 1 where email = ${user.email}`,
      () => sql`update users set password_hash = ${cheapHash(user.password)} where email = ${user.email}`,
      () => sql`update users set ativo = false where email = ${user.email}`,
    ]) {
      const code = await codeFor(client, user);
      await change();
      await expectOAuthError(await redeem(client, code), "invalid_grant");
    }
  });

  it("answers 503 in its own shape if a store fails, and counts in the auth quota (A14, E2, E3)", async () => {
    const code = await codeFor(client, USER);
    await breakDatabase({ kind: "refuse" });
    const response = await redeem(client, code);
    expect(response.headers.get("Retry-After")).toBe("2");
    await expectOAuthError(response, "temporarily_unavailable", 503);
    await mendDatabase();
    const SESSIONS = interceptObjects(env.SESSIONS, () => Promise.reject(new Error("reset")));
    const broken = createOAuth({ SESSIONS });
    await expectOAuthError(await broken.redeem(client, code), "temporarily_unavailable", 503);
  });

  it("finds its own attempt if the reply of the object was lost (A14)", async () => {
    const calls: string[] = [];
    const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
      const reply = await call();
      if (calls.push(method) === 1) throw new Error("reply lost");
      return reply;
    });
    const code = await codeFor(client, USER);
    const unlucky = createOAuth({ SESSIONS });
    expect((await unlucky.redeem(client, code)).status).toBe(200);
    expect(calls).toEqual(["redeem", "redeem", "open"]);
  });
});

describe("POST /oauth/token with a refresh token", () => {
  it("renews for the client it belongs to, and for no other (A12, A14)", async () => {
    const { refresh_token } = await connect();
    const other = await hostClient();
    await expectOAuthError(await renew(other, refresh_token), "invalid_grant");
    await expectOAuthError(await renew("", refresh_token), "invalid_request");
    await expectOAuthError(
      await renew(client, refresh_token, { resource: "https://evil.test/mcp" }),
      "invalid_target",
    );
    const next = await renewed(refresh_token);
    expect((await callMcp(next.access_token)).status).toBe(200);
  });

  it("counts for its session, and a code exchange for the address (A14, E3)", async () => {
    const few = createOAuth(DEPLOYED_QUOTAS);
    const code = await few.codeFor(client, USER);
    let { refresh_token } = await (await few.redeem(client, code)).json<OAuthTokens>();
    for (let i = 0; i < 20; i += 1) {
      const response = await few.renew(client, refresh_token);
      expect(response.headers.get("RateLimit-Policy")).toContain('"auth";q=20');
      expect(response.status).toBe(200);
      ({ refresh_token } = await response.json<OAuthTokens>());
    }
    await expectOAuthError(await few.renew(client, refresh_token), "temporarily_unavailable", 429);
    // A genuine refresh token does not lend its quota to a code exchange.
    for (let i = 0; i < 18; i += 1)
      await expectOAuthError(await few.redeem(client, "A".repeat(43), { refresh_token }), "invalid_grant");
    await expectOAuthError(
      await few.redeem(client, "A".repeat(43), { refresh_token }),
      "temporarily_unavailable",
      429,
    );
  });
});

describe("the form", () => {
  it("is refused in RFC 6749's shape (A14)", async () => {
    await expectOAuthError(await token({}), "invalid_request");
    await expectOAuthError(await token({ grant_type: "" }), "invalid_request");
    for (const grant_type of ["password", "client_credentials", "__proto__", "constructor", "implicit"])
      await expectOAuthError(await token({ grant_type }), "unsupported_grant_type");
    for (const path of ["/oauth/token", "/oauth/revoke"]) {
      await expectOAuthError(await oauth.post(path, { grant_type: "authorization_code" }), "invalid_request");
      await expectOAuthError(
        await form(path, [
          ["grant_type", "refresh_token"],
          ["grant_type", "refresh_token"],
        ]),
        "invalid_request",
      );
      await expectOAuthError(await form(path, { token: "x".repeat(5000) }), "invalid_request", 413);
      await expectOAuthError(await oauth.send(path), "invalid_request", 405);
      const preflight = await oauth.send(path, {
        method: "OPTIONS",
        headers: { Origin: "https://a.test", "Access-Control-Request-Method": "POST" },
      });
      expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
    }
  });
});

describe("POST /oauth/revoke", () => {
  const revoke = (fields: Record<string, string>) => form("/oauth/revoke", fields);

  it("ends the session of a refresh token of its client, live or used (A14, RFC 7009)", async () => {
    const [one, used] = [await connect(), await connect()];
    const next = await renewed(used.refresh_token);
    for (const revoked of [one.refresh_token, used.refresh_token]) {
      const response = await revoke({ token: revoked, client_id: client, token_type_hint: "nonsense" });
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
    for (const ended of [one, next]) await expectEnded(ended.refresh_token);
  });

  it("refuses an access token, expired or not, as unsupported_token_type, and its session continues (A14, RFC 7009)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const tokens = await connect();
    const api = await (await post("/auth/login", USER)).json<Tokens>();
    const other = await hostClient();
    const expectUnsupported = async () => {
      for (const fields of [
        { token: tokens.access_token, client_id: client },
        { token: tokens.access_token, client_id: client, token_type_hint: "access_token" },
        { token: tokens.access_token, client_id: client, token_type_hint: "refresh_token" },
        { token: tokens.access_token, client_id: other },
        { token: api.access_token, client_id: client },
      ]) {
        const response = await revoke(fields);
        expect((await response.clone().json<{ message: string }>()).message).toMatch(
          /^An access token cannot be revoked\. .*refresh token/,
        );
        await expectOAuthError(response, "unsupported_token_type");
      }
    };
    await expectUnsupported();
    expect((await callMcp(tokens.access_token)).status).toBe(200);
    wait(901_000);
    expect((await callMcp(tokens.access_token)).status).toBe(401);
    await expectUnsupported();
    await renewed(tokens.refresh_token);
    expect((await post("/auth/refresh", { refresh_token: api.refresh_token })).status).toBe(200);
  });

  it("changes nothing for an unknown token, another client's or another endpoint's (A14)", async () => {
    const tokens = await connect();
    const api = await (await post("/auth/login", USER)).json<Tokens>();
    const other = await hostClient();
    const [header = "", payload = "", signature = ""] = tokens.access_token.split(".");
    const [, foreignPayload = ""] = api.access_token.split(".");
    for (const fields of [
      { token: tokens.refresh_token, client_id: other },
      { token: api.refresh_token, client_id: client },
      { token: "x", client_id: client },
      { token: "x.y.z", client_id: client },
      { token: `agt_${"A".repeat(43)}`, client_id: client },
      // Only the service itself can sign an access token.
      { token: `${header}.${foreignPayload}.${signature}`, client_id: client },
      { token: `${header}.${payload}.`, client_id: client },
      { token: `${header}.${payload}.${signature}=`, client_id: client },
      { token: `${header}.${payload}.${"A".repeat(43)}`, client_id: client },
      { token: `${btoa('{"alg":"none"}').replaceAll("=", "")}.${payload}.x`, client_id: client },
    ])
      expect((await revoke(fields)).status, fields.token).toBe(200);
    await expectOAuthError(await revoke({ token: tokens.refresh_token }), "invalid_request");
    await expectOAuthError(await revoke({ client_id: client }), "invalid_request");
    await renewed(tokens.refresh_token);
    expect((await post("/auth/refresh", { refresh_token: api.refresh_token })).status).toBe(200);
  });
});

describe("the session of an OAuth client", () => {
  it("is listed with the client's host and the device of its approval, and ends there (A13, A14)", async () => {
    const user = { email: "listed@example.com", password: "listed-password" };
    await addUser(user);
    const approval = await oauth.approve(await requestQuery(client), user, {
      Origin: ORIGIN,
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    });
    const { redirect_to } = await approval.json<{ redirect_to: string }>();
    const tokens = await redeem(client, new URL(redirect_to).searchParams.get("code") ?? "");
    const { refresh_token } = await tokens.json<OAuthTokens>();
    const api = await (await post("/auth/login", user)).json<Tokens>();
    const list = await (await send("/auth/sessions", { headers: authorization(api) })).json<{
      data: { id: string; kind: string }[];
    }>();
    const session = list.data.find(({ kind }) => kind === "oauth");
    expect(session).toMatchObject({
      client: "claude.ai",
      device: "Firefox no Linux",
      current: false,
    });
    await post("/auth/logout", { session: session?.id }, authorization(api));
    await expectEnded(refresh_token);
  });

  it("is one of at most 20, which push out no other kind (A7, A14)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const user = { email: "twenty@example.com", password: "twenty-password" };
    await addUser(user);
    const api = await (await post("/auth/login", user)).json<Tokens>();
    const sessions: OAuthTokens[] = [];
    for (let i = 0; i < 21; i += 1) {
      wait(1000);
      sessions.push(await connect(user));
    }
    await expectEnded(sessions[0]?.refresh_token ?? "");
    await renewed(sessions[1]?.refresh_token ?? "");
    for (let i = 0; i < 49; i += 1) {
      wait(1000);
      await post("/auth/login", user);
    }
    await renewed(sessions[20]?.refresh_token ?? "");
    expect((await post("/auth/refresh", { refresh_token: api.refresh_token })).status).toBe(200);
  });

  it("without personal data stays without it through renewals; a token never has more than its user (A11, A14)", async () => {
    const user = { email: "limited-oauth@example.com", password: "limited-password" };
    await sql`insert into users (email, name, password_hash, units, payments)
      values (${user.email}, 'R', ${cheapHash(user.password)}, array['101'], false)`;
    const rightsIn = ({ access_token }: OAuthTokens) => decodeJwt(access_token).rights;
    const own = { units: ["101"], personalData: true, payments: false };
    const limited = await connect({ ...user, without_personal_data: true });
    expect(rightsIn(limited)).toEqual({ ...own, personalData: false });
    expect(rightsIn(await renewed(limited.refresh_token))).toEqual({ ...own, personalData: false });
    const full = await connect({ ...user, without_personal_data: false });
    expect(rightsIn(full)).toEqual(own);
    await sql`update users set personal_data = false where email = ${user.email}`;
    const auditor = await connect({ ...user, without_personal_data: false });
    expect(rightsIn(auditor)).toEqual({ ...own, personalData: false });
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "listPagamentosErp", arguments: {} },
    };
    const answer = await createClient().post("/mcp", call, {
      ...authorization(full as Tokens),
      Accept: "application/json, text/event-stream",
    });
    expect(await answer.text()).toMatch(/isError":true/);
  });
});

describe("secrets", () => {
  it("are in no stored value, object name, hint or log line: codes, verifiers, tokens (A14, E9)", async () => {
    const code = await codeFor(client, USER);
    const tokens = await (await redeem(client, code)).json<OAuthTokens>();
    const next = await renewed(tokens.refresh_token);
    await expectOAuthError(await redeem(client, code), "invalid_grant");
    const stored = await (await sessionsOf(USER.email)).stored();
    const { keys } = await env.HINTS.list();
    const everything = [stored, JSON.stringify(keys), logged.join("\n")].join("\n");
    for (const secret of [
      code,
      VERIFIER,
      tokens.access_token,
      tokens.refresh_token,
      next.refresh_token,
      next.access_token,
    ])
      expect(everything).not.toContain(secret);
    expect(stored).toContain(client);
  });
});
