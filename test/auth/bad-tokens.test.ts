import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newAgentToken } from "../../src/auth/agent-token.ts";
import { expectError, send, signIn, type Tokens } from "../support/worker/api.ts";

const PARTY = "salon-erp-data-service";
const RIGHTS = { units: null, personalData: true, payments: true };
const HEADER = { alg: "HS256", typ: "at+jwt", kid: "1" };
const claims = () => {
  const iat = Math.floor(Date.now() / 1000);
  return {
    sub: "0b6c2f4e-8a51-4d8e-9d39-1f2f6f0f7a11",
    uid: 1,
    email: "demo@example.com",
    name: "Demo",
    sid: "f".repeat(32),
    rights: RIGHTS,
    jti: "j",
    iss: PARTY,
    aud: PARTY,
    iat,
    exp: iat + 900,
  };
};

/** The signing keys as the Worker derives them, so that each token is wrong in one respect only. */
const secrets = env.TOKEN_KEYS.split(",").map((entry) => {
  const root = Buffer.from(entry.split(":")[1] ?? "", "base64url");
  return Buffer.from(hkdfSync("sha256", root, new Uint8Array(), `${PARTY} access token`, 32));
});

type Json = Record<string, unknown>;
const encode = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const mac = (input: string, hash = "sha256", key: string | Buffer = secrets[0] ?? "") =>
  createHmac(hash, key).update(input).digest("base64url");
