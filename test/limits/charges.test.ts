import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forget } from "../../src/limits/middleware.ts";
import {
  authorization,
  databaseRequests,
  expectError,
  mendDatabase,
  sql,
  type Tokens,
} from "../support/api.ts";
import { cheapHash, createClient as createClientOf, DEPLOYED, newAddress, tally } from "../support/client.ts";
import { hurried, stopTimers } from "../support/clock.ts";

/** Limited as deployed. */
const createClient: typeof createClientOf = (overrides, address) =>
  createClientOf({ ...DEPLOYED, ...overrides }, address);
const times = <T>(n: number, make: () => Promise<T>) => Promise.all(Array.from({ length: n }, make));
const left = (response: Response, name = "global") =>
  Number(new RegExp(`"${name}";r=(\\d+)`).exec(response.headers.get("RateLimit") ?? "")?.[1]);

/** A user of these tests alone, new in each: a user is one client wherever it signs in. */
const PERSON = { email: "charged@example.com", password: "a-password" };
beforeEach(async () => {
  await sql`delete from users where email = ${PERSON.email}`;
  await sql`insert into users (email, name, password_hash)
    values (${PERSON.email}, 'Charged', ${cheapHash(PERSON.password)})`;
});
afterEach(() => {
  vi.useRealTimers();
  forget();
});

describe("pages of other origins", () => {
  const fromPage = (site: string) => ({ headers: { "Sec-Fetch-Site": site } });

  it.each(["cross-site", "same-site"])(
    "a %s page cannot lock its address out of signing in, nor out of anything else (E3)",
    async (site) => {
      const { send, post } = createClient();
      const images = await times(25, () => send("/auth/x", fromPage(site)));
      expect(tally(images)).toEqual({ 404: 20, 429: 5 });
      const forms = await times(3, () =>
        send("/auth/login", { ...fromPage(site), method: "POST", body: "x" }),
      );
      expect(tally(forms)).toEqual({ 429: 3 });
      const fetches = await times(600, () => send("/health", fromPage(site)));
      expect(tally(fetches)).toEqual({ 200: 480, 429: 120 });
      // The address has all that it had.
      const login = await post("/auth/login", PERSON);
      expect([login.status, left(login), left(login, "auth")]).toEqual([200, 499, 19]);
    },
  );

  it.each<Record<string, string>>([
    { "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "same-origin", "Sec-Purpose": "prefetch" },
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "none", Origin: "null" },
    { "Sec-Fetch-Site": "" },
    { Origin: "https://api.test" },
  ])("%j is the address itself (E3)", async (headers) => {
    const { send } = createClient();
    expect(left(await send("/health"))).toBe(499);
    expect(left(await send("/health", { headers }))).toBe(498);
  });

  it.each<Record<string, string>>([
    { "Sec-Fetch-Site": "cross-site", Origin: "https://api.test" },
    { "Sec-Fetch-Site": "same-site", "Sec-Purpose": "prefetch" },
    { "Sec-Fetch-Site": "none", "Sec-Purpose": "prefetch" },
    { "Sec-Fetch-Site": "none", "Sec-Purpose": "prefetch;prerender" },
    { Origin: "https://evil.test", Upgrade: "websocket" },
    { Origin: "http://api.test" },
    { Origin: "null" },
  ])("%j is the second client (E3)", async (headers) => {
    const { send } = createClient();
    expect(left(await send("/health", { headers }))).toBe(499);
    expect(left(await send("/health"))).toBe(499);
  });

  it("with a valid token count for its user (E3)", async () => {
    const { send, post, address } = createClient();
    const tokens = await (await post("/auth/login", PERSON)).json<Tokens>();
    const headers = { ...authorization(tokens), "Sec-Fetch-Site": "cross-site" };
    await send("/v1/estabelecimentos", { headers });
    const other = createClient({}, address);
    expect(left(await other.send("/health", fromPage("cross-site")))).toBe(499);
  });

  it("with an agent token that is none count for the page's client (E3, A10)", async () => {
    const { send } = createClient();
    const headers = { Authorization: `Bearer agt_${"x".repeat(43)}`, "Sec-Fetch-Site": "cross-site" };
    expect(left(await send("/v1/estabelecimentos", { headers }))).toBe(499);
    expect(left(await send("/health"))).toBe(499);
  });
});

