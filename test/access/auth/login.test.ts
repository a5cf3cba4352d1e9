// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { cheapHash } from "../../support/cheap-hash.ts";
import {
  authorization,
  DEMO,
  databaseRequests,
  expectError,
  mendDatabase,
  post,
  send,
  signIn,
  sql,
} from "../../support/worker/api.ts";

beforeAll(async () => {
  await sql`insert into users (email, name, password_hash, ativo)
    values ('gone@example.com', 'Gone', ${cheapHash("gone-password")}, false),
           ('accents@example.com', 'Accents', ${cheapHash("pässwörd ㊙")}, true)`;
});

describe("POST /auth/login", () => {
  it("returns a TokenResponse whose access token other routes accept (A5, E6)", async () => {
    const response = await post("/auth/login", { email: "demo@example.com", password: "demo-password" });
    expect(response.status).toBe(200);
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const tokens = await response.json<Record<string, unknown>>();
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      refresh_token: expect.stringMatching(/^[\w-]{104}$/),
      token_type: "Bearer",
      expires_in: 900,
    });
    const me = await send("/auth/me", { headers: { Authorization: `Bearer ${tokens.access_token}` } });
    expect(await me.json()).toEqual({ id: 1, email: "demo@example.com", name: "Demo" });
  });

  it("accepts the e-mail in any case (A5)", async () => {
    await signIn({ email: "DEMO@Example.com", password: "demo-password" });
  });

  it("compares the password byte for byte, without Unicode normalization (A5)", async () => {
    await signIn({ email: "accents@example.com", password: "pässwörd ㊙" });
    const decomposed = await post("/auth/login", {
      email: "accents@example.com",
      password: "pässwörd ㊙".normalize("NFKC"),
    });
    expect(decomposed.status).toBe(401);
  });

  it.each([
    ["a wrong password", "demo@example.com", "demo-passwort"],
    ["a longer password", "demo@example.com", "demo-password "],
    ["an unknown e-mail", "nobody@example.com", "demo-password"],
    ["a disabled user", "gone@example.com", "gone-password"],
  ])("returns the same 401 for %s (A5)", async (_, email, password) => {
    const response = await post("/auth/login", { email, password });
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
    await expectError(
      response,
      401,
      "Unauthorized",
      /^The e-mail or the password is wrong.*POST \/auth\/refresh/,
    );
  });

  it.each([
    ["no body", "", /not valid JSON/],
    ["malformed JSON", '{"email":', /not valid JSON/],
    ["an array", "[]", /must be a JSON object/],
    ["text", '"demo"', /must be a JSON object/],
    ["null", "null", /must be a JSON object/],
    ["no e-mail", { password: "x" }, /`email` must be/],
    ["no password", { email: "demo@example.com" }, /`password` must be text/],
    ["a number as the password", { email: "demo@example.com", password: 1 }, /`password` must be text/],
    ["an empty password", { email: "demo@example.com", password: "" }, /`password` must not be empty/],
    ["a bad e-mail", { email: "demo", password: "x" }, /`email` must be an e-mail address/],
    ["an e-mail with NUL", { email: "a\u0000@example.com", password: "x" }, /`email` must be/],
    [
      "a password over 256 bytes",
      { email: "demo@example.com", password: "é".repeat(129) },
      /at most 256 bytes/,
    ],
  ])("rejects %s with 400 (A5)", async (_, body, message) => {
    await expectError(await post("/auth/login", body), 400, "Bad Request", message);
  });

  it("rejects another content type with 400 (A5)", async () => {
    const response = await post("/auth/login", DEMO, { "Content-Type": "text/plain" });
    await expectError(response, 400, "Bad Request", /Content-Type: application\/json/);
  });

  it("rejects a body over 4 KiB with 413 (A5)", async () => {
    const response = await post("/auth/login", { email: "demo@example.com", password: "x".repeat(4096) });
    await expectError(response, 413, "Content Too Large", /4096 bytes/);
  });
});

describe("GET /auth/me", () => {
  it("returns the user from the token, without the database (A4)", async () => {
    const tokens = await signIn();
    await mendDatabase();
    expect((await send("/auth/me", { headers: authorization(tokens) })).status).toBe(200);
    expect(await databaseRequests()).toBe(0);
  });
});
