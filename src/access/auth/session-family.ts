import type { SessionKind } from "./refresh-token.ts";

/** What a session keeps from its sign-in. It is stored: see docs/stored-keys.md. */
export interface SessionTerms {
  kind: SessionKind;
  /** The `client_id` of an OAuth client; null for other kinds. */
  clientId: string | null;
  /** False if the user left personal data out for this session (A14). */
  personalData: boolean;
  /** The user's session number at login. A new password, disabling or an operator's sign-out raises it. */
  number: number;
  /** The browser and system of the sign-in; null if unknown (A13). */
  device: string | null;
}

/** A refresh token family: the session of one device, from login through every rotation. Epoch milliseconds. */
export interface Family extends SessionTerms {
  /** Number of rotations so far. With `hash`, it identifies the only valid token. */
  sequence: number;
  hash: string;
  startedAt: number;
  /** Expiry of the live token, at most 90 days after `startedAt` (A7). */
  expiresAt: number;
  /** Until then, the token before the live one is answered with the live one (A12). */
  previousExpiresAt: number;
  rotatedAt: number;
  rotatedBy: string;
}

export interface PresentedToken {
  family: string;
  sequence: number;
  hash: string;
  /** Hashes of the tokens that may follow it, best first. */
  successors: string[];
}

export const isLive = (stored: Family, { sequence, hash }: PresentedToken, now: number): boolean =>
  stored.expiresAt > now && stored.sequence === sequence && stored.hash === hash;

/**
 * Whether this token was renewed into the live one (A12). For `api` only if the same renewal is retried: successors of
 * its tokens are random.
 */
export const isBeforeLive = (
  stored: Family,
  { sequence, successors }: PresentedToken,
  now: number,
): boolean =>
  stored.previousExpiresAt > now && stored.sequence === sequence + 1 && successors.includes(stored.hash);
