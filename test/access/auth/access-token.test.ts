import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readSettings } from "../../../src/core/settings.ts";
import { authorization, DEMO, expectError, send, signIn, type Tokens } from "../../support/worker/api.ts";
import { createClient } from "../../support/worker/client.ts";

const getMe = (authorization?: string, headers: Record<string, string> = {}) =>
  send("/auth/me", {
    headers: { ...(authorization !== undefined && { Authorization: authorization }), ...headers },
  });

afterEach(() => {
  vi.useRealTimers();
});

describe("bearer authentication", () => {
  it("rejects a missing token with 401 and a challenge without an error (A3)", async () => {
    const response = await getMe();
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
    await expectError(response, 401, "Unauthorized", /POST \/auth\/refresh/);
  });

  it.each(["Bearer", "Bearer ", "bearer x", "Bearer a b", "Bearer a.b.c", "BEARER {}"])(
    "rejects %j with 401 invalid_token (A3)",
    async (header) => {
      const response = await getMe(header);
      expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api", error="invalid_token"');
      await expectError(response, 401, "Unauthorized", /POST \/auth\/refresh/);
    },
  );

  it("accepts the scheme in any case, and never reads a token from the query string (A3)", async () => {
    const { access_token } = await signIn();
    expect((await getMe(`bEaReR ${access_token}`)).status).toBe(200);
    expect((await send(`/auth/me?access_token=${access_token}`)).status).toBe(401);
    expect((await getMe(`Basic ${access_token}`)).status).toBe(401);
    expect((await getMe(`Bearer ${access_token}, Bearer ${access_token}`)).status).toBe(401);
  });

  it("rejects a missing token before an invalid parameter (A3)", async () => {
    expect((await send("/v1/lancamentos?page=0")).status).toBe(401);
  });

  it("issues access tokens with exactly the documented claims, valid for exactly 900 seconds (A4)", async () => {
    const { access_token } = await signIn();
    const [header, payload] = access_token
      .split(".", 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "HS256", typ: "at+jwt", kid: "1" });
    const names = "aud email exp iat iss jti kind name rights sid sub uid";
    expect(Object.keys(payload).sort().join(" ")).toBe(names);
    expect(payload.sub).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(payload.uid).toBe(1);
    expect(payload.rights).toEqual({ units: null, personalData: true, payments: true });
    expect(payload.exp - payload.iat).toBe(900);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime((payload.exp - 1) * 1000);
    expect((await getMe(`Bearer ${access_token}`)).status).toBe(200);
    vi.setSystemTime(payload.exp * 1000);
    await expectError(
      await getMe(`Bearer ${access_token}`),
      401,
      "Unauthorized",
      /expired.*POST \/auth\/refresh/,
    );
  });

  it("verifies with every key and signs with the first, so that keys rotate without a 401 (A4)", async () => {
    const [first = "", second = ""] = env.TOKEN_KEYS.split(",");
    const clientWith = (TOKEN_KEYS: string) => createClient({ TOKEN_KEYS });
    const expectAccepted = async (ring: string, tokens: Tokens) =>
      expect((await clientWith(ring).send("/auth/me", { headers: authorization(tokens) })).status).toBe(200);
    const old = await (await clientWith(first).post("/auth/login", DEMO)).json<Tokens>();
    for (const ring of [`${first},${second}`, `${second},${first}`]) await expectAccepted(ring, old);
    // Instances with the previous setting accept tokens that were issued under the next one.
    const renewed = await (
      await clientWith(`${second},${first}`).post("/auth/refresh", { refresh_token: old.refresh_token })
    ).json<Tokens>();
    for (const ring of [`${first},${second}`, `${second},${first}`, second])
      await expectAccepted(ring, renewed);
    expect(
      (await clientWith(second).post("/auth/refresh", { refresh_token: renewed.refresh_token })).status,
    ).toBe(200);
  });

  it.each([
    "",
    "1:",
    "1:c2hvcnQ",
    `0:${"A".repeat(43)}`,
    `256:${"A".repeat(43)}`,
    `1:${"A".repeat(43)},1:${"B".repeat(43)}`,
    "A".repeat(43),
  ])("refuses to serve with the keys %j (A4)", (setting) => {
    expect(() => readSettings({ ...env, TOKEN_KEYS: setting })).toThrow(/TOKEN_KEYS/);
    if (setting) expect(() => readSettings({ ...env, PSEUDONYM_KEY: setting })).toThrow(/PSEUDONYM_KEY/);
  });
});
