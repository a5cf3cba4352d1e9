// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { hashPassword } from "../../src/auth/passwords.ts";
import {
  authorization,
  databaseRequests,
  expectError,
  mendDatabase,
  post,
  send,
  signIn,
  sql,
} from "../support/api.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

beforeAll(async () => {
  await sql`insert into users (email, name, password_hash, ativo)
    values ('gone@example.com', 'Gone', ${hashPassword("gone-password")}, false),
           ('accents@example.com', 'Accents', ${hashPassword("pässwörd ㊙")}, true)`;
});

describe("POST /auth/login", () => {
  it("answers a TokenResponse that opens the other routes", async () => {
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

  it("takes the e-mail in any case (A5)", async () => {
    await signIn({ email: "DEMO@Example.com", password: "demo-password" });
  });

  it("takes a password as it was typed: no normal form, no truncation (A5)", async () => {
    await signIn({ email: "accents@example.com", password: "pässwörd ㊙" });
    const decomposed = await post("/auth/login", {
      email: "accents@example.com",
      password: "pässwörd ㊙".normalize("NFKC"),
    });
    expect(decomposed.status).toBe(401);
  });

  it.each([
    ["wrong password", "demo@example.com", "demo-passwort"],
    ["longer password", "demo@example.com", "demo-password "],
    ["unknown e-mail", "nobody@example.com", "demo-password"],
    ["inactive user", "gone@example.com", "gone-password"],
  ])("%s: one and the same 401 (A5)", async (_, email, password) => {
    const response = await post("/auth/login", { email, password });
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
    await expectError(response, 401, "Unauthorized", /^E-mail or password is wrong.*POST \/auth\/refresh/);
  });

  it.each([
    ["no body", "", JSON_TYPE, /not valid JSON/],
    ["malformed JSON", '{"email":', JSON_TYPE, /not valid JSON/],
    ["an array", "[]", JSON_TYPE, /must be a JSON object/],
    ["text", '"demo"', JSON_TYPE, /must be a JSON object/],
    ["null", "null", JSON_TYPE, /must be a JSON object/],
    ["no e-mail", '{"password":"x"}', JSON_TYPE, /`email` must be/],
    ["no password", '{"email":"demo@example.com"}', JSON_TYPE, /`password` must be text/],
    [
      "a number for a password",
      '{"email":"demo@example.com","password":1}',
      JSON_TYPE,
      /`password` must be text/,
    ],
    [
      "an empty password",
      '{"email":"demo@example.com","password":""}',
      JSON_TYPE,
      /`password` must not be empty/,
    ],
    ["a bad e-mail", '{"email":"demo","password":"x"}', JSON_TYPE, /`email` must be an e-mail address/],
    ["an e-mail with NUL", '{"email":"a\\u0000@example.com","password":"x"}', JSON_TYPE, /`email` must be/],
    [
      "a password over 256 bytes",
      JSON.stringify({ email: "demo@example.com", password: "é".repeat(129) }),
      JSON_TYPE,
      /at most 256 bytes/,
    ],
    [
      "another content type",
      '{"email":"demo@example.com","password":"x"}',
      { "Content-Type": "text/plain" },
      /Content-Type: application\/json/,
    ],
  ])("%s: 400 (A5)", async (_, body, headers, message) => {
    const response = await send("/auth/login", { method: "POST", body, headers });
    await expectError(response, 400, "Bad Request", message);
  });

  it("a body over 4 KiB: 413 (A5)", async () => {
    const response = await post("/auth/login", { email: "demo@example.com", password: "x".repeat(4096) });
    await expectError(response, 413, "Content Too Large", /4096 bytes/);
  });
});

describe("GET /auth/me", () => {
  it("answers from the token alone, without the database (A4)", async () => {
    const tokens = await signIn();
    await mendDatabase();
    expect((await send("/auth/me", { headers: authorization(tokens) })).status).toBe(200);
    expect(await databaseRequests()).toBe(0);
  });
});
