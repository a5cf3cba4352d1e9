import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { Refusal, unavailable } from "../../core/errors.ts";
import { mcpUrl, originOf } from "../../platform/http/origin.ts";
import { callObject } from "../../platform/objects/call-object.ts";
import { readHint } from "../../platform/objects/hints.ts";
import { countExactly } from "../limits/middleware.ts";
import { ACCESS_TOKEN_LIFETIME, API_AUDIENCE, signAccessToken } from "./access-token.ts";
import { unauthorized } from "./bearer.ts";
import { addressCounterName, addressPseudonym, userCounterName } from "./counter-name.ts";
import { deviceOf } from "./device.ts";
import { keyRing } from "./keys.ts";
import { type Account, findAccount, rightsOf } from "./queries.ts";
import {
  hashRefreshToken,
  newFamily,
  openRefreshToken,
  type SessionKind,
  sealRefreshToken,
  successorsOf,
} from "./refresh-token.ts";
import { chargeUser } from "./renewal-charge.ts";
import type { SessionTerms } from "./session-family.ts";
import { revokedKey, type Sessions } from "./sessions-object.ts";

/** Calls the object that holds the user's sessions. @param call gets its deadline @throws Refusal 503 */
const callSessions = async <T>(
  c: Context<AppEnv>,
  identity: string,
  call: (sessions: DurableObjectStub<Sessions>, until: number) => Promise<T>,
): Promise<T> => {
  try {
    // Wait for the reply until the deadline. If we gave up after the object rotated the token, the client
    // would have neither a working old token nor the new one.
    const { deadline } = c.var;
    const callOnce = (until: number) => call(c.env.SESSIONS.getByName(`user:${identity}`), until);
    return await callObject(deadline, callOnce, deadline - Date.now());
  } catch (error) {
    throw unavailable("The session store is unavailable. Try again in a few seconds.", error);
  }
};

const accessTokenFor = (
  c: Context<AppEnv>,
  account: Account,
  family: string,
  { kind, clientId, personalData }: SessionTerms,
): Promise<string> => {
  const { id, identity, email, name } = account;
  const isOAuth = kind === "oauth";
  const rights = rightsOf(account);
  return signAccessToken(
    keyRing(c.var.settings.TOKEN_KEYS),
    {
      id,
      identity,
      // The vendor of an assistant can read its token (A14).
      profile: isOAuth ? undefined : { email, name },
      family,
      rights: { ...rights, personalData: rights.personalData && personalData },
      origin: isOAuth ? undefined : { kind },
    },
    Math.floor(Date.now() / 1000),
    isOAuth ? { audience: mcpUrl(c), issuer: originOf(c), clientId } : API_AUDIENCE,
  );
};

const tokenPair = (accessToken: string, refreshToken: string) => ({
  access_token: accessToken,
  refresh_token: refreshToken,
  token_type: "Bearer" as const,
  expires_in: ACCESS_TOKEN_LIFETIME,
});

export type TokenPair = ReturnType<typeof tokenPair>;

/** The terms of a session that is not of an OAuth client. */
export const ownTerms = (
  c: Context<AppEnv>,
  kind: "api" | "browser",
  { session_number: number }: Account,
): SessionTerms => ({
  kind,
  clientId: null,
  personalData: true,
  number,
  device: deviceOf(c.req.header("User-Agent")),
});

/** Starts a session and returns its first tokens. @throws Refusal 503 */
export const startSession = async (
  c: Context<AppEnv>,
  account: Account,
  terms: SessionTerms,
  family = newFamily(),
): Promise<TokenPair> => {
  const keys = keyRing(c.var.settings.TOKEN_KEYS);
  const user = account.identity;
  const refreshToken = await sealRefreshToken(keys, { kind: terms.kind, user, family, sequence: 0 });
  const accessToken = await accessTokenFor(c, account, family, terms);
  const hash = await hashRefreshToken(refreshToken);
  const address = await addressPseudonym(c);
  await callSessions(c, user, (sessions, until) => sessions.open(family, hash, terms, { address, until }));
  return tokenPair(accessToken, refreshToken);
};

const SIGN_IN_AGAIN: Record<SessionKind, string> = {
  api:
    "The refresh token is invalid, expired, revoked or already used. " +
    "POST /auth/refresh accepts each token once, within 7 days. Sign in again with POST /auth/login.",
  browser: "No session is kept in this browser, or it has ended. Sign in again.",
  oauth: "The refresh token is invalid, expired, revoked or already used. Ask the user to connect again.",
};

