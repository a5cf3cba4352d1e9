import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { clearClients } from "../../../src/access/oauth/clients.ts";
import { addUser, DEMO, databaseRequests, expectError, mendDatabase } from "../../support/worker/api.ts";
import { createClient, DEPLOYED_QUOTAS } from "../../support/worker/client.ts";
import {
  createOAuth,
  fetched,
  host,
  hostClient,
  newClientId,
  ORIGIN,
  REDIRECT,
  RESOURCE,
  requestQuery,
} from "../../support/worker/oauth.ts";

const { send, approve } = createOAuth();
const HTML = { Accept: "text/html" };
const authorize = async (query: string, headers: Record<string, string> = HTML) =>
  send(`/oauth/authorize?${query}`, { headers, redirect: "manual" });
const USER = { email: "authorize@example.com", password: "authorize-password" };

beforeAll(() => addUser(USER));
afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

const documentOf = (url: string, changes: object = {}) =>
  JSON.stringify({ client_id: url, redirect_uris: [REDIRECT], ...changes });
/** A valid document of this many bytes. */
const documentOfSize = (url: string, bytes: number) =>
  documentOf(url, { x: "x".repeat(bytes - documentOf(url, { x: "" }).length) });

/** A page with a sentence, and nothing that leads to the client. */
const expectErrorPage = async (response: Response, leak: string) => {
  expect(response.status).toBe(400);
  expect(response.headers.get("Location")).toBeNull();
  expect(response.headers.get("Content-Type")).toContain("text/html");
  const html = await response.text();
  expect(html).toContain("nada foi liberado");
  expect(html).not.toContain(leak);
};

/** The parameters that the redirect of an error carries to the client. */
const errorOf = (response: Response, redirect = REDIRECT): Record<string, string> => {
  expect(response.status).toBe(302);
  const location = response.headers.get("Location") ?? "";
  expect(location.startsWith(`${redirect}${redirect.includes("?") ? "&" : "?"}`)).toBe(true);
  return Object.fromEntries(new URLSearchParams(location.slice(redirect.length + 1)));
};

describe("the metadata", () => {
  it("names the endpoints and what they support, without a token (A14, RFC 8414, RFC 9728)", async () => {
    const server = await (await send("/.well-known/oauth-authorization-server")).json();
    expect(server).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/oauth/authorize`,
      token_endpoint: `${ORIGIN}/oauth/token`,
      revocation_endpoint: `${ORIGIN}/oauth/revoke`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      revocation_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
    for (const path of ["", "/mcp"]) {
      const response = await send(`/.well-known/oauth-protected-resource${path}`);
      expect(await response.json()).toMatchObject({ resource: RESOURCE, authorization_servers: [ORIGIN] });
      expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    }
  });

  it("is named by a 401 of /mcp, and only there (A14, A3)", async () => {
    const { post } = createClient();
    const metadata = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/mcp"`;
    for (const Authorization of [undefined, "Bearer x", `Bearer agt_${"A".repeat(43)}`]) {
      const headers: Record<string, string> = Authorization === undefined ? {} : { Authorization };
      expect((await post("/mcp", {}, headers)).headers.get("WWW-Authenticate")).toContain(metadata);
      expect((await send("/v1/frescor", { headers })).headers.get("WWW-Authenticate")).not.toContain(
        "metadata",
      );
    }
  });
});

