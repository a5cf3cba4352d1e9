import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { normalizeAddress } from "../../../src/access/auth/counter-name.ts";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import { addUser, authorization, DEMO, type Tokens } from "../../support/worker/api.ts";
import {
  countByStatus,
  createLimitedClient as createClient,
  inParallel,
  newAddress,
  remainingIn,
} from "../../support/worker/client.ts";

afterEach(clearTallies);

describe("the client of a request (E3)", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7"],
    [" 203.0.113.7 ", "203.0.113.7"],
    ["2001:db8:1:2ff:3:4:5:6", "2001:db8:1:200::/56"],
    ["2001:DB8:1:02AB::1", "2001:db8:1:200::/56"],
    ["2001:db8:1:300::", "2001:db8:1:300::/56"],
    ["::1", "0:0:0:0::/56"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    [undefined, "unknown"],
    ["", "unknown"],
    ["localhost", "unknown"],
    ["203.0.113.7, 198.51.100.1", "unknown"],
    ["2001:db8::1::2", "unknown"],
    ["fe80::1%eth0", "unknown"],
    ["] or [::1", "unknown"],
  ])("with CF-Connecting-IP %s is %s (E3)", (header, expected) => {
    expect(normalizeAddress(header)).toBe(expected);
  });

  it("is the same for all addresses of one IPv6 /56 (E3)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 10 });
    const addresses = Array.from({ length: 16 }, (_, i) => `2001:db8:77:42${i.toString(16)}0::${i}`);
    const responses = await Promise.all(
      addresses.map((address) => send("/health", { headers: { "CF-Connecting-IP": address } })),
    );
    expect(countByStatus(responses)).toEqual({ 200: 10, 429: 6 });
  });

  it("does not depend on headers that claim another address (E3)", async () => {
    const { send } = createClient({ RATE_LIMIT_GLOBAL: 5 });
    const spoofed = ["X-Forwarded-For", "X-Real-IP", "True-Client-IP", "Forwarded", "X-Client-IP"];
    const responses = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        send("/health", { headers: { [spoofed[i % 5] ?? ""]: `198.51.100.${i}` } }),
      ),
    );
    expect(countByStatus(responses)).toEqual({ 200: 5, 429: 20 });
  });

  it("is the same for all requests without an address (E3)", async () => {
    const clients = [createClient({ RATE_LIMIT_GLOBAL: 4 }, ""), createClient({ RATE_LIMIT_GLOBAL: 4 }, "")];
    const responses = await Promise.all(
      clients.flatMap(({ send }) => Array.from({ length: 4 }, () => send("/health"))),
    );
    expect(countByStatus(responses)).toEqual({ 200: 4, 429: 4 });
  });

  it("is the session when it renews, so that 21 devices can renew at one address (E3)", async () => {
    // Other files send hundreds of requests of the demo user.
    const account = { email: "devices@example.com", password: "a-password" };
    await addUser(account);
    const office = createClient();
    const sessions: Tokens[] = [];
    for (let i = 0; i < 21; i += 1)
      sessions.push(await (await createClient().post("/auth/login", account)).json());
    const renewals = await Promise.all(
      sessions.map(({ refresh_token }) => office.post("/auth/refresh", { refresh_token })),
    );
    expect(countByStatus(renewals)).toEqual({ 200: 21 });
    const forged = await inParallel(25, () =>
      office.post("/auth/refresh", { refresh_token: "A".repeat(104) }),
    );
    expect(countByStatus(forged)).toEqual({ 401: 20, 429: 5 });
  });

  it("is the user of a valid token, from every address (E3)", async () => {
    const tokens = await (await createClient().post("/auth/login", DEMO)).json<Tokens>();
    const somewhere = () =>
      createClient({ RATE_LIMIT_GLOBAL: 1_000_000, RATE_LIMIT_AUTH: 1_000_000 }).send("/auth/me", {
        headers: authorization(tokens),
      });
    expect(remainingIn(await somewhere(), "auth")).toBe(remainingIn(await somewhere(), "auth") + 1);
  });
});

