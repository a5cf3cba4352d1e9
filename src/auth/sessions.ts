import { DurableObject } from "cloudflare:workers";
import { settingsOf } from "../core/settings.ts";
import { assertNotExpired } from "../objects/call-object.ts";
import { writeHint } from "../objects/hints.ts";

const DAY_MS = 86_400_000;
const TOKEN_LIFETIME_MS = 7 * DAY_MS;
const FAMILY_LIFETIME_MS = 90 * DAY_MS;
const MAX_FAMILIES = 50;

/** A refresh token family: the session of one device, from login through every rotation. */
interface Family {
  /** Number of rotations so far. With `hash`, it identifies the only valid token. */
  sequence: number;
  hash: string;
  startedAt: number;
  /** Expiry of the live token, at most 90 days after `startedAt` (A7). */
  expiresAt: number;
  rotatedAt: number;
  rotatedBy: string;
  /** The user's session number at login. A new password, disabling or an operator's sign-out raises it. */
  number: number;
}

export interface PresentedToken {
  family: string;
  sequence: number;
  hash: string;
}

/** A deploy runs two releases side by side: never rename a field that is sent or stored. */
interface CallContext {
  /** Pseudonym of the client's address. */
  address: string;
  /** Deadline of the call, in epoch milliseconds. */
  until: number;
}

interface SessionNumber {
  number: number;
}

/** Longer than any request (E2). Once this time has passed since the sign-in, `open` rejects retries. */
const MAX_CALL_MS = 10_000;

/** One per user. Synchronous storage makes methods atomic. Replies leave after the writes are durable. */
export class Sessions extends DurableObject<Env> {
  /** Starts a family. Ends the oldest if the user has 50 (A7). Idempotent, even if the family has ended. */
  async open(
    family: string,
    hash: string,
    { address, until, number }: CallContext & SessionNumber,
  ): Promise<void> {
    assertNotExpired(until);
    const now = Date.now();
    const liveFamilies = this.#sweep(now);
    if (this.#find(family) !== undefined || this.ctx.storage.kv.get(endedKey(family)) !== undefined) return;
    const oldestFirst = liveFamilies.sort(([, a], [, b]) => a.startedAt - b.startedAt);
    for (const [key, oldest] of oldestFirst.slice(0, Math.max(0, liveFamilies.length + 1 - MAX_FAMILIES))) {
      this.#end(key.slice(FAMILY_PREFIX.length), oldest);
    }
    this.#write(family, {
      sequence: 0,
      hash,
      startedAt: now,
      expiresAt: now + TOKEN_LIFETIME_MS,
      rotatedAt: now,
      rotatedBy: address,
      number,
    });
    await this.ctx.storage.setAlarm(now + TOKEN_LIFETIME_MS);
  }

  /** Returns whether this is the current, unexpired token. Read-only, so a delayed call is harmless. */
  isLive({ family, sequence, hash }: PresentedToken): boolean {
    const stored = this.#find(family);
    return (
      stored !== undefined &&
      stored.expiresAt > Date.now() &&
      stored.sequence === sequence &&
      stored.hash === hash
    );
  }

  /**
   * Ends the family if the token was already used or has expired. Exception: the previous token, sent from
   * the same address within `REFRESH_LENIENCY_SECONDS` (A6).
   */
  revokeIfReused({ family, sequence }: PresentedToken, { address, until }: CallContext): void {
    assertNotExpired(until);
    const now = Date.now();
    const stored = this.#find(family);
    if (stored === undefined) return;
    const isRaceLoser =
      stored.sequence === sequence + 1 &&
      stored.rotatedBy === address &&
      now - stored.rotatedAt <= settingsOf(this.env).REFRESH_LENIENCY_SECONDS * 1000;
    const isSpent = sequence < stored.sequence && !isRaceLoser;
    if (isSpent || stored.expiresAt <= now) this.#end(family, stored);
  }

  /**
   * Returns whether `successor` (a token hash) is now live (A6). Ends a family with a lower session number
   * (A9). Idempotent: if the reply was lost, the retry finds its own successor live and returns true.
   */
  rotate(
    presented: PresentedToken,
    successor: string,
    { number, ...context }: CallContext & SessionNumber,
  ): boolean {
    assertNotExpired(context.until);
    const { family, sequence } = presented;
    const stored = this.#find(family);
    if (stored === undefined) return false;
    if (stored.number < number) {
      this.#end(family, stored);
      return false;
    }
    if (stored.sequence === sequence + 1 && stored.hash === successor) return true;
    if (!this.isLive(presented)) {
      this.revokeIfReused(presented, context);
      return false;
    }
    const now = Date.now();
    this.#write(family, {
      ...stored,
      sequence: sequence + 1,
      hash: successor,
      expiresAt: Math.min(now + TOKEN_LIFETIME_MS, stored.startedAt + FAMILY_LIFETIME_MS),
      rotatedAt: now,
      rotatedBy: context.address,
    });
    return true;
  }

  revoke(family: string): void {
    const stored = this.#find(family);
    if (stored !== undefined) this.#end(family, stored);
  }

  override async alarm(): Promise<void> {
    const liveFamilies = this.#sweep(Date.now());
    if (liveFamilies.length === 0) return this.ctx.storage.deleteAll();
    await this.ctx.storage.setAlarm(Math.min(...liveFamilies.map(([, { expiresAt }]) => expiresAt)));
  }

  #end(family: string, { startedAt }: Family): void {
    this.ctx.storage.kv.delete(familyKey(family));
    // Until `lastOpen`, a retried `open` may still arrive. It must not start the family again.
    const lastOpen = startedAt + MAX_CALL_MS;
    if (lastOpen > Date.now()) this.ctx.storage.kv.put(endedKey(family), lastOpen);
    const hint = writeHint(
      this.env.HINTS,
      revokedKey(family),
      "1",
      startedAt + FAMILY_LIFETIME_MS - Date.now(),
    );
    this.ctx.waitUntil(hint);
  }

  #find(family: string): Family | undefined {
    return this.ctx.storage.kv.get<Family>(familyKey(family));
  }

  #write(family: string, value: Family): void {
    this.ctx.storage.kv.put(familyKey(family), value);
  }

  #sweep(now: number): [string, Family][] {
    const families = [...this.ctx.storage.kv.list<Family>({ prefix: FAMILY_PREFIX })];
    for (const [key, { expiresAt }] of families) if (expiresAt <= now) this.ctx.storage.kv.delete(key);
    for (const [key, until] of this.ctx.storage.kv.list<number>({ prefix: ENDED_PREFIX }))
      if (until <= now) this.ctx.storage.kv.delete(key);
    return families.filter(([, { expiresAt }]) => expiresAt > now);
  }
}

/** The KV key of a revoked family. KV stores only facts that never change again. */
export const revokedKey = (family: string) => `revoked:${family}`;

const ENDED_PREFIX = "ended:";
const endedKey = (family: string) => `${ENDED_PREFIX}${family}`;

const FAMILY_PREFIX = "family:";
const familyKey = (family: string) => `${FAMILY_PREFIX}${family}`;
