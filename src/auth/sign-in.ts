import type { Context } from "hono";
import type { AppEnv } from "../http/router.ts";
import { ACCESS_TOKEN_LIFETIME, signAccessToken } from "./access-token.ts";
import { unauthorized } from "./bearer.ts";
import { keyRing } from "./keys.ts";
import { DECOY_HASH, verifyPassword } from "./passwords.ts";
import { type Account, findAccount, findAccountByEmail } from "./queries.ts";
import {
  hashRefreshToken,
  newFamily,
  openRefreshToken,
  type RefreshToken,
  sealRefreshToken,
} from "./refresh-token.ts";
import { callSessions } from "./session-store.ts";

/** The address a request came from, as the platform saw it; no other header is trusted (E3). */
const addressOf = (c: Context<AppEnv>): string => c.req.header("CF-Connecting-IP") ?? "unknown";

const now = () => Math.floor(Date.now() / 1000);

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

/**
 * Checks the password and starts a refresh token family. Wrong password, unknown e-mail and inactive user cost
 * the same work and give the same 401 (A5).
 */
export const login = async (c: Context<AppEnv>, credentials: { email: string; password: string }) => {
  const account = await findAccountByEmail(c.var.db, credentials.email.toLowerCase());
  const isRight = await verifyPassword(credentials.password, account?.password_hash ?? DECOY_HASH);
  if (!account?.ativo || !isRight) {
    throw unauthorized(
      "E-mail or password is wrong. After signing in, renew tokens through POST /auth/refresh.",
    );
  }
  const family = newFamily();
  const pair = await tokenPair(c, account, { user: account.id, family, sequence: 0 });
  const hash = await hashRefreshToken(pair.refresh_token);
  await callSessions(c.env.SESSIONS, account.id, (sessions) => sessions.open(family, hash, addressOf(c)));
  return pair;
};

const notLive = () =>
  unauthorized(
    "The refresh token is not valid any more: POST /auth/refresh takes each once, within 7 days. Sign in again through POST /auth/login.",
  );

/**
 * Trades a refresh token for a new pair (A6). The rotation comes last, when everything that may fail has been
 * done: whatever fails before it leaves the token alive.
 */
export const refresh = async (c: Context<AppEnv>, text: string) => {
  const token = await openRefreshToken(keyRing(c.env.TOKEN_KEYS), text);
  if (token === undefined) throw notLive();
  const { user, family, sequence } = token;
  const account = await findAccount(c.var.db, user);
  if (!account?.ativo) {
    await callSessions(c.env.SESSIONS, user, (sessions) => sessions.revoke(family));
    throw notLive();
  }
  const pair = await tokenPair(c, account, { ...token, sequence: sequence + 1 });
  const presented = { sequence, hash: await hashRefreshToken(text) };
  const successor = await hashRefreshToken(pair.refresh_token);
  const rotated = await callSessions(c.env.SESSIONS, user, (sessions) =>
    sessions.rotate({ family, presented, successor, address: addressOf(c) }),
  );
  if (!rotated) throw notLive();
  return pair;
};

/** Revokes the family of the caller's own refresh token; any other token is left as it is (A8). */
export const logout = async (c: Context<AppEnv>, caller: { id: number }, text: string | undefined) => {
  const token = text === undefined ? undefined : await openRefreshToken(keyRing(c.env.TOKEN_KEYS), text);
  if (token?.user !== caller.id) return;
  await callSessions(c.env.SESSIONS, caller.id, (sessions) => sessions.revoke(token.family));
};
