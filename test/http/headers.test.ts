import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  authorization,
  DEMO,
  expectError,
  get,
  makeAgentToken,
  post,
  readDocument,
  send,
  signIn,
} from "../support/worker/api.ts";
import { createClient, interceptObjects, signTokenOf } from "../support/worker/client.ts";
import { createBrowser } from "../support/worker/kept-session.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Sends a request while Postgres is unreachable. */
const unreachable = async (path: string) => {
  const DATABASE_URL = "postgres://salon_api:-@127.0.0.1:1/none";
  const headers = authorization(await signIn());
  return createClient({ DATABASE_URL }).send(path, { headers });
};

describe("every response", () => {
  it.each([
    ["200", () => get("/v1/lancamentos?per_page=1")],
    ["400", () => get("/v1/lancamentos?page=0")],
    ["401", () => send("/v1/lancamentos")],
    ["404", () => get("/v1/lancamentos/nothing")],
    ["404 for an unknown path", () => get("/nothing")],
    ["405", () => send("/v1/lancamentos", { method: "PUT" })],
    ["413", () => post("/auth/login", "x".repeat(5000))],
  ])("with status %s has request id, CORS and security headers (E7, E8)", async (_, ask) => {
    const { headers } = await ask();
    expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(headers.get("Access-Control-Allow-Credentials")).toBeNull();
    for (const name of [
      "ETag",
      "Link",
      "RateLimit",
      "RateLimit-Policy",
      "Retry-After",
      "X-Request-Id",
      "Server-Timing",
      "Preference-Applied",
      "Applied-Range",
      "Allow",
      "WWW-Authenticate",
    ]) {
      expect(headers.get("Access-Control-Expose-Headers")?.split(/, ?/)).toContain(name);
    }
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(headers.get("Strict-Transport-Security")).toMatch(/max-age=\d{8}/);
    expect(headers.get("Referrer-Policy")).toBe("no-referrer");
  });

  it.each([
    ["job-42_a.b", true],
    ["x".repeat(64), true],
    ["x".repeat(65), false],
    ["a b", false],
    ["<script>", false],
    ["", false],
  ])("has the client's X-Request-Id %j if that is valid: %s (E8)", async (id, kept) => {
    const answered = (await send("/health", { headers: { "X-Request-Id": id } })).headers.get("X-Request-Id");
    expect(answered === id).toBe(kept);
    expect(answered).toMatch(/^[\w.-]{1,64}$/);
  });
});

describe("Server-Timing", () => {
  const page = "/v1/lancamentos?per_page=1";
  const limited = createClient({ RATE_LIMIT_GLOBAL: 1 });
  const broken = () => Promise.reject(new Error("broken"));
  const uncounted = createClient({ COUNTERS: interceptObjects(env.COUNTERS, broken) });
  // The lookup of the token and the request each count and run a statement.
  const withNewAgentToken = async () =>
    send(page, { headers: { Authorization: `Bearer ${await makeAgentToken(DEMO.email)}` } });
  const all = ["auth", "limit", "db", "total"];
  const refused = ["auth", "limit", "total"];

  it.each<[string, () => Promise<Response>, number, string[]]>([
    ["a page", () => get(page), 200, all],
    ["HEAD", async () => send(page, { method: "HEAD", headers: authorization(await signIn()) }), 200, all],
    [
      "an unchanged page",
      async () => get(page, { "If-None-Match": (await get(page)).headers.get("ETag") ?? "" }),
      304,
      all,
    ],
    ["an agent token that is looked up", withNewAgentToken, 200, all],
    ["a missing record", () => get("/v1/lancamentos/nothing"), 404, all],
    ["an invalid parameter", () => get("/v1/lancamentos?page=0"), 400, refused],
    ["a missing token", () => send(page), 401, refused],
    ["a wrong method", () => send("/v1/lancamentos", { method: "PUT" }), 405, refused],
    ["an unknown path", () => send("/nothing"), 404, refused],
    ["a counter that is down", () => uncounted.send("/auth/me"), 503, refused],
    ["a database that is down", () => unreachable(page), 503, all],
    ["a long URL", () => send(`/health?x=${"x".repeat(9000)}`), 414, ["limit", "total"]],
    [
      "a preflight",
      () => send(page, { method: "OPTIONS", headers: { Origin: "https://a.example" } }),
      204,
      ["total"],
    ],
    ["invalid settings", () => createClient({ RATE_LIMIT_AUTH: 0 }).send("/health"), 500, ["total"]],
  ])("lists the duration of each step of %s (E8)", async (_, ask, status, steps) => {
    const response = await ask();
    expect(response.status).toBe(status);
    expect(stepsOf(response).sort()).toEqual(steps.toSorted());
  });

  it("has no db step for a client out of quota, and a limit step only if the counter was called (E8)", async () => {
    await limited.send("/health");
    const response = await limited.send("/health");
    expect(response.status).toBe(429);
    expect(stepsOf(response).filter((step) => step !== "limit")).toEqual(["auth", "total"]);
  });

  const stepsOf = ({ headers }: Response) =>
    (headers.get("Server-Timing") ?? "")
      .split(/, ?/)
      .map((step) => /^(\w+);dur=\d+(?:\.\d+)?(?:;|$)/.exec(step)?.[1]);
});