describe("a request that is refused before it is counted", () => {
  const long = `/health?${"x".repeat(8200)}`;
  const large = { method: "POST", body: "x".repeat(5000) };

  it.each([
    ["414", 414, (send: Send) => send(long)],
    ["413", 413, (send: Send) => send("/auth/refresh", large)],
    ["413 elsewhere", 413, (send: Send) => send("/health", large)],
    ["413 of a stream", 413, (send: Send) => send("/health", { method: "POST", body: streamOf(5000) })],
  ] as const)("%s counts for its address, and is a 429 when that is used up (E3)", async (_, status, ask) => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 20 });
    const answers = await times(30, () => ask(send));
    expect(tally(answers)).toEqual({ [status]: 20, 429: 10 });
    const [first] = answers;
    expect(first?.headers.get("RateLimit-Policy")).toContain('"global";q=20;w=900');
    const last = await ask(send);
    await expectError(last, 429, "Too Many Requests", /Wait \d+ seconds/);
    expect(last.headers.get("Retry-After")).toMatch(/^\d+$/);
    expect((await send("/health")).status).toBe(429);
  });

  it("a 400 of a body that breaks off counts for its address (E3)", async () => {
    const { send } = createClient();
    const broken = new ReadableStream({ pull: (it) => it.error(new Error("connection lost")) });
    const answer = await send("/auth/login", { method: "POST", body: broken });
    await expectError(answer, 400, "Bad Request", /did not arrive whole/);
    expect(left(await send("/health"))).toBe(498);
  });

  it("counts under /auth in both limits (E3)", async () => {
    const { send } = createClient();
    const answers = await times(25, () => send("/auth/login", large));
    expect(tally(answers)).toEqual({ 413: 20, 429: 5 });
    expect(left(await send("/health"))).toBe(479);
  });

  it("is not counted twice: a large message to /mcp counts for its user alone (E3, M5)", async () => {
    const { send, post } = createClient();
    const tokens = await (await post("/auth/login", PERSON)).json<Tokens>();
    const body = "x".repeat(70_000);
    const headers = { ...authorization(tokens), "Content-Type": "application/json" };
    const before = left(await send("/auth/me", { headers: authorization(tokens) }));
    expect((await send("/mcp", { method: "POST", headers, body })).status).toBe(413);
    expect(left(await send("/auth/me", { headers: authorization(tokens) }))).toBe(before - 2);
    expect(left(await send("/health"))).toBe(498);
  });
});

