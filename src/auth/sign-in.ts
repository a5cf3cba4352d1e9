import type { Context } from "hono";
import type { AppEnv, Caller } from "../core/context.ts";
import { Refusal, tooMany, unavailable } from "../core/errors.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { takePermit } from "../limits/middleware.ts";
import { callObject } from "../objects/call-object.ts";
import { readHint } from "../objects/hints.ts";
import { ACCESS_TOKEN_LIFETIME, signAccessToken } from "./access-token.ts";
import { unauthorized } from "./bearer.ts";
import { addressClient, addressName, pseudonym } from "./client.ts";
import { keyRing, pseudonymKeys } from "./keys.ts";
import { DECOY_HASH } from "./passwords.ts";
import { type Account, findAccount, findAccountByEmail } from "./queries.ts";
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
    // Wait for a late reply until the deadline: after a rotation, the old token no longer works.
    const { deadline } = c.var;
    const asked = (until: number) => call(c.env.SESSIONS.getByName(`user:${identity}`), until);
    return await callObject(deadline, asked, deadline - Date.now());
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
  return {
    access_token: await signAccessToken(
      keys,
      { id, identity, email, name, family },
      Math.floor(Date.now() / 1000),
    ),
    refresh_token: await sealRefreshToken(keys, { user: identity, family, sequence }),
    token_type: "Bearer" as const,
    expires_in: ACCESS_TOKEN_LIFETIME,
  };
};

/** The Durable Object of the e-mail counts failures (E5). Not retried, because hashing a password is expensive. */
const attempt = async (
  c: Context<AppEnv>,
  email: string,
  password: string,
  hash: string,
  mayPass: boolean,
) => {
  const name = await pseudonym(pseudonymKeys(c.var.settings), email);
  const address = await addressName(c);
  const checked = c.env.LOGINS.getByName(name).check(crypto.randomUUID(), password, hash, mayPass, address);
  try {
    return await withTimeout(c.var.deadline - Date.now(), checked);
  } catch (error) {
    throw unavailable("Sign-in is unavailable. Try again in a few seconds.", error);
  }
};

/**
 * A wrong password, an unknown e-mail and an inactive user get the same 401 after the same work (A5).
 * @throws Refusal 401; 429 after too many failures on one e-mail (E5); 503 if a store is unavailable (E2)
 */
export const login = async (c: Context<AppEnv>, credentials: { email: string; password: string }) => {
  const email = credentials.email.toLowerCase();
  const account = await findAccountByEmail(c.var.db, { email });
  const hash = account?.password_hash ?? DECOY_HASH;
  const outcome = await attempt(c, email, credentials.password, hash, account?.ativo ?? false);
  if (outcome.is === "throttled") {
    throw tooMany(
      outcome.retryMs,
      (wait) => `Too many failed sign-ins with this e-mail. Wait ${wait} seconds, then try again.`,
    );
  }
  if (outcome.is === "wrong" || account === undefined) {
    throw unauthorized(
      "The e-mail or the password is wrong. Correct it and try again. POST /auth/refresh renews tokens without a password.",
    );
  }
  const family = newFamily();
  const pair = await tokenPair(c, account, { family, sequence: 0 });
  const tokenHash = await hashRefreshToken(pair.refresh_token);
  const address = await addressName(c);
  await callSessions(c, account.identity, (sessions, until) =>
    sessions.open(family, tokenHash, { address, until, number: account.session_number }),
  );
  return pair;
};

const notLive = () =>
  unauthorized(
    "The refresh token is invalid, expired, revoked or already used. POST /auth/refresh accepts each token once, within 7 days. Sign in again with POST /auth/login.",
  );

/** Charges the client's address (E3). The response stays 401 even if the address is out of quota. */
const chargeRefusal = async (c: Context<AppEnv>): Promise<void> => {
  const client = await addressClient(c);
  if (c.var.counted !== client) await takePermit(c, client).catch(() => undefined);
};

const renew = async (c: Context<AppEnv>, text: string) => {
  const keys = keyRing(c.var.settings.TOKEN_KEYS);
  const token = await openRefreshToken(keys, text);
  if (token === undefined || (await readHint(c.env.HINTS, revokedKey(token.family))) !== null)
    throw notLive();
  const { user, family, sequence } = token;
  const presented = { family, sequence, hash: await hashRefreshToken(text) };
  const address = await addressName(c);
  // Checked before the account is read, so that a refused token costs no SQL query.
  if (!(await callSessions(c, user, (sessions) => sessions.isLive(presented)))) {
    await callSessions(c, user, (sessions, until) => sessions.revokeIfReused(presented, { address, until }));
    throw notLive();
  }
  const account = await findAccount(c.var.db, { identity: user });
  if (!account?.ativo) {
    await callSessions(c, user, (sessions) => sessions.revoke(family));
    throw notLive();
  }
  const pair = await tokenPair(c, account, { family, sequence: sequence + 1 });
  const successor = await hashRefreshToken(pair.refresh_token);
  const { session_number: number } = account;
  // Rotates last, so that any earlier failure leaves the presented token usable.
  const isRotated = await callSessions(c, user, (sessions, until) =>
    sessions.rotate(presented, successor, { address, until, number }),
  );
  if (!isRotated) throw notLive();
  return pair;
};

/** Exchanges a refresh token for a new pair (A6). @throws Refusal 401, also charged to the address (E3); 503 */
export const refresh = async (c: Context<AppEnv>, text: string) => {
  try {
    return await renew(c, text);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) await chargeRefusal(c);
    throw error;
  }
};

/** Revokes the family of the caller's own refresh token. Ignores any other token (A8). @throws Refusal 503 */
export const logout = async (c: Context<AppEnv>, caller: Caller, text: string | undefined) => {
  const token =
    text === undefined ? undefined : await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), text);
  if (token?.user !== caller.identity) return;
  const { family } = token;
  await callSessions(c, caller.identity, (sessions) => sessions.revoke(family));
};
