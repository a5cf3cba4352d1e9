// @module-tag server
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  addUser,
  authorization,
  breakDatabase,
  DEMO,
  expectError,
  mendDatabase,
  post,
  send,
  type Tokens,
} from "../../support/worker/api.ts";
import { createClient, DEPLOYED_QUOTAS, interceptObjects } from "../../support/worker/client.ts";
import { createBrowser, OWN_ORIGIN } from "../../support/worker/kept-session.ts";

const { send: ask, refresh } = createBrowser();
const elsewhere = createBrowser();
const _DAY = 86_400_000;

const signIn = async (credentials = DEMO) => {
  const answer = await ask("login", undefined, credentials);
  expect(answer.status).toBe(200);
  return answer;
};

let userCount = 0;
/** A user without earlier requests. */
const newUser = async () => {
  userCount += 1;
  const user = { email: `kept${userCount}@example.com`, password: "kept-password" };
  await addUser(user);
  return user;
};

/** Renews and returns the new cookie. */
const renewed = async (cookie: string, browser = { refresh }) => {
  const answer = await browser.refresh(cookie);
  expect(answer.status).toBe(200);
  return answer.cookie;
};

const expectEnded = async (cookie: string) => {
  const { response, setCookie } = await elsewhere.refresh(cookie);
  await expectError(response, 401, "Unauthorized", /Sign in again/);
  expect(setCookie).toMatch(/^__Secure-session=; Max-Age=0; Path=\/auth\/browser;/);
};

/** How a browser, or the runtime, separates cookies. */
const SEPARATORS = ["; ", ";", ", "];
const cookiesOf = (values: string[], separator: string) =>
  ["a=b", ...values.map((value) => `__Secure-session=${value}`)].join(separator);

afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

