import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { BoundedMap } from "../core/bounded-map.ts";
import type { Caller } from "../core/context.ts";
import { type KeyRing, signingKey } from "./keys.ts";

/** In seconds. */
export const ACCESS_TOKEN_LIFETIME = 900;

const ALGORITHM = "HS256";
const TYPE = "at+jwt";
const PARTY = "salon-erp-data-service";
// jose also accepts padding and whitespace, which the compact serialization excludes (RFC 7515, 7.1).
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Signs a JWT access token (RFC 9068, A4). @param now issue time in epoch seconds */
export const signAccessToken = async (
  keys: KeyRing,
  claims: Caller & { family: string },
  now: number,
): Promise<string> => {
  const key = signingKey(keys);
  return new SignJWT({ uid: claims.id, email: claims.email, name: claims.name, sid: claims.family })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: String(key.id) })
    .setIssuer(PARTY)
    .setAudience(PARTY)
    .setSubject(claims.identity)
    .setJti(crypto.randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + ACCESS_TOKEN_LIFETIME)
    .sign(await key.accessToken);
};

interface Verified {
  claims: Caller;
  exp: number;
}

const MAX_VERIFIED = 1000;
/** Caches verified tokens per key ring, because a dashboard sends the same token many times. */
const verified = new WeakMap<KeyRing, BoundedMap<string, Verified>>();

/** Returns the claims of a valid access token, or undefined for any other text (A4). */
export const verifyAccessToken = async (keys: KeyRing, token: string): Promise<Caller | undefined> => {
  const known = verified.get(keys) ?? new BoundedMap<string, Verified>(MAX_VERIFIED);
  verified.set(keys, known);
  const earlier = known.get(token);
  // The same comparison as jose: a token is expired once the clock reaches `exp`.
  if (earlier !== undefined && earlier.exp > Math.floor(Date.now() / 1000)) return earlier.claims;
  const now = await verify(keys, token);
  if (now === undefined) return undefined;
  known.set(token, now);
  return now.claims;
};

const IDENTITY = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const subjectOf = ({ sub = "", uid }: JWTPayload): Pick<Caller, "id" | "identity"> | undefined =>
  IDENTITY.test(sub) && Number.isSafeInteger(uid) ? { id: Number(uid), identity: sub } : undefined;

/** `kid` selects one of our own keys. Keys named in a token are never loaded from elsewhere. */
const verify = async (keys: KeyRing, token: string): Promise<Verified | undefined> => {
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
    const subject = subjectOf(payload);
    if (subject === undefined) return undefined;
    return {
      claims: {
        ...subject,
        email: String(payload.email),
        name: String(payload.name),
        family: String(payload.sid),
      },
      exp: Number(payload.exp),
    };
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};
