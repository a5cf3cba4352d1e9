// @module-tag server
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { newClientId, newClientSecret } from "../../../src/access/auth/client-secret.ts";
import { clearRegisteredClients } from "../../../src/access/auth/registered-clients.ts";
import {
  addUser,
  authorization,
  breakDatabase,
  databaseRequests,
  expectError,
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
  addSecret,
  basic,
  createOAuth,
  expectOAuthError,
  fetched,
  hostClient,
  type OAuthTokens,
  REDIRECT,
  type RegisteredClient,
  registerClient,
  requestQuery,
  VERIFIER,
} from "../../support/worker/oauth.ts";

const oauth = createOAuth();
const { approve, codeFor, redeem, renew, form, token } = oauth;
const USER = { email: "registered@example.com", password: "registered-password" };
const HTML = { Accept: "text/html" };
/** On no host of the setting, and with a query. */
const ELSEWHERE = "https://oauth.example/callback?tenant=1";
let client: RegisteredClient;

beforeAll(async () => {
  await addUser(USER);
  client = await registerClient([REDIRECT, ELSEWHERE]);
});
afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

/** How a client sends its secret: fields of the form, and headers. */
type Method = ({ id, secret }: RegisteredClient) => [Record<string, string>, Record<string, string>];
const METHODS: [string, Method][] = [
  ["client_secret_basic", ({ id, secret }) => [{ client_id: "" }, basic(id, secret)]],
  ["client_secret_basic with client_id in the form, too,", ({ id, secret }) => [{}, basic(id, secret)]],
  ["client_secret_post", ({ secret }) => [{ client_secret: secret }, {}]],
];
const POST: Method = ({ secret }) => [{ client_secret: secret }, {}];

const connect = async (at = client, method = POST): Promise<OAuthTokens> => {
  const response = await redeem(at.id, await codeFor(at.id, USER), ...method(at));
  expect(response.status, await response.clone().text()).toBe(200);
  return response.json();
};

const REFUSED: [string, Method][] = [
  ["no secret", () => [{}, {}]],
  ["an empty secret", () => [{ client_secret: "" }, {}]],
  ["a wrong secret", () => [{ client_secret: newClientSecret() }, {}]],
  ["the secret with a space", ({ secret }) => [{ client_secret: `${secret} ` }, {}]],
  ["a wrong secret by Basic", ({ id }) => [{}, basic(id, newClientSecret())]],
  ["an empty secret by Basic", ({ id }) => [{}, basic(id, "")]],
  ["two methods at once", ({ id, secret }) => [{ client_secret: secret }, basic(id, secret)]],
  ["an assertion beside the secret", ({ secret }) => [{ client_secret: secret, client_assertion: "x" }, {}]],
  ["Basic of another client", ({ secret }) => [{}, basic(newClientId(), secret)]],
  ["Basic without a colon", ({ secret }) => [{}, { Authorization: `Basic ${btoa(secret)}` }]],
  ["Basic that is no base64", () => [{}, { Authorization: "Basic ***" }]],
  ["Basic with a broken escape", ({ id }) => [{}, { Authorization: `Basic ${btoa(`${id}:%zz`)}` }]],
  ["the hash of the secret", () => [{ client_secret: "0".repeat(64) }, {}]],
];

