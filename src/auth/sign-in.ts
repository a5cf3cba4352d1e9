import type { Context } from "hono";
import type { AppEnv, Caller } from "../ground/context.ts";
import { tooMany, unavailable } from "../ground/errors.ts";
import { callObject, within } from "../http/objects.ts";
import { ACCESS_TOKEN_LIFETIME, signAccessToken } from "./access-token.ts";
import { unauthorized } from "./bearer.ts";
import { addressName, pseudonym } from "./client.ts";
import { keyRing, pseudonymKeys } from "./keys.ts";
import { DECOY_HASH } from "./passwords.ts";
import { type Account, findAccount, findAccountByEmail, findAccountByRow } from "./queries.ts";
import {
  hashRefreshToken,
  newFamily,
  openRefreshToken,
  type RefreshToken,
  sealRefreshToken,
} from "./refresh-token.ts";
import { revokedKey, type Sessions } from "./sessions.ts";

/**
 * Calls the object that holds the refresh token families of a row of users; its methods are safe to repeat. The row
 * names the object and nothing more: whose a family is, its tokens say.
 * @throws Refusal 503 when it does not answer (E2)
 */
const callSessions = async <T>(
  c: Context<AppEnv>,
  row: number,
  call: (sessions: DurableObjectStub<Sessions>, until: number) => Promise<T>,
): Promise<T> => {
  try {
    // A rotation that was carried out has used the token up: its answer is worth all the time there is.
    const { deadline } = c.var;
    const asked = (until: number) => call(c.env.SESSIONS.getByName(`user:${row}`), until);
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
  await callSessions(c, account.id, (sessions, until) =>
    sessions.open(family, tokenHash, address, { until, number: account.session_number }),
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

/**
 * Trades a refresh token for a new pair (A6). The rotation comes last, when everything that may fail has been
 * done: whatever fails before it leaves the token alive.
 */
export const refresh = async (c: Context<AppEnv>, text: string) => {
  const token = await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), text);
  if (token === undefined || (await isKnownRevoked(c, token.family))) throw notLive();
  const { user, family, sequence } = token;
  const account: (Account & { created_at?: string }) | undefined =
    typeof user === "string"
      ? await findAccount(c.var.db, { identity: user })
      : await findAccountByRow(c.var.db, { id: user });
  if (account === undefined) throw notLive();
  if (!account.ativo) {
    await callSessions(c, account.id, (sessions) => sessions.revoke(family));
    throw notLive();
  }
  const pair = await tokenPair(c, account, { family, sequence: sequence + 1 });
  const presented = { sequence, hash: await hashRefreshToken(text) };
  const successor = await hashRefreshToken(pair.refresh_token);
  const address = await addressName(c);
  const { created_at, session_number: number } = account;
  const adoption = created_at !== undefined && { rowSince: Date.parse(created_at) };
  const rotated = await callSessions(c, account.id, (sessions, until) =>
    sessions.rotate({ family, presented, successor, address, until, number, ...adoption }),
  );
  if (!rotated) throw notLive();
  return pair;
};

/** Revokes the family of the caller's own refresh token; any other token is left as it is (A8). */
export const logout = async (c: Context<AppEnv>, caller: Caller, text: string | undefined) => {
  const token =
    text === undefined ? undefined : await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), text);
  if (token === undefined) return;
  const { user, family } = token;
  // Of the two tokens one may be of the release before, which names the row.
  const isOwn = user === caller.identity || user === caller.id || family === caller.family;
  if (isOwn) await callSessions(c, caller.id, (sessions) => sessions.revoke(family));
};