describe("a refused renewal", () => {
  // What KV has read as missing stays missing in places for a minute: the object must know by itself.
  const HINTS = new Proxy(env.HINTS, {
    get: (hints, name) => (name === "get" ? async () => null : Reflect.get(hints, name).bind(hints)),
  });
  const open = async () => {
    const { post } = createClient();
    return (await post("/auth/login", PERSON)).json<Tokens>();
  };
  const renewAt = (client: ReturnType<typeof createClient>, { refresh_token }: Tokens, headers = {}) =>
    client.post("/auth/refresh", { refresh_token }, headers);

  it("counts for the address it came from, and stays a 401 when that is used up (E3)", async () => {
    const sessions = await Promise.all([open(), open()]);
    const client = createClient({ RATE_LIMIT_AUTH: 5 });
    for (const tokens of sessions) expect((await renewAt(client, tokens)).status).toBe(200);
    expect(left(await client.send("/health"))).toBe(499);
    // Each family has four left of its five, and the address has five.
    for (const tokens of [...sessions, ...sessions, ...sessions])
      await expectError(await renewAt(client, tokens), 401, "Unauthorized", /not valid any more/);
    expect(left(await client.send("/health"))).toBe(498 - 5);
    expect((await client.post("/auth/login", PERSON)).status).toBe(429);
  });

  it("tells what its family has left, and not what the address has (E4)", async () => {
    const tokens = await open();
    const client = createClient();
    await renewAt(client, tokens);
    expect(left(await renewAt(client, tokens), "auth")).toBe(18);
  });

  it("of a page of another origin counts for the page's client (E3)", async () => {
    const tokens = await open();
    const client = createClient();
    await renewAt(client, tokens);
    await renewAt(client, tokens, { "Sec-Fetch-Site": "cross-site" });
    expect(left(await client.send("/health"))).toBe(499);
    expect(left(await client.send("/health", { headers: { "Sec-Fetch-Site": "cross-site" } }))).toBe(498);
  });

  it("of a text that is no token counts once (E3)", async () => {
    const client = createClient();
    expect((await renewAt(client, { refresh_token: "nonsense" } as Tokens)).status).toBe(401);
    expect(left(await client.send("/health"))).toBe(498);
  });

  const statementsOf = async (work: () => Promise<void>) => {
    await mendDatabase();
    await work();
    return databaseRequests();
  };

  it.each([
    [
      "spent a moment ago, from the same address",
      async (client: Client, t: Tokens) => void (await renewAt(client, t)),
    ],
    [
      "spent and presented from elsewhere",
      async (client: Client, t: Tokens) => {
        await renewAt(client, t);
        await renewAt(createClient({ HINTS }, newAddress()), t);
      },
    ],
    [
      "signed out",
      async (client: Client, t: Tokens) =>
        void (await client.post("/auth/logout", { refresh_token: t.refresh_token }, authorization(t))),
    ],
    [
      "of a user who was disabled, once refused",
      async (client: Client, t: Tokens) => {
        await sql`update users set ativo = false where email = ${PERSON.email}`;
        expect((await renewAt(client, t)).status).toBe(401);
      },
    ],
    [
      "of a user who was removed, once refused",
      async (client: Client, t: Tokens) => {
        await sql`delete from users where email = ${PERSON.email}`;
        expect((await renewAt(client, t)).status).toBe(401);
      },
    ],
    [
      "of a session ended by a new password, once refused",
      async (client: Client, t: Tokens) => {
        await sql`update users set session_number = session_number + 1 where email = ${PERSON.email}`;
        expect((await renewAt(client, t)).status).toBe(401);
      },
    ],
  ])("with a token %s costs no statement, whatever KV knows (E3)", async (_, spend) => {
    const client = createClient({ HINTS });
    const tokens = await open();
    await spend(client, tokens);
    const asked = await statementsOf(async () => {
      const answers = await times(10, () => renewAt(client, tokens));
      expect(tally(answers)).toEqual({ 401: 10 });
    });
    expect(asked).toBe(0);
  });
});

describe("a body that does not end", () => {
  const endless = () => new ReadableStream<Uint8Array>({ start: (it) => it.enqueue(new Uint8Array([123])) });
  const json = { "Content-Type": "application/json" };

  it("is a 408 within the request's deadline, and counts for its address (E2, E3)", async () => {
    const { send, post } = createClient();
    const tokens = await (await post("/auth/login", PERSON)).json<Tokens>();
    const stalled = ["/auth/login", "/auth/refresh", "/auth/logout", "/health", "/nowhere"];
    stopTimers();
    const answers = await hurried(
      Promise.all(
        stalled.map((path) =>
          send(path, { method: "POST", headers: { ...json, ...authorization(tokens) }, body: endless() }),
        ),
      ),
    );
    for (const answer of answers) await expectError(answer, 408, "Request Timeout", /Send the request again/);
    // One sign-in and five that stalled, of which three count under /auth, too.
    const next = await post("/auth/login", PERSON);
    expect([left(next), left(next, "auth")]).toEqual([493, 15]);
    const message = { method: "POST", headers: { ...json, ...authorization(tokens) }, body: endless() };
    const before = left(await send("/auth/me", { headers: authorization(tokens) }));
    await expectError(await hurried(send("/mcp", message)), 408, "Request Timeout", /Send the request again/);
    expect(left(await send("/auth/me", { headers: authorization(tokens) }))).toBe(before - 2);
  });
});

type Client = ReturnType<typeof createClient>;
type Send = Client["send"];
const streamOf = (bytes: number) =>
  new ReadableStream<Uint8Array>({
    start: (it) => {
      for (let i = 0; i < bytes; i += 1000) it.enqueue(new Uint8Array(1000));
      it.close();
    },
  });
