// @module-tag server
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { clearAgentCaches } from "../../../src/access/auth/agents.ts";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import {
  authorization,
  breakDatabase,
  databaseRequests,
  expectError,
  get,
  makeAgentToken,
  mendDatabase,
  send,
  signIn,
  sql,
} from "../../support/worker/api.ts";
import { logged } from "../../support/worker/captured-logs.ts";
import { createClient, interceptObjects, signTokenOf } from "../../support/worker/client.ts";
import {
  bearer,
  callTool,
  connectClient,
  parseToolResult,
  postMessage,
  postModern,
  REVISIONS,
  toolCall,
} from "../../support/worker/mcp.ts";

const LIST = { jsonrpc: "2.0", id: 7, method: "tools/list" };
const CALL = toolCall("listTransacoes", { per_page: 1 });

let lastRow = 80_000;
/** The authorization of a new user. */
const newUser = async () => {
  lastRow += 1;
  return { Authorization: `Bearer ${await signTokenOf(lastRow)}` };
};

afterEach(async () => {
  clearTallies();
  vi.useRealTimers();
  vi.restoreAllMocks();
  await mendDatabase();
});

describe("the MCP endpoint", () => {
  it.each(REVISIONS)("serves the official client of revision %s (M1)", async (revision) => {
    const client = await connectClient(revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ name: "salon-erp-data-service" });
    expect(client.getInstructions()).toMatch(/^## Sums/);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("listTransacoes");
    const { text, isError } = parseToolResult(await client.callTool({ name: "frescor", arguments: {} }));
    expect([isError, JSON.parse(text).data.length]).toEqual([false, 3]);
    await expect(client.callTool({ name: "nothing", arguments: {} })).rejects.toThrow(
      /No tool has this name/,
    );
    await client.close();
  });

  it("offers the newest revision with a handshake to a client that requests an unsupported one (M1)", async () => {
    const initialize = (protocolVersion: string) =>
      postMessage({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion, capabilities: {}, clientInfo: { name: "old", version: "1" } },
      });
    for (const [requested, offered] of [
      ["2025-06-18", "2025-06-18"],
      ["2025-03-26", "2025-11-25"],
      ["1999-01-01", "2025-11-25"],
    ] as const)
      expect(await (await initialize(requested)).json(), requested).toMatchObject({
        result: { protocolVersion: offered },
      });
    const refused = await postMessage(LIST, { "Mcp-Protocol-Version": "2024-11-05" });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { jsonrpc: "2.0", error: { code: -32000 } },
    ]);
  });

  it("keeps no session, and accepts any message first (M1)", async () => {
    const first = await postMessage(CALL);
    expect(first.headers.get("Mcp-Session-Id")).toBeNull();
    expect(await (await postMessage(LIST, { "Mcp-Session-Id": "unknown" })).json()).toMatchObject({ id: 7 });
    expect((await postMessage({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
  });

  it("returns JSON at once for any Accept header, and opens no stream (M1)", async () => {
    for (const accept of ["", "text/event-stream", "application/json", "*/*"]) {
      const response = await postMessage(LIST, accept ? { Accept: accept } : {});
      expect([response.status, response.headers.get("Content-Type")], accept).toEqual([
        200,
        "application/json",
      ]);
    }
    for (const method of ["tools/list", "subscriptions/listen"])
      expect((await postModern(method)).headers.get("Content-Type"), method).toBe("application/json");
  });

  it.each<[method: string, params?: object, name?: string]>([
    ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
    ["subscriptions/listen"],
    ["subscriptions/listen", { notifications: null }],
    ["resources/list"],
    ["resources/read", { uri: "x://y" }, "x://y"],
    ["prompts/get", { name: "x" }, "x"],
    ["completion/complete", { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "" } }],
    [
      "initialize",
      { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    ],
    ["ping"],
    ["tasks/get", { taskId: "x" }, "x"],
    ["tools/List"],
    ["nothing"],
    ["__proto__"],
  ])(
    "answers 404 with -32601 to %s with %j in revision 2026-07-28: it is not implemented (M8)",
    async (method, params = {}, name) => {
      const response = await postModern(method, params, name === undefined ? {} : { "Mcp-Name": name });
      const { error, id } = await response.json<{ error: { code: number; message: string }; id: number }>();
      expect([response.status, id, error]).toEqual([
        404,
        1,
        { code: -32601, message: expect.stringMatching(/^Method not found/) },
      ]);
    },
  );

  it.each(["2025-11-25", "2025-06-18"])(
    "answers 200 with -32601 to a method that is not implemented in revision %s (M1)",
    async (revision) => {
      for (const method of ["subscriptions/listen", "resources/list", "prompts/list", "tools/nothing"]) {
        const response = await postMessage({ ...LIST, method }, { "Mcp-Protocol-Version": revision });
        expect([response.status, await response.json()], method).toMatchObject([
          200,
          { error: { code: -32601 } },
        ]);
      }
    },
  );

  it("still checks a subscription as a message of revision 2026-07-28 (M1)", async () => {
    const mismatched = await postModern("subscriptions/listen", {}, { "Mcp-Method": "tools/list" });
    expect([mismatched.status, await mismatched.json()]).toMatchObject([400, { error: { code: -32020 } }]);
    const bare = await postModern("subscriptions/listen", { _meta: {} });
    expect(bare.status).toBe(400);
  });

  it("tells the official client that it has no subscriptions, and serves it afterwards (M8)", async () => {
    const client = await connectClient("2026-07-28");
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(/Method not found/);
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    await client.close();
  });

  it("lets a client keep the list of tools for as long as an access token is valid (M8)", async () => {
    for (const method of ["tools/list", "server/discover"])
      expect(await (await postModern(method)).json(), method).toMatchObject({
        result: { ttlMs: 900_000, cacheScope: "private" },
      });
    const { result } = await (await postMessage(LIST)).json<{ result: object }>();
    expect(Object.keys(result)).toEqual(["tools"]);
    let requests = 0;
    const client = await connectClient("2026-07-28", undefined, (path, init) => {
      requests += 1;
      return send(path, init);
    });
    const first = await client.listTools();
    const before = requests;
    expect(await client.listTools()).toEqual(first);
    expect(requests).toBe(before);
    await client.close();
  });

  it.each(REVISIONS)("describes itself to a client of revision %s (M8)", async (revision) => {
    const client = await connectClient(revision);
    expect(client.getServerVersion()).toEqual({
      name: "salon-erp-data-service",
      title: "Salon-to-ERP data service",
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/^Read-only data of a chain of beauty salons: .*\.$/),
      websiteUrl: "https://api.test/",
      icons: [
        { src: "https://api.test/icons/192.png", mimeType: "image/png", sizes: ["192x192"] },
        { src: "https://api.test/icons/512.png", mimeType: "image/png", sizes: ["512x512"] },
      ],
    });
    await client.close();
  });

  it("rejects an unknown tool with an error of the protocol (M1, M2)", async () => {
    for (const name of ["nothing", "", "constructor", "__proto__", "login", "openapi", "health"])
      expect(await (await postMessage(toolCall(name, {}))).json(), name).toMatchObject({
        error: { code: -32602 },
      });
  });
});

describe("a message to /mcp", () => {
  it.each<[what: string, body: string | Uint8Array, message: RegExp]>([
    ["an empty body", "", /not valid JSON/],
    ["bytes that are not UTF-8", Uint8Array.of(34, 0xed, 0xa0, 0x80, 34), /not valid JSON in UTF-8/],
    ["text that is not JSON", "{", /not valid JSON/],
    ["a NUL after the JSON", `${JSON.stringify(LIST)}\u0000`, /not valid JSON/],
    ["a JSON string", '"x"', /not a JSON-RPC 2.0 message/],
    ["null", "null", /not a JSON-RPC 2.0 message/],
    ["an object that is not a message", '{"a": 1}', /not a JSON-RPC 2.0 message/],
    [
      "another version of JSON-RPC",
      '{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
      /not a JSON-RPC 2.0 message/,
    ],
    [
      "an object as the id",
      '{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}',
      /not a JSON-RPC 2.0 message/,
    ],
    ["a batch", JSON.stringify([LIST, CALL]), /is a batch/],
    ["a batch of one", JSON.stringify([LIST]), /is a batch/],
    ["an empty batch", "[]", /is a batch/],
  ])("is rejected with 400 in the error shape: %s (M1)", async (_, body, message) => {
    await expectError(await postMessage(body), 400, "Bad Request", message);
  });

  it.each([
    "",
    "text/plain",
    "application/jsonp",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
  ])("is rejected with 400 if its content type is %j (M1)", async (type) => {
    await expectError(await postMessage(LIST, { "Content-Type": type }), 400, "Bad Request", /Content-Type/);
  });

  it("can declare a charset and nest to any depth (M1)", async () => {
    expect((await postMessage(LIST, { "Content-Type": "Application/JSON; charset=utf-8" })).status).toBe(200);
    const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;
    const body = JSON.stringify(toolCall("frescor", { x: 0 })).replace('"x":0', `"x":${deep}`);
    expect(await (await postMessage(body)).text()).toContain("`x` is not an argument");
  });

  it.each<[params: unknown]>([
    [undefined],
    [null],
    [[]],
    [{}],
    [{ name: 1 }],
    [{ name: "frescor", arguments: [] }],
    [{ name: "frescor", arguments: "x" }],
    [{ name: "frescor", arguments: null }],
  ])("that calls a tool with params %j is an error of the protocol, not a 500 (M1)", async (params) => {
    const response = await postMessage({ ...CALL, params });
    expect(response.status).toBeLessThan(500);
    expect(JSON.stringify(await response.json())).toMatch(/"code":-326|not a JSON-RPC 2.0 message/);
  });

  it.each(["/mcp", "/auth/logout", "/auth/login"])(
    "that breaks off before its Content-Length is a 400 and is not logged as a bug, at %s (M1)",
    async (path) => {
      logged.splice(0);
      const { send: ask } = createClient();
      const body = new ReadableStream({
        pull: (controller) => {
          controller.enqueue(new TextEncoder().encode("{"));
          controller.error(new Error("the client disconnected"));
        },
      });
      const headers = { "Content-Type": "application/json", "Content-Length": "100", ...(await bearer()) };
      const response = await ask(path, { method: "POST", body, headers });
      await expectError(response, 400, "Bad Request", /^The body is (incomplete|not valid JSON in UTF-8)\./);
      expect(logged.join("")).not.toContain("stack");
    },
  );

  it("of 64 KiB is accepted, and one byte more is a 413 (M5)", async () => {
    const padded = (bytes: number) => JSON.stringify(LIST).padEnd(bytes, " ");
    expect((await postMessage(padded(65_536))).status).toBe(200);
    await expectError(await postMessage(padded(65_537)), 413, "Content Too Large", /65536 bytes/);
  });

  it("is not read before its token is verified (M1)", async () => {
    const { access_token } = await signIn();
    const odd = ["", "{", "[]", "x".repeat(100_000)];
    for (const body of odd) {
      const init = { method: "POST", body, headers: { "Content-Type": "application/json" } };
      const missing = await send("/mcp", init);
      expect(missing.headers.get("WWW-Authenticate")).toMatch(/^Bearer realm="api", resource_metadata=/);
      await expectError(missing, 401, "Unauthorized", /POST \/auth\/refresh/);
      const bad = await send("/mcp", {
        ...init,
        headers: { ...init.headers, Authorization: `Bearer ${access_token}x` },
      });
      expect(bad.headers.get("WWW-Authenticate")).toMatch(/^Bearer realm="api", error="invalid_token", /);
      await expectError(bad, 401, "Unauthorized", /invalid or expired/);
    }
  });
});

describe("a client of /mcp", () => {
  it("gets 403 on a page of an origin that is not allowed (M5)", async () => {
    const { send: ask } = createClient({
      CORS_ORIGINS: "https://app.example, https://other.example",
    });
    const from = async (origin?: string) =>
      ask("/mcp", {
        method: "POST",
        body: JSON.stringify(LIST),
        headers: {
          "Content-Type": "application/json",
          ...(await bearer()),
          ...(origin && { Origin: origin }),
        },
      });
    for (const origin of [
      "https://evil.example",
      "null",
      "https://app.example.evil.example",
      "http://app.example",
    ])
      await expectError(await from(origin), 403, "Forbidden", /this origin/);
    for (const origin of [undefined, "https://app.example", "https://other.example"])
      expect((await from(origin)).status, origin).toBe(200);
    expect((await postMessage(LIST, { Origin: "https://any.example" })).status).toBe(200);
  });

  it("counts each message once, in the same quota as requests to other routes (M3)", async () => {
    const headers = await newUser();
    const { send: ask } = createClient({ RATE_LIMIT_GLOBAL: 4 });
    const remaining = ({ headers: given }: Response) => /r=\d+/.exec(given.get("RateLimit") ?? "")?.[0];
    const postAs = (message: unknown) =>
      ask("/mcp", {
        method: "POST",
        body: JSON.stringify(message),
        headers: { ...headers, "Content-Type": "application/json" },
      });
    expect(remaining(await ask("/v1/transacoes?per_page=0", { headers }))).toBe("r=3");
    expect(remaining(await postAs(CALL))).toBe("r=2");
    expect(remaining(await postAs(LIST))).toBe("r=1");
    expect(remaining(await postAs([]))).toBe("r=0");
    await mendDatabase();
    const refused = await postAs(CALL);
    expect(refused.headers.get("Retry-After")).toMatch(/^\d+$/);
    await expectError(refused, 429, "Too Many Requests", /Too many requests/);
    expect(await databaseRequests()).toBe(0);
  });
});

describe("twenty parallel calls", () => {
  it("each return their own result (M3)", async () => {
    const client = await connectClient();
    const pages = Array.from({ length: 20 }, (_, i) => i + 1);
    const results = await Promise.all(
      pages.map((page) => client.callTool({ name: "listTransacoes", arguments: { page, per_page: 1 } })),
    );
    const expected = await Promise.all(
      pages.map(async (page) => (await get(`/v1/transacoes?page=${page}&per_page=1`)).text()),
    );
    expect(results.map((result) => parseToolResult(result).text)).toEqual(expected);
  });
});

describe("an access token that expires between two calls", () => {
  it("gets 401, and a new token works (M1)", async () => {
    const { send: through } = createClient();
    const tokens = await signIn();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const client = await connectClient("2025-11-25", authorization(tokens), through);
    expect(parseToolResult(await client.callTool({ name: "frescor", arguments: {} })).isError).toBe(false);
    vi.setSystemTime(Date.now() + 901_000);
    await expect(client.callTool({ name: "frescor", arguments: {} })).rejects.toThrow(
      /401|invalid or expired/i,
    );
    const renewed = await connectClient("2025-11-25", authorization(await signIn()), through);
    expect(parseToolResult(await renewed.callTool({ name: "frescor", arguments: {} })).isError).toBe(false);
  });
});

describe("an agent token", () => {
  it("is accepted for its user, and the first message after its end gets 401 (A10, M1)", async () => {
    const email = "assistant@example.com";
    await sql`insert into users (id, email, name, password_hash) values (70999, ${email}, 'Assistant', 'x')`;
    const client = await connectClient("2025-11-25", {
      Authorization: `Bearer ${await makeAgentToken(email)}`,
    });
    expect(parseToolResult(await client.callTool({ name: "frescor", arguments: {} })).isError).toBe(false);
    await sql`delete from users where email = ${email}`;
    clearAgentCaches();
    await expect(client.callTool({ name: "frescor", arguments: {} })).rejects.toThrow(
      /401|expired or revoked/i,
    );
  });
});

describe("every response of /mcp", () => {
  const limited = createClient({ RATE_LIMIT_GLOBAL: 0 });
  const uncounted = () =>
    createClient({ COUNTERS: interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken"))) });

  it.each<[status: number, ask: () => Promise<Response>]>([
    [200, () => postMessage(CALL)],
    [202, () => postMessage({ jsonrpc: "2.0", method: "notifications/initialized" })],
    [400, () => postMessage("[]")],
    [401, () => send("/mcp", { method: "POST" })],
    [405, () => get("/mcp")],
    [413, () => postMessage("x".repeat(70_000))],
    [500, () => limited.send("/mcp", { method: "POST" })],
  ])(
    "with status %i has request id, CORS, timing and security headers, and is no-store (E6–E8)",
    async (status, ask) => {
      // Waits for its count, so that the rate limit headers are known.
      await get("/nothing");
      const { headers, status: given } = await ask();
      expect(given).toBe(status);
      expect(headers.get("Cache-Control")).toBe("no-store");
      expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      if (status === 500) return;
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(headers.get("Access-Control-Expose-Headers")).toContain("RateLimit");
      expect(headers.get("RateLimit")).toMatch(/^"global";r=\d+;t=\d+$/);
      expect(headers.get("Server-Timing")).toMatch(/\bauth;dur=.*limit;dur=.*total;dur=/);
    },
  );

  it("to a call has the db step in Server-Timing (E8)", async () => {
    expect((await postMessage(CALL)).headers.get("Server-Timing")).toMatch(/\bdb;dur=[\d.]+/);
  });

  it.each(["GET", "DELETE", "PUT", "PATCH", "HEAD"])("to %s is a 405 with Allow (E1)", async (method) => {
    const response = await send("/mcp", { method, headers: await bearer() });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"]);
    if (method !== "HEAD") await expectError(response, 405, "Method Not Allowed", /Use one of POST, OPTIONS/);
  });

  it("is the usual one while the counter cannot be reached (E2, E11)", async () => {
    const { send: ask } = uncounted();
    const response = await ask("/mcp", {
      method: "POST",
      body: JSON.stringify(CALL),
      headers: { "Content-Type": "application/json", ...(await newUser()) },
    });
    expect([response.status, response.headers.get("RateLimit")]).toEqual([200, null]);
  });
});

describe("the log of /mcp", () => {
  const lineOf = async (ask: () => Promise<unknown>) => {
    const before = logged.length;
    await ask();
    const lines = logged.slice(before);
    expect(lines).toHaveLength(1);
    return JSON.parse(lines[0] ?? "");
  };

  it("has one line per message with its status, without tool and arguments (E9)", async () => {
    const line = await lineOf(() => callTool("findTransacao", { id: "private" }));
    expect(line).toMatchObject({
      level: "info",
      method: "POST",
      route: "/mcp",
      status: 200,
      user: expect.any(Number),
    });
    expect(JSON.stringify(line)).not.toMatch(/private|findTransacao|transacoes/);
  });

  it("has the SQLSTATE of a failed statement, although the status is 200 (E9)", async () => {
    await callTool("frescor");
    await breakDatabase({ kind: "status", status: 400, body: '{"message":"sorry","code":"53300"}' });
    expect(await lineOf(() => callTool("frescor"))).toMatchObject({ status: 200, sqlstate: "53300" });
  });

  it("has the stack of a bug, and the response is a 500 with the request id (E2, M3)", async () => {
    await callTool("frescor");
    await breakDatabase({ kind: "status", status: 400, body: '{"message":"private","code":"42703"}' });
    let response: Response | undefined;
    const line = await lineOf(async () => {
      response = await postMessage(toolCall("frescor"), { "X-Request-Id": "bug-of-a-tool" });
    });
    expect(line).toMatchObject({ level: "error", status: 500, request: "bug-of-a-tool", sqlstate: "42703" });
    expect(line.stack.length).toBeGreaterThan(0);
    expect(JSON.stringify(line)).not.toContain("private");
    await expectError(response as Response, 500, "Internal Server Error", /bug-of-a-tool/);
  });
});
