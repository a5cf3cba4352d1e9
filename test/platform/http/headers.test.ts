import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
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
} from "../../support/worker/api.ts";
import { createClient, interceptObjects, signTokenOf } from "../../support/worker/client.ts";
import { createBrowser } from "../../support/worker/kept-session.ts";

/** Sends a request while Postgres is unreachable. */
const unreachable = async (path: string) => {
  const DATABASE_URL = "postgres://salon_api:-@127.0.0.1:1/none";
  const headers = authorization(await signIn());
  return createClient({ DATABASE_URL }).send(path, { headers });
};
const limited = createClient({ RATE_LIMIT_GLOBAL: 1 });
const outOfQuota = async (path: string) => limited.send("/health").then(() => limited.send(path));
const uncounted = createClient({
  COUNTERS: interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken"))),
});
const preflight = (path: string) =>
  send(path, { method: "OPTIONS", headers: { Origin: "https://a.example" } });
const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });
const ofUnit = async () =>
  bearing(await signTokenOf(7, { units: ["101"], personalData: true, payments: true }));
const tagOf = async (path: string) => (await get(path)).headers.get("ETag") ?? "";

const PAGE = "/v1/lancamentos?per_page=1";
const ALL = ["auth", "limit", "db", "total"];
const WITHOUT_STATEMENT = ["auth", "limit", "total"];
type Answer = [status: number, what: string, ask: () => Promise<Response>, steps?: string[]];

/** Responses of /v1, with the steps in `Server-Timing`. */
const OF_V1: Answer[] = [
  [200, "a page", () => get(PAGE), ALL],
  [200, "CSV", () => get(PAGE, { Accept: "text/csv" }), ALL],
  [200, "HEAD", async () => send(PAGE, { method: "HEAD", headers: authorization(await signIn()) }), ALL],
  [200, "a report", () => get("/v1/relatorios/resumo"), ALL],
  // The lookup of the token and the request each count and run a statement.
  [
    200,
    "a new agent token",
    async () => send(PAGE, { headers: bearing(await makeAgentToken(DEMO.email)) }),
    ALL,
  ],
  [204, "a preflight", () => preflight(PAGE), ["total"]],
  [304, "a page", async () => get(PAGE, { "If-None-Match": await tagOf(PAGE) }), ALL],
  [304, "freshness", async () => get("/v1/frescor", { "If-None-Match": await tagOf("/v1/frescor") }), ALL],
  [400, "a wrong value", () => get("/v1/lancamentos?page=0"), WITHOUT_STATEMENT],
  [401, "no token", () => send(PAGE), WITHOUT_STATEMENT],
  [
    403,
    "another unit",
    async () => send(`${PAGE}&estabelecimento_id=102`, { headers: await ofUnit() }),
    WITHOUT_STATEMENT,
  ],
  [404, "an unknown record", () => get("/v1/lancamentos/nothing"), ALL],
  [404, "an unknown path", () => get("/v1/nothing"), WITHOUT_STATEMENT],
  [404, "the prefix", () => get("/v1"), WITHOUT_STATEMENT],
  [405, "a wrong method", () => send(PAGE, { method: "PUT" }), WITHOUT_STATEMENT],
  [410, "a marker", () => get("/v1/alteracoes/lancamentos?after=lancamentos.000000000000.0.0"), ALL],
  [413, "a long body", () => send(PAGE, { method: "POST", body: "x".repeat(5000) }), ["limit", "total"]],
  [414, "a long URL", () => get(`${PAGE}&x=${"x".repeat(9000)}`), ["limit", "total"]],
  // The counter is called only if the isolate does not know that the quota is used up.
  [429, "no quota", () => outOfQuota(PAGE), ["auth", "total"]],
  [500, "invalid settings", () => createClient({ RATE_LIMIT_GLOBAL: 0 }).send(PAGE), ["total"]],
  [503, "no database", () => unreachable(PAGE), ALL],
];

const OF_AUTH: Answer[] = [
  [200, "the user", async () => send("/auth/me", { headers: authorization(await signIn()) })],
  [204, "a preflight", () => preflight("/auth/login")],
  [400, "a wrong body", () => post("/auth/login", "{")],
  [401, "a wrong password", () => post("/auth/login", { email: "nobody@example.com", password: "wrong" })],
  [401, "no token", () => send("/auth/me")],
  [404, "an unknown path", () => send("/auth/nothing")],
  [404, "the prefix", () => send("/auth")],
  [405, "a wrong method", () => send("/auth/login")],
  [413, "a long body", () => post("/auth/login", "x".repeat(5000))],
  [414, "a long URL", () => send(`/auth/me?x=${"x".repeat(9000)}`)],
  [429, "no quota", () => outOfQuota("/auth/me")],
  [500, "invalid settings", () => createClient({ RATE_LIMIT_AUTH: 0 }).send("/auth/me")],
  [503, "no counter", () => uncounted.send("/auth/me"), WITHOUT_STATEMENT],
];
const ELSEWHERE: Answer[] = [
  [200, "health", () => send("/health")],
  [404, "an unknown path", () => send("/nothing")],
  [404, "a path that only begins like /auth", () => send("/authentic")],
];