describe("a client that an operator registered", () => {
  it.each(METHODS)(
    "by %s gets tokens, renews them and revokes them (A14, RFC 6749, RFC 7009)",
    async (_, method) => {
      const tokens = await connect(client, method);
      expect(decodeJwt(tokens.access_token).client_id).toBe(client.id);
      const call = await createClient().post(
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { ...authorization(tokens as Tokens), Accept: "application/json, text/event-stream" },
      );
      expect(call.status).toBe(200);
      const response = await renew(client.id, tokens.refresh_token, ...method(client));
      const next = await response.json<OAuthTokens>();
      expect([response.status, next.token_type]).toEqual([200, "Bearer"]);
      const [fields, headers] = method(client);
      const revoked = await form(
        "/oauth/revoke",
        { token: next.refresh_token, client_id: client.id, ...fields },
        headers,
      );
      expect([revoked.status, await revoked.text()]).toEqual([200, ""]);
      await expectOAuthError(await renew(client.id, next.refresh_token, ...method(client)), "invalid_grant");
    },
  );

  it.each(REFUSED)(
    "with %s is invalid_client, and the code is used up (A14, RFC 6749, 5.2)",
    async (_, method) => {
      const code = await codeFor(client.id, USER);
      const response = await redeem(client.id, code, ...method(client));
      const usesBasic = method(client)[1].Authorization !== undefined;
      expect(response.headers.get("WWW-Authenticate")).toBe(
        usesBasic ? 'Basic realm="oauth", charset="UTF-8"' : null,
      );
      await expectOAuthError(response, "invalid_client", 401);
      await expectOAuthError(await redeem(client.id, code, ...POST(client)), "invalid_grant");
    },
  );

  it("with a wrong secret, none or two can neither renew nor revoke, and its refresh token stays (A14)", async () => {
    const { refresh_token } = await connect();
    for (const [, method] of REFUSED) {
      await expectOAuthError(await renew(client.id, refresh_token, ...method(client)), "invalid_client", 401);
      const [fields, headers] = method(client);
      const revocation = { token: refresh_token, client_id: client.id, ...fields };
      await expectOAuthError(await form("/oauth/revoke", revocation, headers), "invalid_client", 401);
    }
    expect((await renew(client.id, refresh_token, ...POST(client))).status).toBe(200);
  });

  it("needs PKCE, and the code only works for it, its redirect and verifier (A14, RFC 7636)", async () => {
    const response = await oauth.send(
      `/oauth/authorize?${await requestQuery(client.id, { code_challenge: undefined })}`,
      { redirect: "manual" },
    );
    expect(new URL(response.headers.get("Location") ?? "").searchParams.get("error")).toBe("invalid_request");
    const other = await registerClient();
    const attempt = async (at: RegisteredClient, changes: Record<string, string>, error: string) => {
      const code = await codeFor(client.id, USER);
      await expectOAuthError(await redeem(at.id, code, { ...POST(at)[0], ...changes }), error);
    };
    await attempt(client, { code_verifier: `${VERIFIER}x` }, "invalid_grant");
    await attempt(client, { code_verifier: "" }, "invalid_request");
    await attempt(client, { redirect_uri: ELSEWHERE }, "invalid_grant");
    await attempt(other, {}, "invalid_grant");
    await attempt(client, { resource: "https://evil.test/mcp" }, "invalid_target");
    const [one, two] = [await connect(), await connect(other)];
    await expectOAuthError(await renew(other.id, one.refresh_token, ...POST(other)), "invalid_grant");
    const theirs = { token: two.refresh_token, client_id: client.id, client_secret: client.secret };
    expect((await form("/oauth/revoke", theirs)).status).toBe(200);
    expect((await renew(other.id, two.refresh_token, ...POST(other))).status).toBe(200);
  });

  it("cannot be passed off as a public client, nor a public one as it (A14)", async () => {
    const open = await hostClient();
    const code = async () => codeFor(client.id, USER);
    await expectOAuthError(await redeem(open, await code()), "invalid_grant");
    await expectOAuthError(
      await redeem(open, await code(), {}, basic(client.id, client.secret)),
      "invalid_client",
      401,
    );
    await expectOAuthError(await redeem("", await code(), {}, basic("unknown", "x")), "invalid_client", 401);
    await expectOAuthError(
      await token({ grant_type: "client_credentials" }, basic(client.id, client.secret)),
      "unsupported_grant_type",
    );
    // As before: nobody checks what a public client sends besides its id.
    for (const [fields, headers] of [
      [{}, {}],
      [{ client_secret: "x" }, {}],
      [{}, basic(open, "")],
    ] as ReturnType<Method>[])
      expect((await redeem(open, await codeFor(open, USER), fields, headers)).status).toBe(200);
  });

  it("sends its secret in the form or by Basic only, not in the address (A14, RFC 6749, 2.3.1)", async () => {
    const query = new URLSearchParams({ client_id: client.id, client_secret: client.secret });
    const fields = { grant_type: "authorization_code", redirect_uri: REDIRECT, code_verifier: VERIFIER };
    const code = await codeFor(client.id, USER);
    const response = await form(`/oauth/token?${query}`, { ...fields, code, client_id: client.id });
    await expectOAuthError(response, "invalid_client", 401);
  });

  it.each(["", " ", "x"])(
    "is invalid_client if a secret is sent with an id that no client can have: id + %j (A14)",
    async (end) => {
      const id = end === "" ? client.id.toUpperCase() : `${client.id}${end}`;
      const { refresh_token } = await connect();
      const fields = { client_id: id, client_secret: client.secret };
      await expectOAuthError(await redeem(id, "x", ...POST(client)), "invalid_client", 401);
      await expectOAuthError(
        await form("/oauth/revoke", { token: refresh_token, ...fields }),
        "invalid_client",
        401,
      );
      expect((await renew(client.id, refresh_token, ...POST(client))).status).toBe(200);
    },
  );

  it("is invalid_client before anything is said about a code (A14)", async () => {
    await expectOAuthError(await redeem(client.id, "x"), "invalid_client", 401);
    await expectOAuthError(await redeem(client.id, ""), "invalid_client", 401);
    await expectOAuthError(await redeem(client.id, "", ...POST(client)), "invalid_request");
    await expectOAuthError(await redeem(client.id, "x", ...POST(client)), "invalid_grant");
  });
});