const sign = (header: unknown, payload: unknown, hash?: string, key?: string | Buffer) => {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${mac(input, hash, key)}`;
};
const withHeader = (header: Json) => sign({ ...HEADER, ...header }, claims());
const withClaims = (changed: Json) => sign(HEADER, { ...claims(), ...changed });
const validToken = () => sign(HEADER, claims());
const part = (token: string, i: number) => token.split(".")[i] ?? "";
const flip = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);

const BAD: [name: string, make: () => string][] = [
  ...[
    undefined,
    null,
    {},
    "all",
    [],
    { ...RIGHTS, units: undefined },
    { ...RIGHTS, units: [] },
    { ...RIGHTS, units: "101" },
    { ...RIGHTS, units: [101] },
    { ...RIGHTS, personalData: "yes" },
    { ...RIGHTS, payments: undefined },
  ].map((rights): [string, () => string] => [
    `rights ${JSON.stringify(rights)}`,
    () => withClaims({ rights }),
  ]),
  ...["none", "None", "NONE", "nOnE", ""].map((alg): [string, () => string] => [
    `alg ${alg} without a signature`,
    () => `${encode({ ...HEADER, alg })}.${encode(claims())}.`,
  ]),
  ["alg none with a valid signature", () => withHeader({ alg: "none" })],
  ["no alg", () => withHeader({ alg: undefined })],
  ["alg null", () => withHeader({ alg: null })],
  ["alg array", () => withHeader({ alg: ["HS256"] })],
  ["alg hs256 in lower case", () => withHeader({ alg: "hs256" })],
  ["HS384", () => sign({ ...HEADER, alg: "HS384" }, claims(), "sha384")],
  ["HS512", () => sign({ ...HEADER, alg: "HS512" }, claims(), "sha512")],
  ["RS256 signed as HS256", () => withHeader({ alg: "RS256" })],
  ["ES256 signed as HS256", () => withHeader({ alg: "ES256" })],
  ["EdDSA signed as HS256", () => withHeader({ alg: "EdDSA" })],
  ["dir with a valid signature", () => withHeader({ alg: "dir", enc: "A256GCM" })],
  ["signed with an empty key", () => sign(HEADER, claims(), "sha256", "")],
  ["signed with the key's id", () => sign(HEADER, claims(), "sha256", "1")],
  ["signed with the setting itself", () => sign(HEADER, claims(), "sha256", env.TOKEN_KEYS)],
  ["signed with the other key under this id", () => sign(HEADER, claims(), "sha256", secrets[1])],
  ["no key id", () => withHeader({ kid: undefined })],
  ...[
    null,
    1,
    "",
    "0",
    "3",
    "01",
    " 1",
    "1 ",
    "1\u0000",
    "../1",
    "../../etc/passwd",
    "/dev/null",
    "1' or '1'='1",
    "__proto__",
    ["1"],
    { id: "1" },
  ].map((kid): [string, () => string] => [`key id ${JSON.stringify(kid)}`, () => withHeader({ kid })]),
  [
    "an embedded jwk",
    () =>
      sign(
        { ...HEADER, kid: undefined, jwk: { kty: "oct", k: encode("attacker") } },
        claims(),
        "sha256",
        "attacker",
      ),
  ],
  [
    "a jku",
    () =>
      sign(
        { ...HEADER, kid: undefined, jku: "https://attacker.example/keys" },
        claims(),
        "sha256",
        "attacker",
      ),
  ],
  [
    "an x5u",
    () => sign({ ...HEADER, kid: "9", x5u: "https://attacker.example/cert" }, claims(), "sha256", "attacker"),
  ],
  ["an unknown critical header", () => withHeader({ crit: ["surprise"], surprise: 1 })],
  ["unencoded payload", () => withHeader({ b64: false, crit: ["b64"] })],
  ["no typ", () => withHeader({ typ: undefined })],
  ["typ JWT", () => withHeader({ typ: "JWT" })],
  ["typ number", () => withHeader({ typ: 1 })],
  ["no exp", () => withClaims({ exp: undefined })],
  ["exp null", () => withClaims({ exp: null })],
  ["exp as text", () => withClaims({ exp: String(claims().exp) })],
  ["exp now", () => withClaims({ exp: claims().iat })],
  ["exp a second ago", () => withClaims({ exp: claims().iat - 1 })],
  ["exp negative", () => withClaims({ exp: -1 })],
  ["nbf ahead", () => withClaims({ nbf: claims().iat + 60 })],
  ["nbf as text", () => withClaims({ nbf: "0" })],
  ["no iat", () => withClaims({ iat: undefined })],
  ["no issuer", () => withClaims({ iss: undefined })],
  ["another issuer", () => withClaims({ iss: "somebody" })],
  ["issuer in upper case", () => withClaims({ iss: PARTY.toUpperCase() })],
  ["issuer array", () => withClaims({ iss: [PARTY] })],
  ["no audience", () => withClaims({ aud: undefined })],
  ["another audience", () => withClaims({ aud: "somebody" })],
  ["empty audience", () => withClaims({ aud: [] })],
  ["no subject", () => withClaims({ sub: undefined })],
  ...["", "x", "-1", "1.5", "1e3", "0x1", " 1", "99999999999999999999"].map((sub): [string, () => string] => [
    `subject ${JSON.stringify(sub)}`,
    () => withClaims({ sub, uid: undefined }),
  ]),
  ["a row id as the subject", () => withClaims({ sub: "1" })],
  ["an identity without a row id", () => withClaims({ uid: undefined })],
  ["an identity in upper case", () => withClaims({ sub: claims().sub.toUpperCase() })],
  ["an identity cut short", () => withClaims({ sub: claims().sub.slice(0, -1) })],
  ...[null, "1", 1.5, 2 ** 53, [1]].map((uid): [string, () => string] => [
    `row id ${JSON.stringify(uid)}`,
    () => withClaims({ uid }),
  ]),
  ["subject number", () => withClaims({ sub: 1 })],
  ["no family", () => withClaims({ sid: undefined })],
  ["no e-mail", () => withClaims({ email: undefined })],
  ["an e-mail that is not text", () => withClaims({ email: 1 })],
  ["no name", () => withClaims({ name: undefined })],
  ["a name that is not text", () => withClaims({ name: null })],
  ["no token id", () => withClaims({ jti: undefined })],
  ["payload array", () => sign(HEADER, [])],
  ["payload null", () => sign(HEADER, null)],
  ["payload text", () => sign(HEADER, '"text"')],
  ["a payload that is not JSON", () => sign(HEADER, "{")],
  ["payload empty", () => sign(HEADER, "")],
  ["a header that is not JSON", () => sign("{", claims())],
  ["header array", () => sign([], claims())],
  ["header empty", () => sign("", claims())],
  ["one part", () => part(validToken(), 0)],
  ["two parts", () => validToken().split(".").slice(0, 2).join(".")],
  ["four parts", () => `${validToken()}.${part(validToken(), 2)}`],
  ["five parts", () => `${validToken()}..`],
  ["empty signature", () => `${part(validToken(), 0)}.${part(validToken(), 1)}.`],
  ["signature cut short", () => validToken().slice(0, -1)],
  ["signature too long", () => `${validToken()}A`],
  ["signature padded", () => `${validToken()}=`],
  [
    "signature of another token",
    () => `${part(validToken(), 0)}.${part(validToken(), 1)}.${part(withClaims({ uid: 2 }), 2)}`,
  ],
  ["a bit of the signature changed", () => flip(validToken(), validToken().length - 20)],
  ["a bit of the payload changed", () => flip(validToken(), validToken().indexOf(".") + 20)],
  ["a bit of the header changed", () => flip(validToken(), 12)],
  [
    "another user's payload under this signature",
    () => `${part(validToken(), 0)}.${encode({ ...claims(), uid: 2 })}.${part(validToken(), 2)}`,
  ],
  ["a signature of 20 KB", () => `${part(validToken(), 0)}.${part(validToken(), 1)}.${"A".repeat(20_000)}`],
  ["a payload of 20 KB", () => withClaims({ iss: "x".repeat(20_000) })],
  ["the token twice", () => `${validToken()}, Bearer ${validToken()}`],
  ["the scheme twice", () => `Bearer ${validToken()}`],
  ["text after the token", () => `${validToken()} x`],
  ["a token in quotes", () => `"${validToken()}"`],
  ["the standard alphabet", () => validToken().replaceAll("-", "+").replaceAll("_", "/").replace(/^e/, "+e")],
  ["a refresh token", () => tokens.refresh_token],
  ["an unknown agent token", newAgentToken],
  ["only the prefix of agent tokens", () => "agt_"],
  ["a valid token after the prefix of agent tokens", () => `agt_${validToken()}`],
  ["garbage", () => "garbage"],
  ["dots", () => ".."],
];

let tokens: Tokens;

beforeAll(async () => {
  tokens = await signIn();
});

const getMe = (token: string) => send("/auth/me", { headers: { Authorization: `Bearer ${token}` } });

describe("invalid access tokens (A3, A4)", () => {
  it(`come in ${BAD.length} forms from a signer whose unmodified tokens are accepted`, async () => {
    expect(BAD.length).toBeGreaterThanOrEqual(60);
    expect((await getMe(validToken())).status).toBe(200);
    expect((await getMe(sign({ ...HEADER, kid: "2" }, claims(), "sha256", secrets[1]))).status).toBe(200);
  });

  it.each(BAD)("are rejected with 401 invalid_token: %s (A3, A4)", async (_, make) => {
    const response = await getMe(make());
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api", error="invalid_token"');
    await expectError(response, 401, "Unauthorized", /POST \/auth\/refresh/);
  });

  it("are rejected with 401 if the request has two Authorization headers, even with two valid tokens (A3)", async () => {
    for (const values of [
      [`Bearer ${validToken()}`, "Bearer x"],
      ["Bearer x", `Bearer ${validToken()}`],
      [`Bearer ${validToken()}`, `Bearer ${validToken()}`],
    ]) {
      const headers = new Headers();
      for (const value of values) headers.append("Authorization", value);
      expect((await send("/auth/me", { headers })).status).toBe(401);
    }
  });
});
