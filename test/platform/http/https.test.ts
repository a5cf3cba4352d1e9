import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { app } from "../../../src/app.ts";
import { DEMO, databaseRequests, expectError, mendDatabase, signIn } from "../../support/worker/api.ts";
import { interceptObjects, newAddress } from "../../support/worker/client.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

let calls: string[] = [];
const onCall = (call: () => Promise<unknown>, method: string) => {
  calls.push(method);
  return call();
};
const OBSERVED = {
  COUNTERS: interceptObjects(env.COUNTERS, onCall),
  SESSIONS: interceptObjects(env.SESSIONS, onCall),
  LOGINS: interceptObjects(env.LOGINS, onCall),
};

const ask = (url: string, init: RequestInit = {}, version = "1.0.0") =>
  app.fetch(
    new Request(url, {
      redirect: "manual",
      ...init,
      headers: { "CF-Connecting-IP": newAddress(), ...(init.headers as Record<string, string>) },
    }),
    { ...env, ...OBSERVED, VERSION: version },
    createExecutionContext(),
  );

describe("plain http", () => {
  it.each<[string, RequestInit]>([
    ["/health", {}],
    ["/docs/", { headers: { Accept: "text/html" } }],
    ["/openapi.yaml", {}],
    ["/v1/nothing", { method: "PUT" }],
    ["/v1/lancamentos", { method: "OPTIONS", headers: { Origin: "https://a.example" } }],
    ["/auth/login", { method: "POST", headers: JSON_TYPE, body: JSON.stringify(DEMO) }],
    ["/auth/browser/login", { method: "POST", headers: { ...JSON_TYPE, Origin: "http://api.test" } }],
    ["/auth/browser/refresh", { method: "OPTIONS", headers: { Origin: "http://api.test" } }],
    ["/mcp", { method: "POST", headers: JSON_TYPE, body: "{}" }],
    ["/.well-known/oauth-authorization-server", {}],
  ])("to %s is a 403 without redirect, and is not counted (E8)", async (path, init) => {
    await mendDatabase();
    calls = [];
    const response = await ask(`http://api.test${path}`, init);
    expect([response.headers.get("Location"), response.headers.get("RateLimit")]).toEqual([null, null]);
    // A page may not send its token after the preflight.
    expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
    await expectError(response, 403, "Forbidden", /plain http.* Use https:\/\/\. .* exposed/);
    expect([calls, await databaseRequests()]).toEqual([[], 0]);
  });

  it("with a valid token is a 403, before its body is read (E8)", async () => {
    const { access_token, refresh_token } = await signIn();
    const headers = { Authorization: `Bearer ${access_token}` };
    calls = [];
    expect((await ask("http://api.test/v1/frescor", { headers })).status).toBe(403);
    let isRead = false;
    const pull = (controller: ReadableStreamDefaultController) => {
      isRead = true;
      controller.close();
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const logout = await ask("http://api.test/auth/logout", { method: "POST", headers, body });
    expect([logout.status, isRead, calls]).toEqual([403, false, []]);
    const renewal = (scheme: string) =>
      ask(`${scheme}://api.test/auth/refresh`, {
        method: "POST",
        headers: JSON_TYPE,
        body: JSON.stringify({ refresh_token }),
      });
    expect((await renewal("http")).status).toBe(403);
    expect((await renewal("https")).status).toBe(200);
  });

  it("at the token endpoint is a 403 in the shape of its errors (E8, A14)", async () => {
    const body = new URLSearchParams({ grant_type: "refresh_token" });
    const response = await ask("http://api.test/oauth/token", { method: "POST", body });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining("https://") });
  });

  it.each(["127.0.0.1", "127.0.0.1:8787", "localhost:8787", "[::1]:8787", "LOCALHOST"])(
    "is served on loopback, %s (E8)",
    async (host) => {
      expect((await ask(`http://${host}/health`)).status).toBe(200);
    },
  );

  it.each(
    "10.0.0.1 172.16.0.1:8787 172.31.255.255 192.168.1.20:8787 169.254.10.1 127.0.0.2 [fd12:3456::1]:8787 [fe80::1]".split(
      " ",
    ),
  )("is served on the private address %s in a local run only (E8)", async (host) => {
    expect((await ask(`http://${host}/health`, {}, "local")).status).toBe(200);
    expect((await ask(`http://${host}/health`, {}, "1.0.0")).status).toBe(403);
  });

  it.each([
    ..."api.test 10.0.0.1.evil.test 127.0.0.1.evil.test localhost.evil.test evil-localhost fd00.evil.test".split(
      " ",
    ),
    ..."172.15.0.1 172.32.0.1 192.169.0.1 11.0.0.1 8.8.8.8 [2001:db8::1] [fec0::1]".split(" "),
  ])("is refused on %s in a local run (E8)", async (host) => {
    expect((await ask(`http://${host}/health`, {}, "local")).status).toBe(403);
  });

  it("is not recognized by headers that claim a scheme (E8)", async () => {
    const headers = { "X-Forwarded-Proto": "https", Forwarded: "proto=https" };
    expect((await ask("http://api.test/health", { headers })).status).toBe(403);
    expect((await ask("https://api.test/health", { headers: { "X-Forwarded-Proto": "http" } })).status).toBe(
      200,
    );
  });
});