describe("the page that asks the user", () => {
  const open = async (changes: Record<string, string | undefined>, at = client.id) =>
    oauth.send(`/oauth/authorize?${await requestQuery(at, changes)}`, { headers: HTML });

  it("shows the registered name and the redirect's host, which need no host of the setting (A14)", async () => {
    const own = createOAuth({ OAUTH_CLIENT_HOSTS: "" } as Partial<Env>);
    const named = await registerClient([ELSEWHERE], "Gemini & <b>Co</b>");
    // Forgets what earlier tests fetched.
    await hostClient();
    const query = await requestQuery(named.id, { redirect_uri: ELSEWHERE });
    const html = await (await own.send(`/oauth/authorize?${query}`, { headers: HTML })).text();
    expect(html).toContain("<strong>Gemini &#38; &#60;b&#62;Co&#60;/b&#62;</strong>");
    expect(html).toContain("<strong>oauth.example</strong>");
    expect(html).not.toContain(named.id);
    const approval = await own.approve(query, USER);
    const { redirect_to } = await approval.json<{ redirect_to: string }>();
    expect(redirect_to.startsWith(`${ELSEWHERE}&code=`)).toBe(true);
    expect(await fetched()).toEqual([]);
  });

  it.each([
    "",
    `${REDIRECT}/`,
    `${REDIRECT}?x`,
    `${REDIRECT}#x`,
    REDIRECT.replace("https", "HTTPS"),
    REDIRECT.replace("claude.ai", "claude.ai:443"),
    REDIRECT.replace("claude.ai", "x@claude.ai"),
    "https://oauth.example/callback",
    "https://oauth.example/callback?tenant=2",
    "http://127.0.0.1/callback",
    "javascript:alert(1)",
  ])("is an error page without a redirect for %j: each is compared exactly (A14)", async (redirect_uri) => {
    const response = await open({ redirect_uri });
    expect([response.status, response.headers.get("Location")]).toEqual([400, null]);
    expect((await approve(await requestQuery(client.id, { redirect_uri }), USER)).status).toBe(400);
  });

  it("gives no loopback port away: that of a registered address is fixed (A14)", async () => {
    const local = await registerClient(["http://127.0.0.1:8000/callback"]);
    expect((await open({ redirect_uri: "http://127.0.0.1:8000/callback" }, local.id)).status).toBe(200);
    expect((await open({ redirect_uri: "http://127.0.0.1:8001/callback" }, local.id)).status).toBe(400);
  });

  it("is an error page for an unknown id, which is looked up once a minute and after it was counted (A14, E3)", async () => {
    const few = createOAuth(DEPLOYED_QUOTAS);
    const unknown = await requestQuery(newClientId());
    const ask = (query: string) => few.send(`/oauth/authorize?${query}`);
    await expectError(await ask(unknown), 400, "Bad Request", /^`client_id` is unknown.*Ask the operator/);
    for (let i = 0; i < 19; i += 1) expect((await ask(unknown)).status).toBe(400);
    expect(await databaseRequests()).toBe(1);
    expect((await ask(await requestQuery(newClientId()))).status).toBe(429);
    expect(await databaseRequests()).toBe(1);
    for (const id of [` ${client.id}`, client.id.toUpperCase(), `${client.id}\u0000`, "client-1"])
      expect((await open({}, id)).status).toBe(400);
    expect(await databaseRequests()).toBe(1);
  });
});