/** Headers that any page can read, and headers that only the browser uses. */
const NOT_OURS = /^(cache-control|content-(type|length)|access-control-.*|vary|timing-allow-origin)$/;
const SECURITY =
  /^(content-security-policy|strict-transport-security|x-content-type-options|referrer-policy|cross-origin-opener-policy)$/;

it("pages of other origins can read exactly the headers that we send, and the document describes each (E7)", async () => {
  const page = "/v1/lancamentos?per_page=1&page=2&periodo=2026";
  const full = await get(page, { Prefer: "handling=strict" });
  const limited = createClient({ RATE_LIMIT_GLOBAL: 1 });
  await limited.send("/health");
  const answers = [
    full,
    await get(page, { "If-None-Match": full.headers.get("ETag") ?? "" }),
    await get("/v1/lancamentos?page=0"),
    await get("/v1/lancamentos/nothing"),
    await send("/v1/lancamentos"),
    await send("/v1/lancamentos", { method: "PUT" }),
    await send("/nothing"),
    await send("/llms.txt"),
    await send("/docs", { headers: { Accept: "text/html" } }),
    await limited.send("/health"),
    await post("/auth/login", "x".repeat(5000)),
    await createClient({ RATE_LIMIT_GLOBAL: 0 }).send("/health"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    200, 304, 400, 404, 401, 405, 404, 200, 401, 429, 413, 500,
  ]);
  const sent = new Set(answers.flatMap(({ headers }) => [...headers.keys()]));
  const ours = [...sent].filter((name) => !NOT_OURS.test(name) && !SECURITY.test(name)).sort();
  const exposed = full.headers.get("Access-Control-Expose-Headers")?.toLowerCase().split(",").sort();
  expect(exposed).toEqual(ours);
  const documented = Object.keys((await readDocument()).components.headers);
  expect(documented.map((name) => name.toLowerCase()).sort()).toEqual(ours);
});

describe("Cache-Control", () => {
  const limited = createClient({ RATE_LIMIT_AUTH: 1 });
  const uncounted = () => {
    const COUNTERS = interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));
    return createClient({ COUNTERS }).send("/auth/me");
  };

  it.each<[number, () => Promise<Response>]>([
    [200, async () => send("/auth/me", { headers: authorization(await signIn()) })],
    [204, () => send("/auth/login", { method: "OPTIONS", headers: { Origin: "https://dashboard.example" } })],
    [400, () => post("/auth/login", "{")],
    [401, () => post("/auth/login", { email: "nobody@example.com", password: "wrong" })],
    [401, () => send("/auth/me")],
    [404, () => send("/auth/nothing")],
    [404, () => send("/auth")],
    [405, () => send("/auth/login")],
    [405, () => send("/auth/me", { method: "DELETE" })],
    [413, () => post("/auth/login", "x".repeat(5000))],
    [414, () => send(`/auth/me?x=${"x".repeat(9000)}`)],
    [429, () => limited.send("/auth/me").then(() => limited.send("/auth/me"))],
    [500, () => createClient({ RATE_LIMIT_AUTH: 0 }).send("/auth/me")],
    [503, uncounted],
  ])("is no-store with a %i of /auth (E6)", async (status, ask) => {
    const response = await ask();
    expect(response.status).toBe(status);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  it.each<[number, () => Promise<Response>]>([
    [200, () => get("/v1/lancamentos?per_page=1")],
    [400, () => get("/v1/lancamentos?page=0")],
    [401, () => send("/v1/lancamentos")],
    [404, () => get("/v1/lancamentos/nothing")],
    [404, () => get("/v1/nothing")],
    [405, () => send("/v1/lancamentos", { method: "PUT" })],
    [410, () => get("/v1/alteracoes/lancamentos?after=lancamentos.000000000000.0.0")],
    [414, () => get(`/v1/lancamentos?x=${"x".repeat(9000)}`)],
  ])("is private, no-cache with a %i of /v1 (E6)", async (status, ask) => {
    const response = await ask();
    expect(response.status).toBe(status);
    expect(response.headers.get("Cache-Control")).toBe("private, no-cache");
  });

  it("is private, no-cache for /v1 and absent for a path that only begins like /auth (E6)", async () => {
    expect((await get("/v1/lancamentos?per_page=1")).headers.get("Cache-Control")).toBe("private, no-cache");
    expect((await send("/authentic")).headers.get("Cache-Control")).toBeNull();
  });
});

