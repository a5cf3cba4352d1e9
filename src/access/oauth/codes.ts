import type { Context } from "hono";
import { SignJWT } from "jose";
import type { AppEnv } from "../../core/context.ts";
import { sha256 } from "../../core/sha256.ts";
import { ALGORITHM, openSigned } from "../auth/access-token.ts";
import { keyRing, signingKey } from "../auth/keys.ts";
import { redeemSession } from "../auth/sessions.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** A code can be redeemed for this long (A14). */
const CODE_MS = 60_000;

/** What a user allowed. The code contains it, signed. */
export interface Grant {
  /** The hash of the request that the code belongs to. */
  request: string;
  /** The identity of the user. */
  user: string;
  /** The user's session number at the approval (A9). */
  number: number;
  personalData: boolean;
  /** The browser and system in which the user allowed it (A13). */
  device: string | null;
  /** The session that the code opens. */
  family: string;
}

/** Identifies a request by everything that its code is bound to. */
export const hashRequest = async (
  clientId: string,
  { redirect, challenge, resource }: Omit<AuthorizationRequest, "client">,
): Promise<string> =>
  (await sha256(JSON.stringify([clientId, redirect, challenge, resource]))).toString("base64url");

/** Creates a code for a grant. */
export const issueCode = async (c: Context<AppEnv>, grant: Grant): Promise<string> => {
  const key = signingKey(keyRing(c.var.settings.TOKEN_KEYS));
  return new SignJWT({ ...grant, expiresAt: Date.now() + CODE_MS })
    .setProtectedHeader({ alg: ALGORITHM, kid: String(key.id) })
    .sign(await key.authorizationCode);
};

/**
 * Uses up a code. Returns undefined if it is unknown, used or expired: then its session ends.
 * @throws Refusal 503
 */
export const redeemCode = async (c: Context<AppEnv>, code: string): Promise<Grant | undefined> => {
  const payload = await openSigned(keyRing(c.var.settings.TOKEN_KEYS), "authorizationCode", code);
  if (payload === undefined) return undefined;
  const grant: Grant & { expiresAt: number } = JSON.parse(new TextDecoder().decode(payload));
  return (await redeemSession(c, grant)) ? grant : undefined;
};