describe("the secret of a registered client", () => {
  it("works beside its successor for 24 hours, and ends then even while it is cached (A14)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const rotated = await registerClient();
    await connect(rotated);
    const next = { ...rotated, secret: newClientSecret() };
    await sql`update oauth_secrets set expires_at = now() + interval '24 hours' where client_id = ${rotated.id}`;
    await addSecret(next);
    wait(60_000);
    await connect(rotated);
    await connect(next);
    wait(86_400_000 - 90_000);
    await connect(rotated);
    wait(31_000);
    const code = await codeFor(rotated.id, USER);
    await expectOAuthError(await redeem(rotated.id, code, ...POST(rotated)), "invalid_client", 401);
    await connect(next);
  });

  it("is counted by client when it is wrong, from any address; the right one still works (A14, E3)", async () => {
    const guessed = await registerClient();
    const { refresh_token } = await connect(guessed);
    const guess = () => createOAuth().renew(guessed.id, refresh_token, { client_secret: newClientSecret() });
    for (let i = 0; i < 50; i += 1) await expectOAuthError(await guess(), "invalid_client", 401);
    const refused = await guess();
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    await expectOAuthError(refused, "temporarily_unavailable", 429);
    expect((await renew(guessed.id, refresh_token, ...POST(guessed))).status).toBe(200);
    // Another client has its own quota, and an unknown one has none.
    const other = await registerClient();
    await expectOAuthError(await redeem(other.id, "x", { client_secret: "x" }), "invalid_client", 401);
  });

  it("counts for the address, too, when a renewal with it is refused (A14, E3)", async () => {
    const few = createOAuth(DEPLOYED_QUOTAS);
    for (const method of [...REFUSED, ...REFUSED.slice(0, 6)].map(([, each]) => each)) {
      const { refresh_token } = await connect();
      const refused = await few.renew(client.id, refresh_token, ...method(client));
      await expectOAuthError(refused, "invalid_client", 401);
    }
    expect((await few.redeem(client.id, "x", ...POST(client))).status).toBe(400);
    await expectOAuthError(await few.redeem(client.id, "x", ...POST(client)), "temporarily_unavailable", 429);
  });

  it("is looked up once a minute; a failed look-up is a 503 and is not cached (A14, E2)", async () => {
    clearRegisteredClients();
    await breakDatabase({ kind: "refuse" });
    const failed = await redeem(client.id, "x", ...POST(client));
    expect(failed.headers.get("Retry-After")).toBe("2");
    await expectOAuthError(failed, "temporarily_unavailable", 503);
    await mendDatabase();
    for (let i = 0; i < 3; i += 1)
      await expectOAuthError(await redeem(client.id, "x", ...POST(client)), "invalid_grant");
    expect(await databaseRequests()).toBe(1);
  });

  it("is in no object name, hint or log line (A14, E9)", async () => {
    const names: string[] = [];
    const watch = <Namespace extends Env["COUNTERS"]>(namespace: Namespace) =>
      new Proxy(namespace, {
        get: (target, name) =>
          name === "getByName"
            ? (object: string) => {
                names.push(object);
                return target.getByName(object);
              }
            : Reflect.get(target, name),
      });
    const watched = createOAuth({ COUNTERS: watch(env.COUNTERS) });
    const secret = await registerClient();
    const wrong = newClientSecret();
    const code = await watched.codeFor(secret.id, USER);
    await watched.redeem(secret.id, code, ...POST(secret));
    await watched.redeem(secret.id, "x", { client_secret: wrong });
    await watched.redeem(secret.id, "x", {}, basic(secret.id, wrong));
    expect(names).toContain(`client:${secret.id}`);
    const { keys } = await env.HINTS.list();
    const everything = [names.join("\n"), JSON.stringify(keys), logged.join("\n")].join("\n");
    for (const text of [secret.secret, wrong, basic(secret.id, wrong).Authorization ?? ""])
      expect(everything).not.toContain(text);
  });

  it("that is wrong is a 503 if it cannot be counted, and no 200 (A14, E2)", async () => {
    const COUNTERS = interceptObjects(env.COUNTERS, () => Promise.reject(new Error("reset")));
    const broken = createOAuth({ COUNTERS });
    expect((await broken.redeem(client.id, "x", { client_secret: "x" })).status).toBe(503);
  });
});

