import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signAccessToken, verifyAccessToken } from "../../src/auth/access-token.ts";
import { keyRing } from "../../src/auth/keys.ts";
import { readSettings, settingsOf } from "../../src/core/settings.ts";
import { authorization, DEMO, expectError, send, signIn, type Tokens } from "../support/api.ts";
import { createClient } from "../support/client.ts";

const me = (authorization?: string, headers: Record<string, string> = {}) =>
  send("/auth/me", {
    headers: { ...(authorization !== undefined && { Authorization: authorization }), ...headers },
  });

const claims = {
  id: 1,
  identity: crypto.randomUUID(),
  email: "demo@example.com",
  name: "Demo",
  family: "f".repeat(32),
};
const seconds = () => Math.floor(Date.now() / 1000);

afterEach(() => {
  vi.useRealTimers();
});

describe("bearer", () => {
  it("a missing token: 401 with the bare challenge (A3)", async () => {
    const response = await me();
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
    await expectError(response, 401, "Unauthorized", /POST \/auth\/refresh/);
  });

  it.each(["Bearer", "Bearer ", "bearer x", "Bearer a b", "Bearer a.b.c", "BEARER {}"])(
    "%j: 401 invalid_token (A3)",
    async (header) => {
      const response = await me(header);
      expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api", error="invalid_token"');
      await expectError(response, 401, "Unauthorized", /POST \/auth\/refresh/);
    },
  );

  it("the scheme matches in any case; a token in the query string is never read (A3)", async () => {
    const { access_token } = await signIn();
    expect((await me(`bEaReR ${access_token}`)).status).toBe(200);
    expect((await send(`/auth/me?access_token=${access_token}`)).status).toBe(401);
    expect((await me(`Basic ${access_token}`)).status).toBe(401);
    expect((await me(`Bearer ${access_token}, Bearer ${access_token}`)).status).toBe(401);
  });

  it("a missing token wins over a bad parameter (A3)", async () => {
    expect((await send("/v1/lancamentos?page=0")).status).toBe(401);
  });

  it("holds its claims, and lives 900 seconds to the second (A4)", async () => {
    const { access_token } = await signIn();
    const [header, payload] = access_token
      .split(".", 2)
      .map((part) => JSON.parse(Buffer.from(part, "base64url").toString()));
    expect(header).toEqual({ alg: "HS256", typ: "at+jwt", kid: "1" });
    expect(Object.keys(payload).sort()).toEqual([
      "aud",
      "email",
      "exp",
      "iat",
      "iss",
      "jti",
      "name",
      "sid",
      "sub",
      "uid",
    ]);
    expect(payload.sub).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(payload.uid).toBe(1);
    expect(payload.exp - payload.iat).toBe(900);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime((payload.exp - 1) * 1000);
    expect((await me(`Bearer ${access_token}`)).status).toBe(200);
    vi.setSystemTime(payload.exp * 1000);
    await expectError(
      await me(`Bearer ${access_token}`),
      401,
      "Unauthorized",
      /expired.*POST \/auth\/refresh/,
    );
  });

  it("two keys verify at once, the first signs (A4)", async () => {
    const [first, second] = env.TOKEN_KEYS.split(",");
    const flipped = keyRing(readSettings({ ...env, TOKEN_KEYS: `${second},${first}` }).TOKEN_KEYS);
    const token = await signAccessToken(flipped, claims, seconds());
    expect(JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).kid).toBe("2");
    expect(await verifyAccessToken(keyRing(settingsOf(env).TOKEN_KEYS), token)).toEqual(claims);
    expect((await me(`Bearer ${token}`)).status).toBe(200);
  });

  it("a rotation in three steps (add, flip, drop) causes no 401 (A4)", async () => {
    const [first = "", second = ""] = env.TOKEN_KEYS.split(",");
    const under = (TOKEN_KEYS: string) => createClient({ TOKEN_KEYS });
    const use = async (ring: string, tokens: Tokens) =>
      expect((await under(ring).send("/auth/me", { headers: authorization(tokens) })).status).toBe(200);
    const old = await (await under(first).post("/auth/login", DEMO)).json<Tokens>();
    for (const ring of [`${first},${second}`, `${second},${first}`]) await use(ring, old);
    // Instances that have the setting of the step before take what those of the next one issue.
    const renewed = await (
      await under(`${second},${first}`).post("/auth/refresh", { refresh_token: old.refresh_token })
    ).json<Tokens>();
    for (const ring of [`${first},${second}`, `${second},${first}`, second]) await use(ring, renewed);
    expect((await under(second).post("/auth/refresh", { refresh_token: renewed.refresh_token })).status).toBe(
      200,
    );
  });

  it.each([
    "",
    "1:",
    "1:c2hvcnQ",
    `0:${"A".repeat(43)}`,
    `256:${"A".repeat(43)}`,
    `1:${"A".repeat(43)},1:${"B".repeat(43)}`,
    "A".repeat(43),
  ])("keys %j refuse to serve (A4)", (setting) => {
    expect(() => readSettings({ ...env, TOKEN_KEYS: setting })).toThrow(/TOKEN_KEYS/);
    if (setting) expect(() => readSettings({ ...env, PSEUDONYM_KEY: setting })).toThrow(/PSEUDONYM_KEY/);
  });
});
