import { compactVerify, errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Caller } from "../../core/context.ts";
import type { Rights } from "../../core/rights.ts";
import { type KeyRing, signingKey } from "./keys.ts";

/** In seconds. */
export const ACCESS_TOKEN_LIFETIME = 900;

export const ALGORITHM = "HS256";
const TYPE = "at+jwt";

/** Where an access token is valid, and for which OAuth client it was issued. */
export interface Audience {
  issuer: string;
  audience: string;
  clientId: string | null;
}

const SERVICE = "salon-erp-data-service";
/** The audience of tokens that were not issued to an OAuth client: they are valid on every path. */
export const API_AUDIENCE: Audience = { issuer: SERVICE, audience: SERVICE, clientId: null };
// jose also accepts padding and whitespace, which the compact serialization excludes (RFC 7515, 7.1).
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Signs a JWT access token (RFC 9068, A4). @param now issue time in epoch seconds */
export const signAccessToken = async (
  keys: KeyRing,
  claims: Caller & { family: string },
  now: number,
  { issuer, audience, clientId }: Audience = API_AUDIENCE,
): Promise<string> => {
  const key = signingKey(keys);
  const { id, profile, family, rights, origin } = claims;
  const session = clientId === null ? { kind: origin?.kind } : { client_id: clientId };
  return new SignJWT({ uid: id, ...profile, sid: family, rights, ...session })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: String(key.id) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(claims.identity)
    .setJti(crypto.randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + ACCESS_TOKEN_LIFETIME)
    .sign(await key.accessToken);
};

interface Verified {
  claims: Caller;
  exp: number;
  audience: string;
}

const MAX_VERIFIED = 1000;
/** Caches verified tokens per key ring, because a dashboard sends the same token many times. */
const verifiedTokens = new WeakMap<KeyRing, BoundedMap<string, Verified>>();

/**
 * Returns the claims of a valid access token, or undefined for any other string (A4).
 * @param oauth the audience and issuer of OAuth access tokens, on the path that accepts them (A14)
 */
export const verifyAccessToken = async (
  keys: KeyRing,
  token: string,
  oauth?: Pick<Audience, "audience" | "issuer">,
): Promise<Caller | undefined> => {
  const cache = verifiedTokens.get(keys) ?? new BoundedMap<string, Verified>(MAX_VERIFIED);
  verifiedTokens.set(keys, cache);
  const cached = cache.get(token);
  // The same comparison as jose: a token is expired once the clock reaches `exp`.
  const isFresh = cached !== undefined && cached.exp > Math.floor(Date.now() / 1000);
  const verified = isFresh ? cached : await verify(keys, token, oauth);
  if (verified === undefined) return undefined;
  if (!isFresh) cache.set(token, verified);
  const isAccepted = verified.audience === SERVICE || verified.audience === oauth?.audience;
  return isAccepted ? verified.claims : undefined;
};

const IDENTITY = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const subjectOf = ({ sub = "", uid }: JWTPayload): Pick<Caller, "id" | "identity"> | undefined =>
  IDENTITY.test(sub) && Number.isSafeInteger(uid) ? { id: Number(uid), identity: sub } : undefined;

/** The rights in a claim; undefined for any other value, so that no token has more rights by mistake (A11). */
const readRights = (claim: unknown): Rights | undefined => {
  const { units, personalData, payments } = (claim ?? {}) as Partial<Record<keyof Rights, unknown>>;
  if (typeof personalData !== "boolean" || typeof payments !== "boolean") return undefined;
  if (units === null) return { units, personalData, payments };
  const isList = Array.isArray(units) && units.length > 0 && units.every((unit) => typeof unit === "string");
  return isList ? { units, personalData, payments } : undefined;
};

const readProfile = ({ email, name }: JWTPayload): Caller["profile"] =>
  typeof email === "string" && typeof name === "string" ? { email, name } : undefined;

/** Access tokens of earlier releases have no `kind`. */
const readOrigin = ({ kind, client_id }: JWTPayload): Caller["origin"] => {
  if (typeof client_id === "string") return { kind: "oauth", clientId: client_id };
  return kind === "api" || kind === "browser" ? { kind } : undefined;
};

type Purpose = "accessToken" | "authorizationCode";

/** `kid` selects one of our own keys. Other key headers of a token (`jku`, `jwk`, `x5u`) are ignored. */
const keyNamedIn =
  (keys: KeyRing, purpose: Purpose) =>
  ({ kid }: { kid?: string }) => {
    const key = [...keys.values()].find(({ id }) => String(id) === kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return key[purpose];
  };

/** @throws other errors than those of jose */
const ignoreInvalid = (error: unknown): undefined => {
  if (!(error instanceof errors.JOSEError)) throw error;
};

/** Returns what this service signed for the purpose, expired or not, or undefined for any other string. */
export const openSigned = async (
  keys: KeyRing,
  purpose: Purpose,
  text: string,
): Promise<Uint8Array | undefined> => {
  if (!COMPACT.test(text)) return undefined;
  const verified = compactVerify(text, keyNamedIn(keys, purpose), { algorithms: [ALGORITHM] });
  return (await verified.catch(ignoreInvalid))?.payload;
};

const verify = async (
  keys: KeyRing,
  token: string,
  oauth: Pick<Audience, "audience" | "issuer"> | undefined,
): Promise<Verified | undefined> => {
  if (!COMPACT.test(token)) return undefined;
  const verified = jwtVerify(token, keyNamedIn(keys, "accessToken"), {
    algorithms: [ALGORITHM],
    typ: TYPE,
    issuer: [SERVICE, ...(oauth ? [oauth.issuer] : [])],
    audience: [SERVICE, ...(oauth ? [oauth.audience] : [])],
    requiredClaims: ["exp", "iat", "sub", "sid", "jti"],
    clockTolerance: 0,
  });
  const { payload } = (await verified.catch(ignoreInvalid)) ?? {};
  if (payload === undefined) return undefined;
  const audience = String(payload.aud);
  const subject = subjectOf(payload);
  const rights = readRights(payload.rights);
  const profile = readProfile(payload);
  if (subject === undefined || rights === undefined) return undefined;
  if (audience === SERVICE && profile === undefined) return undefined;
  return {
    claims: { ...subject, profile, family: String(payload.sid), rights, origin: readOrigin(payload) },
    exp: Number(payload.exp),
    audience,
  };
};
