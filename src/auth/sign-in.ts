import type { Context } from "hono";
import { tooMany, unavailable } from "../http/errors.ts";
import { callObject, within } from "../http/objects.ts";
import type { AppEnv } from "../http/router.ts";
import { addressOf, pseudonym } from "../limits/client.ts";
import { ACCESS_TOKEN_LIFETIME, signAccessToken } from "./access-token.ts";
import { unauthorized } from "./bearer.ts";
import { keyRing } from "./keys.ts";
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

const now = () => Math.floor(Date.now() / 1000);

/**
 * Calls the object that holds a user's refresh token families; its methods are safe to repeat.
 * @throws Refusal 503 when it does not answer (E2)
 */
const callSessions = async <T>(
  c: Context<AppEnv>,
  user: number,
  call: (sessions: DurableObjectStub<Sessions>) => Promise<T>,
): Promise<T> => {
  try {
    return await callObject(c.var.deadline, () => call(c.env.SESSIONS.getByName(`user:${user}`)));
  } catch (error) {
    throw unavailable("The session store does not answer. Try again in a few seconds.", error);
  }
};

/** Signs the access token and seals the refresh token that go out together. */
const tokenPair = async (c: Context<AppEnv>, account: Account, refresh: RefreshToken) => {
  const keys = keyRing(c.env.TOKEN_KEYS);
  const { id, email, name } = account;
  return {
    access_token: await signAccessToken(keys, { id, email, name, family: refresh.family }, now()),
    refresh_token: await sealRefreshToken(keys, refresh),
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
  const name = await pseudonym(keyRing(c.env.TOKEN_KEYS), email);
  const checked = c.env.LOGINS.getByName(name).check(crypto.randomUUID(), password, hash, mayPass);
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
  const account = await findAccountByEmail(c.var.db, email);
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
  const pair = await tokenPair(c, account, { user: account.id, family, sequence: 0 });
  const tokenHash = await hashRefreshToken(pair.refresh_token);
  await callSessions(c, account.id, (sessions) => sessions.open(family, tokenHash, addressOf(c)));
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

/**
 * Trades a refresh token for a new pair (A6). The rotation comes last, when everything that may fail has been
 * done: whatever fails before it leaves the token alive.
 */
export const refresh = async (c: Context<AppEnv>, text: string) => {
  const token = await openRefreshToken(keyRing(c.env.TOKEN_KEYS), text);
  if (token === undefined || (await isKnownRevoked(c, token.family))) throw notLive();
  const { user, family, sequence } = token;
  const account = await findAccount(c.var.db, user);
  if (!account?.ativo) {
    await callSessions(c, user, (sessions) => sessions.revoke(family));
    throw notLive();
  }
  const pair = await tokenPair(c, account, { ...token, sequence: sequence + 1 });
  const presented = { sequence, hash: await hashRefreshToken(text) };
  const successor = await hashRefreshToken(pair.refresh_token);
  const rotated = await callSessions(c, user, (sessions) =>
    sessions.rotate({ family, presented, successor, address: addressOf(c) }),
  );
  if (!rotated) throw notLive();
  return pair;
};

/** Revokes the family of the caller's own refresh token; any other token is left as it is (A8). */
export const logout = async (c: Context<AppEnv>, caller: { id: number }, text: string | undefined) => {
  const token = text === undefined ? undefined : await openRefreshToken(keyRing(c.env.TOKEN_KEYS), text);
  if (token?.user !== caller.id) return;
  await callSessions(c, caller.id, (sessions) => sessions.revoke(token.family));
};
