import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { createHash, createHmac, hkdfSync } from "node:crypto";

const PARTY = "salon-erp-data-service";

/** A key of the first entry of TOKEN_KEYS, as the Worker derives it. */
const keyFor = (purpose: string) => {
  const root = Buffer.from(env.TOKEN_KEYS.split(",")[0]?.split(":")[1] ?? "", "base64url");
  return Buffer.from(hkdfSync("sha256", root, new Uint8Array(), `${PARTY} ${purpose}`, 32));
};

/** A refresh token of version 1, which names its user by row id. */
const refreshTokenOf = (row: number, family: string, sequence: number) => {
  const said = Buffer.alloc(46, 7);
  said.set([1, 1]);
  said.writeBigUInt64BE(BigInt(row), 2);
  said.set(Buffer.from(family, "hex"), 10);
  said.writeUInt32BE(sequence, 26);
  const mac = createHmac("sha256", keyFor("refresh token")).update(said).digest();
  return Buffer.concat([said, mac]).toString("base64url");
};

/** An access token whose subject is the row id. */
const accessTokenOf = (row: number, family: string) => {
  const iat = Math.floor(Date.now() / 1000);
  const [header, claims] = [
    { alg: "HS256", typ: "at+jwt", kid: "1" },
    {
      sub: String(row),
      email: "old@example.com",
      name: "Old",
      sid: family,
      jti: "j",
      iss: PARTY,
      aud: PARTY,
      iat,
      exp: iat + 900,
    },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const mac = createHmac("sha256", keyFor("access token")).update(`${header}.${claims}`).digest("base64url");
  return `${header}.${claims}.${mac}`;
};

/**
 * A session as the release before left it: tokens that name the row alone, and a family without a number.
 * @param startedAt epoch milliseconds of the login
 */
export const sessionFromBefore = async (row: number, startedAt: number) => {
  const family = crypto.getRandomValues(new Uint8Array(16)).toHex();
  const refresh_token = refreshTokenOf(row, family, 3);
  const kept = {
    sequence: 3,
    hash: createHash("sha256").update(refresh_token).digest("hex"),
    startedAt,
    expiresAt: Date.now() + 86_400_000,
    rotatedAt: startedAt,
    rotatedBy: "192.0.2.9",
  };
  await runInDurableObject(env.SESSIONS.getByName(`user:${row}`), (_, { storage }) =>
    storage.kv.put(`family:${family}`, kept),
  );
  return { access_token: accessTokenOf(row, family), refresh_token };
};