describe("Vary", () => {
  const page = "/v1/lancamentos?per_page=1";
  const limited = createClient({ RATE_LIMIT_GLOBAL: 1 });
  const tagOf = async (path: string) => (await get(path)).headers.get("ETag") ?? "";

  it.each<[number, string, () => Promise<Response>]>([
    [200, "a page", () => get(page)],
    [200, "CSV", () => get(page, { Accept: "text/csv" })],
    [200, "HEAD", async () => send(page, { method: "HEAD", headers: authorization(await signIn()) })],
    [200, "a report", () => get("/v1/relatorios/resumo")],
    [204, "a preflight", () => send(page, { method: "OPTIONS", headers: { Origin: "https://a.example" } })],
    [304, "a page", async () => get(page, { "If-None-Match": await tagOf(page) })],
    [304, "freshness", async () => get("/v1/frescor", { "If-None-Match": await tagOf("/v1/frescor") })],
    [400, "a wrong value", () => get("/v1/lancamentos?page=0")],
    [401, "no token", () => send(page)],
    [
      403,
      "another unit",
      async () => {
        const token = await signTokenOf(7, { units: ["101"], personalData: true, payments: true });
        return send(`${page}&estabelecimento_id=102`, { headers: { Authorization: `Bearer ${token}` } });
      },
    ],
    [404, "an unknown record", () => get("/v1/lancamentos/nothing")],
    [404, "an unknown path", () => get("/v1/nothing")],
    [404, "the prefix", () => get("/v1")],
    [405, "a wrong method", () => send(page, { method: "PUT" })],
    [410, "a marker", () => get("/v1/alteracoes/lancamentos?after=lancamentos.000000000000.0.0")],
    [413, "a long body", () => send(page, { method: "POST", body: "x".repeat(5000) })],
    [414, "a long URL", () => get(`${page}&x=${"x".repeat(9000)}`)],
    [429, "no quota", () => limited.send("/health").then(() => limited.send(page))],
    [500, "invalid settings", () => createClient({ RATE_LIMIT_GLOBAL: 0 }).send(page)],
    [503, "no database", () => unreachable(page)],
  ])("of a %i of /v1 (%s) names Authorization once (A12)", async (status, _, ask) => {
    const response = await ask();
    expect(response.status).toBe(status);
    const names = (response.headers.get("Vary") ?? "").split(/, ?/);
    expect(names.filter((name) => name === "Authorization")).toHaveLength(1);
    expect(new Set(names).size).toBe(names.length);
  });

  it("also names what else the answer depends on (A12, E7, X1)", async () => {
    const { send } = createClient({ CORS_ORIGINS: "https://a.example" });
    const headers = { ...authorization(await signIn()), Origin: "https://a.example" };
    const varyOf = async (path: string, init = {}) => {
      const response = await send(path, { headers, ...init });
      return (response.headers.get("Vary") ?? "").split(/, ?/).sort();
    };
    expect(await varyOf(page)).toEqual(["Accept", "Authorization", "Origin"]);
    expect(await varyOf("/v1/relatorios/resumo")).toEqual(["Authorization", "Origin"]);
    expect(await varyOf("/v1/nothing")).toEqual(["Accept", "Authorization", "Origin"]);
    const preflight = await varyOf(page, { method: "OPTIONS" });
    expect(preflight).toEqual(expect.arrayContaining(["Authorization", "Origin"]));
    expect(await varyOf("/auth/me")).toEqual(["Origin"]);
  });
});