describe("GET /oauth/authorize", () => {
  it("names the client's host, the redirect's host and what will be readable; it cannot be framed (A14)", async () => {
    const client = await hostClient(["http://127.0.0.1:1234/callback?a=b"]);
    const response = await authorize(
      await requestQuery(client, { redirect_uri: "http://127.0.0.1:5678/callback?a=b" }),
    );
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain("<strong>claude.ai</strong>");
    expect(html).toContain("<strong>127.0.0.1:5678</strong>");
    expect(html).toMatch(/poderá consultar/);
    expect(html).toMatch(/id="without-personal-data"[^>]* checked/);
    expect(html).toContain(
      'href="http://127.0.0.1:5678/callback?a=b&#38;error=access_denied&#38;state=a-state&#38;iss=https%3A%2F%2Fapi.test"',
    );
    expect(response.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(response.headers.get("Cross-Origin-Opener-Policy")).toBeNull();
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("Set-Cookie")).toBeNull();
  });

  it("shows no HTML of a request (A14)", async () => {
    const client = await hostClient();
    const state = `"'><script>alert(1)</script>`;
    const html = await (await authorize(await requestQuery(client, { state }))).text();
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain(`"'>`);
  });

  it.each<[string, (client: string) => string]>([
    ["no client", () => ""],
    ["plain http", (client) => client.replace("https:", "http:")],
    ["another host", (client) => client.replace("claude.ai", "evil.test")],
    ["a host that ends alike", (client) => client.replace("claude.ai", "x-claude.ai")],
    ["a host that begins alike", (client) => client.replace("claude.ai", "claude.ai.evil.test")],
    ["another port", (client) => client.replace("claude.ai", "claude.ai:8443")],
    ["userinfo before the host", (client) => client.replace("claude.ai", "x@claude.ai")],
    ["a fragment", (client) => `${client}#x`],
    ["dot segments", (client) => client.replace("/oauth/", "/x/%2e%2e/oauth/")],
    ["a backslash", (client) => client.replace("/oauth/", "\\oauth/")],
    ["upper case", (client) => client.replace("claude.ai", "CLAUDE.ai")],
    ["no path", () => "https://claude.ai/"],
    ["a private address", () => "https://10.0.0.1/client.json"],
    ["a loopback address", () => "http://127.0.0.1/client.json"],
    ["a space", (client) => ` ${client}`],
    ["NUL", (client) => `${client}\u0000`],
    ["a file address", () => "file:///etc/passwd"],
  ])("fetches no client that is %s, and shows an error page (A14)", async (_, change) => {
    const client = await hostClient();
    const response = await authorize(await requestQuery(change(client)));
    await expectErrorPage(response, REDIRECT);
    expect(await fetched()).toEqual([]);
  });

  const expectNotCached = async (document: Parameters<typeof host>[0]) => {
    const { url } = document;
    await host(document);
    await expectErrorPage(await authorize(await requestQuery(url)), REDIRECT);
    expect(await fetched()).toEqual([url]);
    await host({ url, body: documentOf(url) });
    expect((await authorize(await requestQuery(url))).status).toBe(200);
  };

  it.each<[string, (url: string) => string]>([
    ["is empty", () => ""],
    ["is no JSON", () => "<html>"],
    ["is null", () => "null"],
    ["is a list", () => "[]"],
    ["names another client", (url) => documentOf(url, { client_id: `${url}x` })],
    ["names no client", (url) => documentOf(url, { client_id: undefined })],
    ["has no redirects", (url) => documentOf(url, { redirect_uris: undefined })],
    ["has a text for its redirects", (url) => documentOf(url, { redirect_uris: REDIRECT })],
    ["is 1 MB", (url) => documentOfSize(url, 1e6)],
    ["is one byte too large", (url) => documentOfSize(url, 65_537)],
  ])("a metadata document that %s is an error page and is not cached (A14)", async (_, bodyAt) => {
    const url = newClientId();
    await expectNotCached({ url, body: bodyAt(url) });
  });

  it("a metadata document that is missing or redirects is an error page and is not cached (A14)", async () => {
    for (const [status, headers] of [
      [404, {}],
      [302, { Location: "https://claude.ai/other.json" }],
      [307, { Location: newClientId() }],
    ] as const) {
      const url = newClientId();
      await expectNotCached({ url, status, headers, body: documentOf(url) });
    }
  });

  it("a metadata document that hangs is an error page and is not cached (A14)", {
    tags: ["slow"],
  }, async () => {
    const url = newClientId();
    await expectNotCached({ url, delayMs: 6000, body: documentOf(url) });
  });

  it("takes a document of exactly 64 KiB, and caches it for five minutes (A14)", async () => {
    clearClients();
    vi.useFakeTimers({ toFake: ["Date"] });
    const url = newClientId();
    await host({ url, body: documentOfSize(url, 65_536) });
    const open = async () => expect((await authorize(await requestQuery(url))).status).toBe(200);
    await open();
    vi.setSystemTime(Date.now() + 299_000);
    await open();
    expect(await fetched()).toEqual([url]);
    vi.setSystemTime(Date.now() + 1001);
    await open();
    expect(await fetched()).toEqual([url, url]);
  });

  it("with other hosts in the setting, trusts those and no others (A14)", async () => {
    const own = createOAuth({
      OAUTH_CLIENT_HOSTS: "assistant.example:8443,assistant.example",
    } as Partial<Env>);
    const at = "https://assistant.example:8443";
    const url = newClientId(at);
    await host({ url, body: documentOf(url, { redirect_uris: [`${at}/cb`, REDIRECT] }) });
    const open = async (client: string, redirect_uri: string) =>
      (await own.send(`/oauth/authorize?${await requestQuery(client, { redirect_uri })}`)).status;
    expect(await open(url, `${at}/cb`)).toBe(200);
    expect(await open(url, `${at.replace(":8443", "")}/cb`)).toBe(400);
    expect(await open(url, REDIRECT)).toBe(400);
    expect(await open(await hostClient(), REDIRECT)).toBe(400);
  });

  it.each(["claude.ai", "claude.com", "chatgpt.com", "vscode.dev", "insiders.vscode.dev"])(
    "trusts the clients and the redirects of %s by default (A14)",
    async (vendor) => {
      const redirect_uri = `https://${vendor}/callback`;
      const url = newClientId(`https://${vendor}`);
      await host({ url, body: documentOf(url, { redirect_uris: [redirect_uri] }) });
      expect((await authorize(await requestQuery(url, { redirect_uri }))).status).toBe(200);
    },
  );

  it.each([
    "Application/JSON;charset=UTF-8",
    "application/json ;charset=utf-8",
    "application/vnd.vendor.client-v1+json; charset=utf-8",
  ])("takes a metadata document of the content type %j (A14)", async (type) => {
    const url = newClientId();
    await host({ url, body: documentOf(url), headers: { "Content-Type": type } });
    expect((await authorize(await requestQuery(url))).status).toBe(200);
  });

  it.each([
    "",
    "text/html; charset=utf-8",
    "text/json",
    "application/jsonp",
    "application/ld+json5",
    "application/+json",
    "text/html+json",
    "text/html; x=application/json",
    "application/json, text/html",
  ])("refuses a metadata document of the content type %j, and says why (A14)", async (type) => {
    const url = newClientId();
    await host({ url, body: documentOf(url), headers: { "Content-Type": type } });
    const query = await requestQuery(url);
    await expectErrorPage(await authorize(query), REDIRECT);
    const message = /must have the content type `application\/json`.*Tell the client's vendor\.$/;
    await expectError(await authorize(query, {}), 400, "Bad Request", message);
    await expectError(await approve(query, USER), 400, "Bad Request", message);
    // A refused document is not cached.
    await host({ url, body: documentOf(url) });
    expect((await authorize(query)).status).toBe(200);
  });

  const REDIRECTS = [
    REDIRECT,
    "https://claude.ai/cb?x=1",
    "http://127.0.0.1:33418",
    "http://localhost/cb",
    "http://[::1]:9/cb",
    "https://evil.test/cb",
    "http://claude.ai/cb",
    "http://192.168.0.1/cb",
    "http://127.0.0.1.evil.test/cb",
    "javascript:alert(1)",
    "myapp://cb",
    "https://x@claude.ai/cb",
    "https://claude.ai/cb#x",
    "https://claude.ai\\@evil.test/cb",
  ];
  it.each([
    [REDIRECT, 200],
    ["https://claude.ai/cb?x=1", 200],
    ["http://127.0.0.1:33418", 200],
    ["http://127.0.0.1:1", 200],
    ["http://127.0.0.1", 200],
    ["http://localhost:65535/cb", 200],
    ["http://[::1]:10/cb", 200],
    // Not in the document.
    ...[
      ...["", `${REDIRECT}/`, `${REDIRECT}x`, `${REDIRECT}?x`, `${REDIRECT}#x`],
      REDIRECT.replace("/mcp/", "%2F"),
      REDIRECT.replace("claude.ai", "claude.ai:443"),
      REDIRECT.replace("claude.ai", "x@claude.ai"),
      REDIRECT.replace("claude.ai", "claude.ai@evil.test"),
      REDIRECT.replace("claude.ai", "claude.ai%2F.evil.test"),
      REDIRECT.replace("https", "HTTPS"),
      ...["http://localhost:33418", "http://127.0.0.1/cb", "http://127.0.0.1:1@evil.test/"],
      ...["http://127.0.0.1:123456", "http://localhost.evil.test/cb", "https://localhost/cb"],
      // In the document, but not allowed.
      ...REDIRECTS.slice(5),
    ].map((redirect): [string, number] => [redirect, 400]),
  ])("for the redirect %j answers %d, and never redirects to another (A14)", async (redirect_uri, status) => {
    const client = await hostClient(REDIRECTS);
    const response = await authorize(await requestQuery(client, { redirect_uri }));
    expect(response.status).toBe(status);
    expect(response.headers.get("Location")).toBeNull();
    const approval = await approve(await requestQuery(client, { redirect_uri }), USER);
    expect(approval.status).toBe(status);
  });

  it("sends other errors back to the client, with issuer and state (A14, RFC 9207)", async () => {
    const client = await hostClient([REDIRECT, "https://claude.ai/cb?x=1"]);
    const cases: [string, Record<string, string | undefined>][] = [
      ["invalid_request", { response_type: undefined }],
      ["unsupported_response_type", { response_type: "token" }],
      ["unsupported_response_type", { response_type: "code token" }],
      ["invalid_request", { response_mode: "fragment" }],
      ["invalid_request", { code_challenge: undefined }],
      ["invalid_request", { code_challenge: "short" }],
      ["invalid_request", { code_challenge: "=".repeat(43) }],
      ["invalid_request", { code_challenge_method: undefined }],
      ["invalid_request", { code_challenge_method: "plain" }],
      ["invalid_request", { code_challenge_method: "s256" }],
      ["invalid_target", { resource: "https://evil.test/mcp" }],
      ["invalid_target", { resource: `${RESOURCE}/` }],
      ["invalid_target", { resource: ORIGIN }],
      ["invalid_target", { resource: "" }],
      ["invalid_target", { resource: `${ORIGIN}/MCP` }],
      ["invalid_target", { resource: RESOURCE.replace("//", "//user@") }],
    ];
    for (const [error, changes] of cases) {
      const query = await requestQuery(client, changes);
      expect(errorOf(await authorize(query)), JSON.stringify(changes)).toEqual({
        error,
        error_description: expect.stringMatching(/`\w+`/),
        state: "a-state",
        iss: ORIGIN,
      });
      await expectError(await approve(query, USER), 400, "Bad Request", /`\w+`/);
    }
    const odd = await requestQuery(client, {
      redirect_uri: "https://claude.ai/cb?x=1",
      response_type: "x",
      state: "&=#%\u0000é",
    });
    expect(errorOf(await authorize(odd), "https://claude.ai/cb?x=1").state).toBe("&=#%\u0000é");
    const stateless = await requestQuery(client, { state: undefined, response_type: "x" });
    expect(Object.keys(errorOf(await authorize(stateless)))).toEqual(["error", "error_description", "iss"]);
    for (const name of ["state", "code_challenge", "response_type", "code_challenge_method"])
      expect(errorOf(await authorize(`${await requestQuery(client)}&${name}=x`)).error).toBe(
        "invalid_request",
      );
    for (const name of ["client_id", "redirect_uri"])
      await expectErrorPage(await authorize(`${await requestQuery(client)}&${name}=x`), REDIRECT);
  });

  it("ignores scope, unknown parameters and the case of the resource's host, and does without state and resource (A14)", async () => {
    const client = await hostClient();
    for (const changes of [
      { scope: "admin" },
      { prompt: "none" },
      { state: undefined },
      { resource: undefined },
      { resource: "HTTPS://api.test/mcp" },
      { resource: "https://API.Test/mcp" },
    ])
      expect((await authorize(await requestQuery(client, changes))).status).toBe(200);
  });

  it("counts as /auth, before a document is fetched (A14, E3)", async () => {
    const few = createOAuth(DEPLOYED_QUOTAS);
    const client = await hostClient();
    const query = await requestQuery(client);
    for (let i = 0; i < 20; i += 1) expect((await few.send(`/oauth/authorize?${query}`)).status).toBe(200);
    const fresh = await hostClient();
    const refused = await few.send(`/oauth/authorize?${await requestQuery(fresh)}`, { headers: HTML });
    expect(refused.status).toBe(429);
    expect(await refused.text()).toContain("Muitos acessos");
    expect(await fetched()).toEqual([]);
  });

  it("answers the usual error to a client that does not prefer HTML (A2, A14)", async () => {
    await expectError(await authorize("", { Accept: "application/json" }), 400, "Bad Request", /`client_id`/);
  });
});

