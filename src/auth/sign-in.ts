import type { Context } from "hono";
import type { AppEnv, Caller } from "../core/context.ts";
import { Refusal, tooManyRequests, unavailable } from "../core/errors.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { takePermit } from "../limits/middleware.ts";
import { callObject } from "../objects/call-object.ts";
import { readHint } from "../objects/hints.ts";
import { ACCESS_TOKEN_LIFETIME, signAccessToken } from "./access-token.ts";
import { unauthorized } from "./bearer.ts";
import { addressClient, addressPseudonym, pseudonym } from "./client.ts";
import { keyRing, pseudonymKeys } from "./keys.ts";
import { DECOY_HASH } from "./passwords.ts";
import { type Account, findAccount, findAccountByEmail, rightsOf } from "./queries.ts";
import {
  hashRefreshToken,
  newFamily,
  openRefreshToken,
  type RefreshToken,
  sealRefreshToken,
} from "./refresh-token.ts";
import { revokedKey, type Sessions } from "./sessions.ts";

const callSessions = async <T>(
  c: Context<AppEnv>,
  identity: string,
  call: (sessions: DurableObjectStub<Sessions>, until: number) => Promise<T>,
): Promise<T> => {
  try {
    // Wait for the reply until the deadline. If we gave up after the object rotated the token, the client
    // would have neither a working old token nor the new one.
    const { deadline } = c.var;
    const callStub = (until: number) => call(c.env.SESSIONS.getByName(`user:${identity}`), until);
    return await callObject(deadline, callStub, deadline - Date.now());
  } catch (error) {
    throw unavailable("The session store is unavailable. Try again in a few seconds.", error);
  }
};

const tokenPair = async (
  c: Context<AppEnv>,
  account: Account,
  { family, sequence }: Pick<RefreshToken, "family" | "sequence">,
) => {
  const keys = keyRing(c.var.settings.TOKEN_KEYS);
  const { id, identity, email, name } = account;
  const rights = rightsOf(account);
  return {
    access_token: await signAccessToken(
      keys,
      { id, identity, email, name, family, rights },
      Math.floor(Date.now() / 1000),
    ),
    refresh_token: await sealRefreshToken(keys, { user: identity, family, sequence }),
    token_type: "Bearer" as const,
    expires_in: ACCESS_TOKEN_LIFETIME,
  };
};

/** Checks the password in the e-mail's object, which counts failures (E5). Not retried: hashing is costly. */
const checkPassword = async (
  c: Context<AppEnv>,
  email: string,
  password: string,
  hash: string,
  isEnabled: boolean,
) => {
  const name = await pseudonym(pseudonymKeys(c.var.settings), email);
  const address = await addressPseudonym(c);
  const attempts = c.env.LOGINS.getByName(name);
  const result = attempts.check(crypto.randomUUID(), password, hash, isEnabled, address);
  try {
    return await withTimeout(c.var.deadline - Date.now(), result);
  } catch (error) {
    throw unavailable("Sign-in is unavailable. Try again in a few seconds.", error);
  }
};

/**
 * A wrong password, an unknown e-mail and a disabled user get the same 401 after the same work (A5).
 * @throws Refusal 401; 429 after too many failures on one e-mail (E5); 503 if a store is unavailable (E2)
 */
export const login = async (c: Context<AppEnv>, credentials: { email: string; password: string }) => {
  const email = credentials.email.toLowerCase();
  const account = await findAccountByEmail(c.var.db, { email });
  const hash = account?.password_hash ?? DECOY_HASH;
  const isEnabled = account?.ativo ?? false;
  const { is: result, retryMs } = await checkPassword(c, email, credentials.password, hash, isEnabled);
  if (result === "throttled") {
    throw tooManyRequests(
      retryMs,
      (wait) => `Too many failed sign-ins with this e-mail. Wait ${wait} seconds, then try again.`,
    );
  }
  if (result === "wrong" || account === undefined) {
    throw unauthorized(
      "The e-mail or the password is wrong. Check both and try again. POST /auth/refresh renews tokens without a password.",
    );
  }
  const family = newFamily();
  const pair = await tokenPair(c, account, { family, sequence: 0 });
  const tokenHash = await hashRefreshToken(pair.refresh_token);
  const address = await addressPseudonym(c);
  await callSessions(c, account.identity, (sessions, until) =>
    sessions.open(family, tokenHash, { address, until, number: account.session_number }),
  );
  return pair;
};

const invalidRefreshToken = () =>
  unauthorized(
    "The refresh token is invalid, expired, revoked or already used. POST /auth/refresh accepts each token once, within 7 days. Sign in again with POST /auth/login.",
  );

/** Charges the client's address (E3). The response stays 401 even if the address is out of quota. */
const chargeRefusal = async (c: Context<AppEnv>): Promise<void> => {
  const client = await addressClient(c);
  if (c.var.chargedClient !== client) await takePermit(c, client).catch(() => undefined);
};

const renew = async (c: Context<AppEnv>, refreshToken: string) => {
  const keys = keyRing(c.var.settings.TOKEN_KEYS);
  const token = await openRefreshToken(keys, refreshToken);
  if (token === undefined || (await readHint(c.env.HINTS, revokedKey(token.family))) !== null)
    throw invalidRefreshToken();
  const { user, family, sequence } = token;
  const presented = { family, sequence, hash: await hashRefreshToken(refreshToken) };
  const address = await addressPseudonym(c);
  // Check this before reading the account, so that a refused token costs no SQL query.
  if (!(await callSessions(c, user, (sessions) => sessions.isLive(presented)))) {
    await callSessions(c, user, (sessions, until) => sessions.revokeIfReused(presented, { address, until }));
    throw invalidRefreshToken();
  }
  const account = await findAccount(c.var.db, { identity: user });
  if (!account?.ativo) {
    await callSessions(c, user, (sessions) => sessions.revoke(family));
    throw invalidRefreshToken();
  }
  const pair = await tokenPair(c, account, { family, sequence: sequence + 1 });
  const successor = await hashRefreshToken(pair.refresh_token);
  const { session_number: sessionNumber } = account;
  // Rotate last, so that the presented token stays valid after any earlier failure.
  const isRotated = await callSessions(c, user, (sessions, until) =>
    sessions.rotate(presented, successor, { address, until, number: sessionNumber }),
  );
  if (!isRotated) throw invalidRefreshToken();
  return pair;
};

/** Exchanges a refresh token for a new pair (A6). @throws Refusal 401 (charged to the address, E3) or 503 */
export const refresh = async (c: Context<AppEnv>, refreshToken: string) => {
  try {
    return await renew(c, refreshToken);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) await chargeRefusal(c);
    throw error;
  }
};

/** Revokes the family of the caller's own refresh token. Ignores any other token (A8). @throws Refusal 503 */
export const logout = async (c: Context<AppEnv>, caller: Caller, refreshToken: string | undefined) => {
  if (refreshToken === undefined) return;
  const token = await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), refreshToken);
  if (token?.user !== caller.identity) return;
  const { family } = token;
  await callSessions(c, caller.identity, (sessions) => sessions.revoke(family));
};