describe("/auth/browser", () => {
  it("keeps the refresh token in a cookie that scripts and other sites cannot use (A12)", async () => {
    const { response, setCookie } = await signIn();
    expect(setCookie?.split("; ").slice(1).sort()).toEqual(
      ["HttpOnly", "Max-Age=604800", "Path=/auth/browser", "SameSite=Strict", "Secure"].sort(),
    );
    const body = await response.json<Tokens>();
    expect(Object.keys(body).sort()).toEqual(["access_token", "expires_in", "token_type"]);
    expect((await send("/auth/me", { headers: authorization(body) })).status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
  });

  it("on http, uses a name without prefix and no Secure, so that it works on loopback (A12)", async () => {
    const { exports } = await import("cloudflare:workers");
    const response = await exports.default.fetch("http://127.0.0.1:8787/auth/browser/login", {
      method: "POST",
      body: JSON.stringify(DEMO),
      headers: { "Content-Type": "application/json", Origin: "http://127.0.0.1:8787" },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("Set-Cookie")).toMatch(
      /^session=[\w-]{104}; Max-Age=604800; Path=\/auth\/browser; HttpOnly; SameSite=Strict$/,
    );
  });

  it.each(["login", "refresh", "logout"])(
    "%s refuses every other Origin before anything is counted, without CORS headers (A12, E7)",
    async (action) => {
      const { cookie } = await signIn();
      for (const origin of [
        undefined,
        "null",
        "",
        "https://evil.test",
        "https://api.test.evil.test",
        "http://api.test",
        "https://api.test:444",
        "https://sub.api.test",
      ]) {
        const headers = {
          Cookie: `__Secure-session=${cookie}`,
          ...(origin !== undefined && { Origin: origin }),
        };
        const response = await post(`/auth/browser/${action}`, DEMO, headers);
        await expectError(response.clone(), 403, "Forbidden", /Only pages of this service/);
        expect(response.headers.get("Set-Cookie")).toBeNull();
        expect(response.headers.get("RateLimit")).toBeNull();
        expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
      }
      await renewed(cookie);
    },
  );

  it("answers preflights and its own pages without CORS headers (A12, E7)", async () => {
    for (const origin of ["https://evil.test", "https://api.test"]) {
      const preflight = await send("/auth/browser/refresh", {
        method: "OPTIONS",
        headers: { Origin: origin, "Access-Control-Request-Method": "POST" },
      });
      expect(preflight.status).toBe(origin === "https://api.test" ? 204 : 403);
      expect([...preflight.headers.keys()].join()).not.toContain("access-control");
    }
    const { response } = await signIn();
    expect([...response.headers.keys()].join()).not.toContain("access-control");
  });

  it("answers the predecessor after the signing key changed between two renewals (A12, A4)", async () => {
    const { cookie } = await signIn();
    const [one, two] = env.TOKEN_KEYS.split(",");
    const flipped = createBrowser(createClient({ TOKEN_KEYS: `${two},${one}` }));
    const next = await renewed(cookie, flipped);
    expect(await renewed(cookie)).toBe(next);
    expect(await renewed(cookie, flipped)).toBe(next);
    await renewed(next);
  });

  it("a lost answer of any attempt does not end the session (A12)", async () => {
    const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
      const reply = await call();
      if (method === "rotate") throw new Error("reply lost");
      return reply;
    });
    const { cookie } = await signIn();
    expect((await createBrowser(createClient({ SESSIONS })).refresh(cookie)).status).toBe(503);
    await renewed(await renewed(cookie));
  });

  it("keeps the cookie on a 429 (A12)", async () => {
    const browser = createBrowser(createClient({ RATE_LIMIT_GLOBAL: 1, RATE_LIMIT_AUTH: 1 }));
    const { cookie } = await signIn(await newUser());
    const next = (await browser.refresh(cookie)).cookie;
    const { status, setCookie } = await browser.refresh(next);
    expect([status, setCookie]).toEqual([429, null]);
  });

  it("keeps the cookie on a 503 and deletes it on a 401 only (A12)", async () => {
    const { cookie } = await signIn();
    await breakDatabase({ kind: "refuse" });
    const { status, setCookie } = await refresh(cookie);
    expect([status, setCookie]).toEqual([503, null]);
    await mendDatabase();
    await renewed(cookie);
    await expectEnded("x".repeat(104));
  });

  it("refuses to renew with several cookies of its name, and uses none of them (A12)", async () => {
    const [cookie, other] = [(await signIn()).cookie, (await signIn()).cookie];
    for (const separator of SEPARATORS) {
      const { response, setCookie } = await ask("refresh", undefined, undefined, {
        Cookie: cookiesOf([cookie, other], separator),
      });
      await expectError(response, 400, "Bad Request", /Several session cookies/);
      expect(setCookie).toBeNull();
    }
    await renewed(cookie);
    await renewed(other);
  });

  it.each(SEPARATORS)(
    "with several cookies, separated by %j, signing out ends the session of each genuine one (A8, A12)",
    async (separator) => {
      const [kept, planted, unrelated] = [await signIn(), await signIn(), await signIn()];
      const used = await renewed(kept.cookie);
      const api = await (await post("/auth/login", DEMO)).json<Tokens>();
      const sent = ["", planted.cookie, "forged", kept.cookie, used, "x".repeat(104), api.refresh_token];
      const { status, setCookie } = await ask("logout", undefined, undefined, {
        Cookie: cookiesOf(sent, separator),
      });
      expect(status).toBe(200);
      expect(setCookie).toMatch(/^__Secure-session=; Max-Age=0; Path=\/auth\/browser;/);
      await expectEnded(used);
      await expectEnded(planted.cookie);
      await renewed(unrelated.cookie);
      expect((await post("/auth/refresh", { refresh_token: api.refresh_token })).status).toBe(200);
    },
  );

  it("with several cookies, a sign-out that could not end one of the sessions keeps the cookie (A12, E2)", async () => {
    const [one, other] = [(await signIn()).cookie, (await signIn()).cookie];
    let calls = 0;
    const SESSIONS = interceptObjects(env.SESSIONS, (call) => {
      calls += 1;
      return calls === 1 ? call() : Promise.reject(new Error("broken"));
    });
    const headers = { Cookie: cookiesOf([one, other], "; ") };
    const broken = createBrowser(createClient({ SESSIONS }));
    const { status, setCookie } = await broken.send("logout", undefined, undefined, headers);
    expect([status, setCookie]).toEqual([503, null]);
    expect((await ask("logout", undefined, undefined, headers)).status).toBe(200);
    for (const ended of [one, other]) await expectEnded(ended);
  });

  it("without a cookie, a renewal is a 401 and signing out is a 200 (A12)", async () => {
    const none = await refresh(undefined);
    await expectError(none.response, 401, "Unauthorized", /No session is kept/);
    expect((await ask("logout", undefined)).status).toBe(200);
    expect((await ask("logout", "forged")).status).toBe(200);
  });

  it("signs out with the cookie alone, even with one that is already used (A8, A12)", async () => {
    const { cookie } = await signIn();
    const next = await renewed(await renewed(cookie));
    const { status, setCookie } = await ask("logout", cookie);
    expect(status).toBe(200);
    expect(setCookie).toContain("Max-Age=0");
    await expectEnded(next);
  });

  it("no other path reads the cookie (A2, A12)", async () => {
    const { cookie } = await signIn();
    const headers = { ...OWN_ORIGIN, Cookie: `__Secure-session=${cookie}` };
    for (const path of ["/auth/me", "/auth/sessions", "/v1/frescor"]) {
      expect((await send(path, { headers })).status).toBe(401);
    }
    expect((await post("/auth/refresh", {}, headers)).status).toBe(400);
    expect((await post("/mcp", {}, headers)).status).toBe(401);
  });

  it("counts renewals in `global` alone and for their session; sign-ins and sign-outs count as /auth (A12, E3)", async () => {
    const browser = createBrowser(createClient(DEPLOYED_QUOTAS));
    const { cookie, response } = await browser.send("login", undefined, await newUser());
    expect(response.headers.get("RateLimit-Policy")).toBe('"global";q=500;w=900, "auth";q=20;w=900');
    let live = cookie;
    for (let round = 1; round <= 25; round += 1) {
      const answer = await browser.refresh(live);
      expect(answer.status).toBe(200);
      expect(answer.response.headers.get("RateLimit-Policy")).toBe('"global";q=500;w=900');
      expect(answer.response.headers.get("RateLimit")).toMatch(new RegExp(`^"global";r=${500 - round};`));
      live = answer.cookie;
    }
    for (let i = 1; i < 20; i += 1) expect((await browser.send("logout", undefined)).status).toBe(200);
    expect((await browser.send("logout", undefined)).status).toBe(429);
    expect((await browser.send("login", undefined, DEMO)).status).toBe(429);
  });

  it("counts failed passwords with those of POST /auth/login (E5, A12)", async () => {
    const user = await newUser();
    const wrong = { ...user, password: "wrong" };
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) =>
        i % 2 === 0
          ? (await ask("login", undefined, wrong)).status
          : (await post("/auth/login", wrong)).status,
      ),
    );
    expect(answers).toEqual(Array(50).fill(401));
    const { status, setCookie } = await ask("login", undefined, user);
    expect([status, setCookie]).toEqual([429, null]);
  });

  it("reads a body as POST /auth/login does (A5, A12)", async () => {
    for (const body of [undefined, "[]", "{", { email: DEMO.email }, { ...DEMO, password: "" }])
      expect((await ask("login", undefined, body)).status).toBe(400);
    const form = await post("/auth/browser/login", "email=a", {
      ...OWN_ORIGIN,
      "Content-Type": "application/x-www-form-urlencoded",
    });
    expect(form.status).toBe(400);
    expect((await ask("login", undefined, { ...DEMO, extra: "x".repeat(5000) })).status).toBe(413);
    const wrongMethod = await send("/auth/browser/login", { headers: OWN_ORIGIN });
    expect([wrongMethod.status, wrongMethod.headers.get("Allow")]).toEqual([405, "POST, OPTIONS"]);
  });
});