describe("POST /oauth/approve", () => {
  it("returns the client's address with a code, the state and the issuer (A14, RFC 9207)", async () => {
    const client = await hostClient();
    const response = await approve(await requestQuery(client), USER);
    expect(response.status).toBe(200);
    const { redirect_to } = await response.json<{ redirect_to: string }>();
    expect(redirect_to.startsWith(`${REDIRECT}?`)).toBe(true);
    expect(Object.fromEntries(new URL(redirect_to).searchParams)).toEqual({
      code: expect.stringMatching(/^[\w.-]+$/),
      state: "a-state",
      iss: ORIGIN,
    });
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  it("refuses pages of other origins, forms and requests without Origin: no sign-in can be forged (A14)", async () => {
    const query = await requestQuery(await hostClient());
    for (const headers of [
      {},
      { Origin: "null" },
      { Origin: "https://evil.test" },
      { Origin: "https://claude.ai" },
    ])
      await expectError(await approve(query, USER, headers), 403, "Forbidden", /Only pages of this service/);
    const asForm = await send(`/oauth/approve?${query}`, {
      method: "POST",
      headers: { Origin: ORIGIN },
      body: new URLSearchParams({ ...USER, without_personal_data: "true" }),
    });
    expect(asForm.status).toBe(400);
    expect(asForm.headers.get("Access-Control-Allow-Origin")).toBeNull();
  });

  it("counts as /auth and before the database is asked; a wrong password counts for its e-mail (A14, E3, E5)", async () => {
    const few = createOAuth(DEPLOYED_QUOTAS);
    const query = await requestQuery(await hostClient());
    const user = { email: "approve@example.com", password: "approve-password" };
    await addUser(user);
    for (let i = 0; i < 20; i += 1)
      expect((await few.approve(query, { ...user, password: "wrong" })).status).toBe(401);
    await mendDatabase();
    expect((await few.approve(query, user)).status).toBe(429);
    expect(await databaseRequests()).toBe(0);
    for (let i = 0; i < 30; i += 1) await approve(query, { ...user, password: "wrong" });
    await expectError(await approve(query, user), 429, "Too Many Requests", /failed sign-ins/);
  });

  it("checks every field of its body (A14, I1)", async () => {
    const query = await requestQuery(await hostClient());
    for (const without_personal_data of ["true", 1, null, undefined])
      await expectError(
        await approve(query, { ...USER, without_personal_data }),
        400,
        "Bad Request",
        /without_personal_data/,
      );
    await expectError(await approve(query, { password: "x" }), 400, "Bad Request", /email/);
    await expectError(await approve(query, { ...USER, password: "x" }), 401, "Unauthorized", /wrong/);
    await expectError(await approve(query, { ...USER, email: DEMO.email }), 401, "Unauthorized", /wrong/);
    await expectError(await approve("", USER), 400, "Bad Request", /`client_id`/);
  });
});