describe("pseudonyms of addresses and e-mails", () => {
  const [first = "", second = ""] = env.TOKEN_KEYS.split(",");
  const remainingOf = async ({ send }: ReturnType<typeof createClient>) =>
    remainingIn(await send("/nothing"));
  const flipped = `${second},${first}`;

  it("derive from PSEUDONYM_KEY, so that a rotation of the token keys starts no new window (E3)", async () => {
    const PSEUDONYM_KEY = `1:${"p".repeat(43)}`;
    const address = newAddress();
    const before = await remainingOf(createClient({ PSEUDONYM_KEY }, address));
    for (const TOKEN_KEYS of [`${first},${second}`, flipped, second])
      expect(await remainingOf(createClient({ PSEUDONYM_KEY, TOKEN_KEYS }, address))).toBeLessThan(before);
    expect(await remainingOf(createClient({ PSEUDONYM_KEY }, address))).toBe(before - 4);
  });

  it("derive from the signing key without PSEUDONYM_KEY", async () => {
    const address = newAddress();
    const before = await remainingOf(createClient({}, address));
    expect(await remainingOf(createClient({ TOKEN_KEYS: flipped }, address))).toBe(before);
    expect(await remainingOf(createClient({}, address))).toBe(before - 1);
  });

  it("make every response a 500 if PSEUDONYM_KEY is too short (A4)", async () => {
    expect((await createClient({ PSEUDONYM_KEY: "1:c2hvcnQ" }).send("/nothing")).status).toBe(500);
  });
});

describe("a request from a browser", () => {
  const fromPage = (site: string) => ({ headers: { "Sec-Fetch-Site": site } });

  it.each(["cross-site", "same-site"])(
    "on a %s page does not use up the quota of its address (E3)",
    async (site) => {
      const { send, post } = createClient({ RATE_LIMIT_GLOBAL: 50 });
      const images = await inParallel(25, () => send("/auth/x", fromPage(site)));
      expect(countByStatus(images)).toEqual({ 404: 20, 429: 5 });
      const forms = await inParallel(3, () =>
        send("/auth/login", { ...fromPage(site), method: "POST", body: "x" }),
      );
      expect(countByStatus(forms)).toEqual({ 429: 3 });
      const fetches = await inParallel(40, () => send("/health", fromPage(site)));
      expect(countByStatus(fetches)).toEqual({ 200: 30, 429: 10 });
      // The quota of the address is unchanged.
      const login = await post("/auth/login", DEMO);
      expect([login.status, remainingIn(login), remainingIn(login, "auth")]).toEqual([200, 49, 19]);
    },
  );

  it.each<Record<string, string>>([
    { "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "same-origin", "Sec-Purpose": "prefetch" },
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "none", Origin: "null" },
    { "Sec-Fetch-Site": "" },
    { Origin: "https://api.test" },
  ])("with %j counts for the address (E3)", async (headers) => {
    const { send } = createClient();
    expect(remainingIn(await send("/nothing"))).toBe(499);
    expect(remainingIn(await send("/nothing", { headers }))).toBe(498);
  });

  it.each<Record<string, string>>([
    { "Sec-Fetch-Site": "cross-site", Origin: "https://api.test" },
    { "Sec-Fetch-Site": "same-site", "Sec-Purpose": "prefetch" },
    { "Sec-Fetch-Site": "none", "Sec-Purpose": "prefetch" },
    { "Sec-Fetch-Site": "none", "Sec-Purpose": "prefetch;prerender" },
    { Origin: "https://evil.test", Upgrade: "websocket" },
    { Origin: "http://api.test" },
    { Origin: "null" },
  ])("with %j counts for the second client of the address (E3)", async (headers) => {
    const { send } = createClient();
    expect(remainingIn(await send("/nothing", { headers }))).toBe(499);
    expect(remainingIn(await send("/nothing"))).toBe(499);
  });

  it("with a valid token counts for the user (E3)", async () => {
    const { send, post, address } = createClient();
    const tokens = await (await post("/auth/login", DEMO)).json<Tokens>();
    const headers = { ...authorization(tokens), "Sec-Fetch-Site": "cross-site" };
    await send("/v1/estabelecimentos", { headers });
    const other = createClient({}, address);
    expect(remainingIn(await other.send("/nothing", fromPage("cross-site")))).toBe(499);
  });

  it("with an unknown agent token counts for the second client (E3, A10)", async () => {
    const { send } = createClient();
    const headers = { Authorization: `Bearer agt_${"x".repeat(43)}`, "Sec-Fetch-Site": "cross-site" };
    expect(remainingIn(await send("/v1/estabelecimentos", { headers }))).toBe(499);
    expect(remainingIn(await send("/nothing"))).toBe(499);
  });
});