const stepsOf = ({ headers, status }: Response) =>
  (headers.get("Server-Timing") ?? "")
    .split(/, ?/)
    .map((step) => /^(\w+);dur=\d+(?:\.\d+)?(?:;|$)/.exec(step)?.[1])
    .filter((step) => status !== 429 || step !== "limit");

describe.each<[string, string | null, Answer[]]>([
  ["/v1", "private, no-cache", OF_V1],
  ["/auth", "no-store", OF_AUTH],
  ["another path", null, ELSEWHERE],
])("every response of %s", (area, caching, answers) => {
  it.each(answers)(
    "with status %i (%s) has its headers, and each step once in Server-Timing (E6–E8, A12)",
    async (status, _, ask, steps) => {
      const response = await ask();
      const { headers } = response;
      expect([response.status, headers.get("Cache-Control")]).toEqual([status, caching]);
      expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(headers.get("Strict-Transport-Security")).toMatch(/max-age=\d{8}/);
      expect(headers.get("Referrer-Policy")).toBe("no-referrer");
      expect(headers.get("Access-Control-Allow-Credentials")).toBeNull();
      if (status !== 500) {
        expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
        expect(headers.get("Access-Control-Expose-Headers")).toContain("Retry-After");
      }
      if (steps) expect(stepsOf(response).sort()).toEqual(steps.toSorted());
      const vary = (headers.get("Vary") ?? "").split(/, ?/);
      expect(vary.filter((name) => name === "Authorization")).toHaveLength(area === "/v1" ? 1 : 0);
      expect(new Set(vary).size).toBe(vary.length);
    },
  );
});

it.each([
  ["job-42_a.b", true],
  ["x".repeat(64), true],
  ["x".repeat(65), false],
  ["a b", false],
  ["<script>", false],
  ["", false],
])("X-Request-Id is the client's own, %j, if that is valid: %s (E8)", async (id, kept) => {
  const answered = (await send("/health", { headers: { "X-Request-Id": id } })).headers.get("X-Request-Id");
  expect(answered === id).toBe(kept);
  expect(answered).toMatch(/^[\w.-]{1,64}$/);
});

/** Headers that any page can read, and headers that only the browser uses. */
const NOT_OURS =
  /^(cache-control|content-(type|length|disposition)|access-control-.*|vary|timing-allow-origin)$/;
const SECURITY =
  /^(content-security-policy|strict-transport-security|x-content-type-options|referrer-policy|cross-origin-opener-policy)$/;

it("pages of other origins can read exactly the headers that we send, and the document describes each (E7)", async () => {
  const page = `${PAGE}&page=2&periodo=2026`;
  const full = await get(page, { Prefer: "handling=strict" });
  const answers = [full, await send("/llms.txt"), await send("/docs", { headers: { Accept: "text/html" } })];
  for (const [, , ask] of [...OF_V1, ...OF_AUTH, ...ELSEWHERE]) answers.push(await ask());
  const sent = new Set(answers.flatMap(({ headers }) => [...headers.keys()]));
  const ours = [...sent].filter((name) => !NOT_OURS.test(name) && !SECURITY.test(name)).sort();
  const exposed = full.headers.get("Access-Control-Expose-Headers")?.toLowerCase().split(",").sort();
  expect(exposed).toEqual(ours);
  const documented = Object.keys((await readDocument()).components.headers);
  expect(documented.map((name) => name.toLowerCase()).sort()).toEqual(ours);
});

it("Vary also names what else the answer depends on (A12, E7, X1)", async () => {
  const { send } = createClient({ CORS_ORIGINS: "https://a.example" });
  const headers = { ...authorization(await signIn()), Origin: "https://a.example" };
  const varyOf = async (path: string, init = {}) => {
    const response = await send(path, { headers, ...init });
    return (response.headers.get("Vary") ?? "").split(/, ?/).sort();
  };
  expect(await varyOf(PAGE)).toEqual(["Accept", "Authorization", "Origin"]);
  expect(await varyOf("/v1/relatorios/resumo")).toEqual(["Authorization", "Origin"]);
  expect(await varyOf("/v1/nothing")).toEqual(["Accept", "Authorization", "Origin"]);
  const ofPreflight = await varyOf(PAGE, { method: "OPTIONS" });
  expect(ofPreflight).toEqual(expect.arrayContaining(["Authorization", "Origin"]));
  expect(await varyOf("/auth/me")).toEqual(["Origin"]);
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
    const kept =
      "ETag Cache-Control Link RateLimit RateLimit-Policy X-Request-Id Access-Control-Expose-Headers";
    for (const name of kept.split(" ")) expect(again.headers.get(name), name).toBeTruthy();
  });

  it.each(['"x"', 'W/"x"', "x", ""])("does not match If-None-Match: %s (E6)", async (tag) => {
    expect((await get("/v1/lancamentos?per_page=1", { "If-None-Match": tag })).status).toBe(200);
  });
});