describe("a registered client that was removed", () => {
  it("loses codes and refresh tokens within a minute; an access token works until it expires (A14)", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const removed = await registerClient();
    const tokens = await connect(removed);
    const code = await codeFor(removed.id, USER);
    await sql`delete from oauth_clients where client_id = ${removed.id}`;
    wait(59_000);
    const query = await requestQuery(removed.id);
    expect((await oauth.send(`/oauth/authorize?${query}`)).status).toBe(200);
    wait(1000);
    await expectOAuthError(await redeem(removed.id, code, ...POST(removed)), "invalid_client", 401);
    await expectOAuthError(
      await renew(removed.id, tokens.refresh_token, ...POST(removed)),
      "invalid_client",
      401,
    );
    expect((await oauth.send(`/oauth/authorize?${query}`)).status).toBe(400);
    expect((await approve(query, USER)).status).toBe(400);
    const call = () =>
      createClient().post(
        "/mcp",
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { ...authorization(tokens as Tokens), Accept: "application/json, text/event-stream" },
      );
    expect((await call()).status).toBe(200);
    wait(840_001);
    expect((await call()).status).toBe(401);
  });

  it("has no session in the list; one that is registered is listed by its name (A13, A14)", async () => {
    const user = { email: "listed-registered@example.com", password: "listed-password" };
    await addUser(user);
    const named = await registerClient([REDIRECT], "Copilot Studio");
    const open = await hostClient();
    for (const at of [named, { id: open, secret: "" }])
      await redeem(at.id, await codeFor(at.id, user), ...POST(at));
    const api = await (await post("/auth/login", user)).json<Tokens>();
    const list = async () => {
      const response = await send("/auth/sessions", { headers: authorization(api) });
      const { data } = await response.json<{ data: { client: string | null }[] }>();
      return data.map(({ client }) => client).sort();
    };
    expect(await list()).toEqual(["Copilot Studio", "claude.ai", null]);
    await sql`delete from oauth_clients where client_id = ${named.id}`;
    clearRegisteredClients();
    expect(await list()).toEqual(["claude.ai", null]);
  });
});
