import { errors, jwtVerify, SignJWT } from "jose";
import { parseInteger } from "../http/params.ts";
import { type KeyRing, signingKey } from "./keys.ts";

/** Who an access token speaks for. */
export interface Claims {
  id: number;
  email: string;
  name: string;
  /** The refresh token family the token was issued with (`sid`). */
  family: string;
}

/** Seconds an access token is valid. */
export const ACCESS_TOKEN_LIFETIME = 900;

const ALGORITHM = "HS256";
const TYPE = "at+jwt";
const PARTY = "salon-erp-data-service";
// Three parts without padding, as we write them (RFC 7515, 7.1).
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Signs a JWT access token (RFC 9068, A4) valid for 900 s from `now`, in seconds. */
export const signAccessToken = async (keys: KeyRing, claims: Claims, now: number): Promise<string> => {
  const key = signingKey(keys);
  return new SignJWT({ email: claims.email, name: claims.name, sid: claims.family })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: String(key.id) })
    .setIssuer(PARTY)
    .setAudience(PARTY)
    .setSubject(String(claims.id))
    .setJti(crypto.randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + ACCESS_TOKEN_LIFETIME)
    .sign(await key.accessToken);
};

/** The claims of a valid token; undefined for any other text (A4). `kid` only selects among our own keys. */
export const verifyAccessToken = async (keys: KeyRing, token: string): Promise<Claims | undefined> => {
  if (!COMPACT.test(token)) return undefined;
  try {
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = [...keys.values()].find(({ id }) => String(id) === kid);
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key.accessToken;
      },
      {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: PARTY,
        audience: PARTY,
        requiredClaims: ["exp", "iat", "sub", "sid", "jti"],
        clockTolerance: 0,
      },
    );
    const id = typeof payload.sub === "string" ? parseInteger(payload.sub) : undefined;
    if (id === undefined) return undefined;
    return {
      id,
      email: String(payload.email),
      name: String(payload.name),
      family: String(payload.sid),
    };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};