describe("Clear-Site-Data", () => {
  const { send: ask } = createBrowser();
  const logout = async (body: unknown) => post("/auth/logout", body, authorization(await signIn()));

  it("empties the browser's cache when a user signs out (A12)", async () => {
    const { cookie } = await ask("login", undefined, DEMO);
    const answers = [
      await logout(undefined),
      await logout({ session: "0".repeat(32) }),
      await logout({ refresh_token: (await signIn()).refresh_token }),
      (await ask("logout", cookie)).response,
      (await ask("logout", undefined)).response,
    ];
    for (const { status, headers } of answers)
      expect([status, headers.get("Clear-Site-Data")]).toEqual([200, '"cache"']);
  });

  it("is in no other answer (A12)", async () => {
    const answers = [
      await post("/auth/login", DEMO),
      await logout({ all: false }),
      await post("/auth/logout", {}),
      (await ask("refresh", undefined)).response,
      await get("/v1/lancamentos?per_page=1"),
    ];
    for (const { headers } of answers) expect(headers.get("Clear-Site-Data")).toBeNull();
  });
});

describe("methods and paths", () => {
  it.each(["PUT", "DELETE", "PATCH", "POST"])("%s on a list returns 405 with Allow (E1)", async (method) => {
    const response = await send("/v1/lancamentos", { method });
    expect(response.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
    await expectError(response, 405, "Method Not Allowed", /GET, HEAD, OPTIONS/);
  });

  it("GET on a POST route returns 405 with Allow (E1)", async () => {
    expect((await send("/auth/login")).headers.get("Allow")).toBe("POST, OPTIONS");
  });

  it("an unknown path returns 404 (E1)", async () => {
    await expectError(await send("/v2/lancamentos"), 404, "Not Found", /path does not exist/);
    await expectError(await send("/v1/lancamentos/a/b"), 404, "Not Found", /path does not exist/);
  });

  it("HEAD returns the headers of GET without the body (E1)", async () => {
    const { access_token } = await signIn();
    const headers = { Authorization: `Bearer ${access_token}` };
    const head = await send("/v1/lancamentos?per_page=1", { method: "HEAD", headers });
    const full = await send("/v1/lancamentos?per_page=1", { headers });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe("");
    expect(head.headers.get("ETag")).toBe(full.headers.get("ETag"));
  });

  it.each(["/v1/lancamentos", "/auth/login", "/mcp", "/oauth/token"])(
    "a preflight of %s returns 204 without a token and allows any header (E1, E7)",
    async (path) => {
      const response = await send(path, {
        method: "OPTIONS",
        headers: {
          Origin: "https://dashboard.example",
          "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "authorization,baggage,traceparent",
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get("Access-Control-Max-Age")).toBe("86400");
      expect(response.headers.get("Access-Control-Allow-Methods")).toContain("POST");
      // The asterisk does not include `Authorization`, and is an asterisk only without credentials.
      expect(response.headers.get("Access-Control-Allow-Headers")).toBe("*, Authorization");
      expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
    },
  );
});

describe("the log", () => {
  it("has one line per request, without personal data (E9)", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    await post("/auth/login", { email: "someone@example.com", password: "secret-words" });
    await get("/v1/lancamentos/a%20name?x=private");
    await get("/v1/lancamentos?estabelecimento_id=private&page=0");
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(Object.keys(JSON.parse(line)).sort()).toEqual(
        expect.arrayContaining(["method", "ms", "request", "route", "status"]),
      );
      expect(line).not.toMatch(/someone|secret|private|name|Bearer/);
    }
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({
      method: "GET",
      route: "/v1/lancamentos/:id",
      status: 404,
      user: 1,
    });
  });
});

describe("ETag", () => {
  it("depends on the representation and not on the token: another token gets the 304 (E6, E7)", async () => {
    const [first, second] = [await signIn(), await signIn()];
    const path = "/v1/lancamentos?per_page=3&page=2";
    const full = await send(path, { headers: { Authorization: `Bearer ${first.access_token}` } });
    const tag = full.headers.get("ETag") ?? "";
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    expect(full.headers.get("Cache-Control")).toBe("private, no-cache");
    // Waits for its count, so that the rate limit headers are known.
    await send("/nothing", { headers: authorization(second) });
    const again = await send(path, {
      headers: { Authorization: `Bearer ${second.access_token}`, "If-None-Match": `"x", ${tag}` },
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    for (const name of [
      "ETag",
      "Cache-Control",
      "Link",
      "RateLimit",
      "RateLimit-Policy",
      "X-Request-Id",
      "Access-Control-Allow-Origin",
      "Access-Control-Expose-Headers",
    ]) {
      expect(again.headers.get(name), name).toBeTruthy();
    }
  });

  it.each(['"x"', 'W/"x"', "x", ""])("does not match If-None-Match: %s (E6)", async (tag) => {
    expect((await get("/v1/lancamentos?per_page=1", { "If-None-Match": tag })).status).toBe(200);
  });
});
