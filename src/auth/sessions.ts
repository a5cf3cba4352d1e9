import { DurableObject } from "cloudflare:workers";
import { settingsOf } from "../core/settings.ts";
import { assertNotExpired } from "../objects/call-object.ts";
import { leaveHint } from "../objects/hints.ts";

const DAY_MS = 86_400_000;
const TOKEN_LIFETIME_MS = 7 * DAY_MS;
const FAMILY_LIFETIME_MS = 90 * DAY_MS;
const MAX_FAMILIES = 50;

/** A refresh token family: the session of one device, from login through every rotation. */
interface Family {
  /** `sequence` and `hash` are those of the live token. */
  sequence: number;
  hash: string;
  startedAt: number;
  /** Expiry of the live token, at most 90 days after `startedAt` (A7). */
  expiresAt: number;
  rotatedAt: number;
  rotatedBy: string;
  /** The user's session number at login (A9). */
  number: number;
}

export interface Presented {
  family: string;
  sequence: number;
  hash: string;
}

interface Origin {
  /** Pseudonym of the client's address. */
  address: string;
  /** Deadline of the call, in epoch milliseconds. */
  until: number;
}

interface SessionNumber {
  number: number;
}

/** A request ends within nine seconds (E2), so no `open` call takes effect after this time. */
const LONGEST_CALL_MS = 10_000;

/** One per user. Synchronous storage makes methods atomic. The output gate delays replies until writes are durable. */
export class Sessions extends DurableObject<Env> {
  /** Beyond 50 live families, ends the oldest (A7). Safe to retry: does nothing if the family exists or has ended. */
  async open(
    family: string,
    hash: string,
    { address, until, number }: Origin & SessionNumber,
  ): Promise<void> {
    assertNotExpired(until);
    const now = Date.now();
    const live = this.#sweep(now);
    if (this.#find(family) !== undefined || this.ctx.storage.kv.get(endedKey(family)) !== undefined) return;
    const oldestFirst = live.sort(([, a], [, b]) => a.startedAt - b.startedAt);
    for (const [name, oldest] of oldestFirst.slice(0, Math.max(0, live.length + 1 - MAX_FAMILIES))) {
      this.#end(name.slice(PREFIX.length), oldest);
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

  /** Changes nothing, so that a call that arrives late cannot end a session. */
  isLive({ family, sequence, hash }: Presented): boolean {
    const known = this.#find(family);
    return (
      known !== undefined &&
      known.expiresAt > Date.now() &&
      known.sequence === sequence &&
      known.hash === hash
    );
  }

  /** Exempts the loser of a refresh race: the last spent token, sent again from the same address in time (A6). */
  revokeIfReused({ family, sequence }: Presented, { address, until }: Origin): void {
    assertNotExpired(until);
    const now = Date.now();
    const known = this.#find(family);
    if (known === undefined) return;
    const lostARace =
      known.sequence === sequence + 1 &&
      known.rotatedBy === address &&
      now - known.rotatedAt <= settingsOf(this.env).REFRESH_LENIENCY_SECONDS * 1000;
    const isSpent = sequence < known.sequence && !lostARace;
    if (isSpent || known.expiresAt <= now) this.#end(family, known);
  }

  /**
   * Returns whether `successor`, a token hash, is now live (A6). Ends a family with a lower session number (A9).
   * Safe to retry: if the reply was lost, the retry finds its own successor live and returns true.
   */
  rotate(presented: Presented, successor: string, { number, ...origin }: Origin & SessionNumber): boolean {
    assertNotExpired(origin.until);
    const { family, sequence } = presented;
    const known = this.#find(family);
    if (known === undefined) return false;
    if (known.number < number) {
      this.#end(family, known);
      return false;
    }
    if (known.sequence === sequence + 1 && known.hash === successor) return true;
    if (!this.isLive(presented)) {
      this.revokeIfReused(presented, origin);
      return false;
    }
    const now = Date.now();
    this.#write(family, {
      ...known,
      sequence: sequence + 1,
      hash: successor,
      expiresAt: Math.min(now + TOKEN_LIFETIME_MS, known.startedAt + FAMILY_LIFETIME_MS),
      rotatedAt: now,
      rotatedBy: origin.address,
    });
    return true;
  }

  revoke(family: string): void {
    const known = this.#find(family);
    if (known !== undefined) this.#end(family, known);
  }

  override async alarm(): Promise<void> {
    const live = this.#sweep(Date.now());
    if (live.length === 0) return this.ctx.storage.deleteAll();
    await this.ctx.storage.setAlarm(Math.min(...live.map(([, { expiresAt }]) => expiresAt)));
  }

  #end(family: string, { startedAt }: Family): void {
    this.ctx.storage.kv.delete(key(family));
    const opened = startedAt + LONGEST_CALL_MS;
    // A retried `open` may still arrive. It must not start the family again.
    if (opened > Date.now()) this.ctx.storage.kv.put(endedKey(family), opened);
    const hint = leaveHint(
      this.env.HINTS,
      revokedKey(family),
      "1",
      startedAt + FAMILY_LIFETIME_MS - Date.now(),
    );
    this.ctx.waitUntil(hint);
  }

  #find(family: string): Family | undefined {
    return this.ctx.storage.kv.get<Family>(key(family));
  }

  #write(family: string, value: Family): void {
    this.ctx.storage.kv.put(key(family), value);
  }

  #sweep(now: number): [string, Family][] {
    const all = [...this.ctx.storage.kv.list<Family>({ prefix: PREFIX })];
    for (const [name, { expiresAt }] of all) if (expiresAt <= now) this.ctx.storage.kv.delete(name);
    for (const [name, until] of this.ctx.storage.kv.list<number>({ prefix: ENDED }))
      if (until <= now) this.ctx.storage.kv.delete(name);
    return all.filter(([, { expiresAt }]) => expiresAt > now);
  }
}

/** The KV key of a revoked family. KV stores only facts that never change again. */
export const revokedKey = (family: string) => `revoked:${family}`;

const ENDED = "ended:";
const endedKey = (family: string) => `${ENDED}${family}`;

const PREFIX = "family:";
const key = (family: string) => `${PREFIX}${family}`;
