import type { Context } from "hono";
import type { AppEnv, Caller } from "../ground/context.ts";
import { Refusal, tooMany, unavailable } from "../ground/errors.ts";
import { callObject, within } from "../http/objects.ts";
import { takePermit } from "../limits/middleware.ts";
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

/**
 * Calls the object that holds the refresh token families of a user; its methods are safe to repeat.
 * @throws Refusal 503 when it does not answer (E2)
 */
const callSessions = async <T>(
  c: Context<AppEnv>,
  identity: string,
  call: (sessions: DurableObjectStub<Sessions>, until: number) => Promise<T>,
): Promise<T> => {
  try {
    // A rotation that was carried out has used the token up: its answer is worth all the time there is.
    const { deadline } = c.var;
    const asked = (until: number) => call(c.env.SESSIONS.getByName(`user:${identity}`), until);
    return await callObject(deadline, asked, deadline - Date.now());
  } catch (error) {
    throw unavailable("The session store does not answer. Try again in a few seconds.", error);
  }
};

/** Signs the access token and seals the refresh token that go out together. */
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

/** Checks a password where the attempts on its e-mail are counted (E5). Not repeated: a hash is dear. */
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
    return await within(c.var.deadline - Date.now(), checked);
  } catch (error) {
    throw unavailable("The sign-in does not answer. Try again in a few seconds.", error);
  }
};

/**
 * Checks the password and starts a refresh token family. Wrong password, unknown e-mail and inactive user cost
 * the same work and give the same 401 (A5); too many failures on one e-mail give 429 (E5).
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
      "E-mail or password is wrong. After signing in, renew tokens through POST /auth/refresh.",
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
    "The refresh token is not valid any more: POST /auth/refresh takes each once, within 7 days. Sign in again through POST /auth/login.",
  );

const HINT_MS = 300;

/** Whether KV knows the family for revoked, which never turns back. Not knowing costs a call, never a wrong answer. */
const isKnownRevoked = async (c: Context<AppEnv>, family: string): Promise<boolean> =>
  (await within(HINT_MS, c.env.HINTS.get(revokedKey(family))).catch(() => null)) !== null;

/** Counts a refused renewal for the address it came from (E3). The refusal stays a 401, whatever the address has left. */
const chargeRefusal = async (c: Context<AppEnv>): Promise<void> => {
  const client = await addressClient(c);
  if (c.var.counted !== client) await takePermit(c, client).catch(() => undefined);
};

/**
 * Trades a refresh token for a new pair. The object is asked first, so that a refused token costs no statement; the
 * rotation comes last, so that whatever fails before it leaves the token alive.
 */
const renew = async (c: Context<AppEnv>, text: string) => {
  const keys = keyRing(c.var.settings.TOKEN_KEYS);
  const token = await openRefreshToken(keys, text);
  if (token === undefined || (await isKnownRevoked(c, token.family))) throw notLive();
  const { user, family, sequence } = token;
  const presented = { family, sequence, hash: await hashRefreshToken(text) };
  const address = await addressName(c);
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
  const isRotated = await callSessions(c, user, (sessions, until) =>
    sessions.rotate(presented, successor, { address, until, number }),
  );
  if (!isRotated) throw notLive();
  return pair;
};

/** Renews the tokens (A6). A refusal also counts for the address it came from (E3). */
export const refresh = async (c: Context<AppEnv>, text: string) => {
  try {
    return await renew(c, text);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) await chargeRefusal(c);
    throw error;
  }
};

/** Revokes the family of the caller's own refresh token; any other token is left as it is (A8). */
export const logout = async (c: Context<AppEnv>, caller: Caller, text: string | undefined) => {
  const token =
    text === undefined ? undefined : await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), text);
  if (token?.user !== caller.identity) return;
  const { family } = token;
  await callSessions(c, caller.identity, (sessions) => sessions.revoke(family));
};
