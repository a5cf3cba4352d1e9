import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { createHmac, hkdfSync } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { newAgentToken } from "../../../src/access/auth/agent-token.ts";
import { expectError, send, signIn, type Tokens } from "../../support/worker/api.ts";

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
const flip = (text: string, at: number) =>
  text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);

/** Values that make a token invalid, by header or claim. `undefined` leaves it out. */
const BAD_HEADERS = {
  alg: ["none", undefined, null, ["HS256"], "hs256", "RS256", "ES256", "EdDSA"],
  kid: [undefined, null, 1, "", "0", "3", "01", " 1", "1\u0000", "../1", "1' or '1'='1", "__proto__", ["1"]],
  typ: [undefined, "JWT", 1],
};
const BAD_CLAIMS = {
  rights: [
    ...[undefined, null, {}, "all", []],
    ...[undefined, [], "101", [101]].map((units) => ({ ...RIGHTS, units })),
    { ...RIGHTS, personalData: "yes" },
    { ...RIGHTS, payments: undefined },
  ],
  exp: [undefined, null, String(claims().exp), claims().iat, -1],
  nbf: [claims().exp, "0"],
  iat: [undefined],
  iss: [undefined, "somebody", PARTY.toUpperCase(), [PARTY], "x".repeat(20_000)],
  aud: [undefined, "somebody", []],
  sub: [undefined, "", "x", "1", 1, claims().sub.toUpperCase(), claims().sub.slice(0, -1)],
  uid: [undefined, null, "1", 1.5, 2 ** 53, [1]],
  sid: [undefined],
  email: [undefined, 1],
  name: [undefined, null],
  jti: [undefined],
};

type Bad = [name: string, make: () => string];
const each = (bad: Record<string, unknown[]>, make: (changed: Json) => string): Bad[] =>
  Object.entries(bad).flatMap(([name, values]) =>
    values.map(
      (value): Bad => [`${name} ${JSON.stringify(value)}`.slice(0, 80), () => make({ [name]: value })],
    ),
  );
/** A header that names a key of its own, with a token that this key signed. */
const withOwnKey = (header: Json) =>
  sign({ ...HEADER, kid: undefined, ...header }, claims(), "sha256", "attacker");
const withSignature = (signature: string) => `${validToken().split(".", 2).join(".")}.${signature}`;

const BAD: Bad[] = [
  ...each(BAD_HEADERS, withHeader),
  ...each(BAD_CLAIMS, withClaims),
  ...["none", "nOnE", ""].map(
    (alg): Bad => [
      `alg ${alg} without a signature`,
      () => `${encode({ ...HEADER, alg })}.${encode(claims())}.`,
    ],
  ),
  ["HS384", () => sign({ ...HEADER, alg: "HS384" }, claims(), "sha384")],
  ["HS512", () => sign({ ...HEADER, alg: "HS512" }, claims(), "sha512")],
  ["dir with a valid signature", () => withHeader({ alg: "dir", enc: "A256GCM" })],
  ["signed with an empty key", () => sign(HEADER, claims(), "sha256", "")],
  ["signed with the key's id", () => sign(HEADER, claims(), "sha256", "1")],
  ["signed with the setting itself", () => sign(HEADER, claims(), "sha256", env.TOKEN_KEYS)],
  ["signed with the other key under this id", () => sign(HEADER, claims(), "sha256", secrets[1])],
  ["an embedded jwk", () => withOwnKey({ jwk: { kty: "oct", k: encode("attacker") } })],
  ["a jku", () => withOwnKey({ jku: "https://attacker.example/keys" })],
  ["an x5u", () => withOwnKey({ kid: "9", x5u: "https://attacker.example/cert" })],
  ["an unknown critical header", () => withHeader({ crit: ["surprise"], surprise: 1 })],
  ["unencoded payload", () => withHeader({ b64: false, crit: ["b64"] })],
  ...[[], null, '"text"', "{", ""].map(
    (payload): Bad => [`payload ${JSON.stringify(payload)}`, () => sign(HEADER, payload)],
  ),
  ...["{", [], ""].map((header): Bad => [`header ${JSON.stringify(header)}`, () => sign(header, claims())]),
  ["one part", () => validToken().split(".")[0] ?? ""],
  ["two parts", () => validToken().split(".", 2).join(".")],
  ["five parts", () => `${validToken()}..`],
  ["empty signature", () => withSignature("")],
  ["signature cut short", () => validToken().slice(0, -1)],
  ["signature too long", () => `${validToken()}A`],
  ["signature padded", () => `${validToken()}=`],
  ["signature of 20 KB", () => withSignature("A".repeat(20_000))],
  ["signature of another token", () => withSignature(withClaims({ uid: 2 }).split(".")[2] ?? "")],
  ["a bit of the signature changed", () => flip(validToken(), validToken().length - 20)],
  ["a bit of the payload changed", () => flip(validToken(), validToken().indexOf(".") + 20)],
  ["a bit of the header changed", () => flip(validToken(), 12)],
  ["the token twice", () => `${validToken()}, Bearer ${validToken()}`],
  ["the scheme twice", () => `Bearer ${validToken()}`],
  ["a token in quotes", () => `"${validToken()}"`],
  ["the standard alphabet", () => validToken().replaceAll("-", "+").replaceAll("_", "/").replace(/^e/, "+e")],
  ["a refresh token", () => tokens.refresh_token],
  ["an unknown agent token", newAgentToken],
  ["a valid token after the prefix of agent tokens", () => `agt_${validToken()}`],
  ["garbage", () => "garbage"],
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