/** Charges the client's address (E3). The response stays 401 even if the address is out of quota. */
export const chargeRefusal = async (c: Context<AppEnv>): Promise<void> => {
  const counterName = await addressCounterName(c);
  if (c.var.chargedCounterName !== counterName) await countExactly(c, counterName).catch(() => undefined);
};

/** A session to renew. `clientId` is the one that an OAuth client names. */
interface Renewal {
  kind: SessionKind;
  refreshToken: string | undefined;
  clientId: string | null;
}

const renewOrRefuse = async (c: Context<AppEnv>, { kind, refreshToken = "", clientId }: Renewal) => {
  const refusal = () => unauthorized(SIGN_IN_AGAIN[kind]);
  const keys = keyRing(c.var.settings.TOKEN_KEYS);
  const token = await openRefreshToken(keys, kind, refreshToken);
  if (token === undefined || (await readHint(c.env.HINTS, revokedKey(token.family))) !== null)
    throw refusal();
  const { user, family, sequence } = token;
  const sealed = await successorsOf(keys, token, refreshToken);
  const presented = {
    family,
    sequence,
    hash: await hashRefreshToken(refreshToken),
    successors: sealed.map(({ hash }) => hash),
  };
  const address = await addressPseudonym(c);
  // Check this before reading the account, so that a refused token costs no SQL query.
  const terms = await callSessions(c, user, (sessions) => sessions.termsFor(presented));
  if (terms === undefined) {
    await callSessions(c, user, (sessions, until) => sessions.revokeIfReused(presented, { address, until }));
    throw refusal();
  }
  if (terms.clientId !== clientId) throw refusal();
  // Not before: a token that ended could otherwise use up its user's quota.
  await chargeUser(c, userCounterName(user));
  const account = await findAccount(c.var.db, { identity: user });
  if (!account?.ativo) {
    await callSessions(c, user, (sessions) => sessions.revoke(family));
    throw refusal();
  }
  const accessToken = await accessTokenFor(c, account, family, terms);
  // Rotate last, so that the presented token stays valid after any earlier failure.
  const live = await callSessions(c, user, (sessions, until) =>
    sessions.rotate(presented, account.session_number, { address, until }),
  );
  const successor = sealed.find(({ hash }) => hash === live);
  if (successor === undefined) throw refusal();
  return tokenPair(accessToken, successor.text);
};

/** Exchanges a refresh token for a new pair (A6, A12). @throws Refusal 401 (charged to the address, E3) or 503 */
export const renewSession = async (c: Context<AppEnv>, renewal: Renewal): Promise<TokenPair> => {
  try {
    return await renewOrRefuse(c, renewal);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) await chargeRefusal(c);
    throw error;
  }
};

/** Ends the session of a refresh token, even a used one. Ignores any other string (A8). @throws Refusal 503 */
export const endSessionByToken = async (
  c: Context<AppEnv>,
  kind: SessionKind,
  refreshToken: string,
  { user, clientId }: { user?: string; clientId?: string } = {},
): Promise<void> => {
  const token = await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), kind, refreshToken);
  if (token === undefined || (user ?? token.user) !== token.user) return;
  await callSessions(c, token.user, (sessions) => sessions.revoke(token.family, clientId));
};

const SESSION_ID = /^[\da-f]{32}$/;

/** Ends a session of the user. Ignores an id that the user has no session with (A13). @throws Refusal 503 */
export const endSessionById = async (c: Context<AppEnv>, user: string, id: string): Promise<void> => {
  if (SESSION_ID.test(id)) await callSessions(c, user, (sessions) => sessions.revoke(id));
};

/** Ends every session of the user (A13). @throws Refusal 503 */
export const endAllSessions = (c: Context<AppEnv>, user: string): Promise<void> =>
  callSessions(c, user, (sessions, until) => sessions.revokeAll(until));

/** Uses up the code of a session. Returns false if it was used or has expired (A14). @throws Refusal 503 */
export const redeemSession = (
  c: Context<AppEnv>,
  { user, family, expiresAt }: { user: string; family: string; expiresAt: number },
): Promise<boolean> => {
  const id = crypto.randomUUID();
  return callSessions(c, user, (sessions, until) => sessions.redeem(family, { id, expiresAt, until }));
};

/** The sessions of the user, newest first (A13). @throws Refusal 503 */
export const listSessions = async (c: Context<AppEnv>, user: string) => {
  const account = await findAccount(c.var.db, { identity: user });
  if (account === undefined) return [];
  return callSessions(c, user, (sessions) => sessions.list(account.session_number));
};
