import { DurableObject } from "cloudflare:workers";
import { settingsOf } from "../ground/settings.ts";
import { refuseLateCall } from "../http/objects.ts";

const DAY_MS = 86_400_000;
const TOKEN_LIFETIME_MS = 7 * DAY_MS;
const FAMILY_LIFETIME_MS = 90 * DAY_MS;
const MAX_FAMILIES = 50;

/** A refresh token family: the session of one device, from its login through every rotation. */
interface Family {
  /** Sequence and hash of the one token that is live. */
  sequence: number;
  hash: string;
  startedAt: number;
  /** When the live token ends; never later than 90 days after the family started (A7). */
  expiresAt: number;
  rotatedAt: number;
  /** The pseudonym of the client address the last rotation came from. */
  rotatedBy: string;
  /** The user's session number at its login (A9). */
  number: number;
}

/** A refresh token as a request presents it. */
export interface Presented {
  family: string;
  sequence: number;
  hash: string;
}

/** The request on whose behalf a method is called. */
interface Origin {
  /** The pseudonym of the address the request came from. */
  address: string;
  /** When nobody waits for the call any more, in epoch milliseconds. */
  until: number;
}

/** What was read with the user's account: the session number (A9). */
interface SessionNumber {
  number: number;
}

/** A call that opens a family has been given up long before it is so old. */
const LONGEST_CALL_MS = 10_000;

/**
 * The refresh token families of one user. Each method is one synchronous read and write of storage, so it is
 * atomic, and its reply is held back until what it wrote is durable.
 */
export class Sessions extends DurableObject<Env> {
  /**
   * Starts a family with its first token. Over 50 live families the oldest goes (A7). Safe to repeat: without effect
   * on a family that exists, or has ended since.
   */
  async open(
    family: string,
    hash: string,
    { address, until, number }: Origin & SessionNumber,
  ): Promise<void> {
    refuseLateCall(until);
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

  /** Whether this is the live token of its family. Changes nothing, so that a call that arrives late ends no session. */
  isLive({ family, sequence, hash }: Presented): boolean {
    const known = this.#find(family);
    return (
      known !== undefined &&
      known.expiresAt > Date.now() &&
      known.sequence === sequence &&
      known.hash === hash
    );
  }

  /**
   * Revokes the family of a token that is not live, if it was spent before (A6). Keeps the family for the loser of a
   * race: the token spent last, from the same address, within the leniency. Safe to repeat.
   */
  revokeIfReused({ family, sequence }: Presented, { address, until }: Origin): void {
    refuseLateCall(until);
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
   * Puts the successor in the place of the presented token if that is the live one, and else refuses it (A6). Safe to
   * repeat: a call whose reply was lost finds its own successor in place and answers the same. A family that began
   * under a lower session number has ended (A9).
   * @param successor hash of the token that takes its place
   * @returns whether the successor is now live
   */
  rotate(presented: Presented, successor: string, { number, ...origin }: Origin & SessionNumber): boolean {
    refuseLateCall(origin.until);
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

  /** Ends a family; without effect when there is none. */
  revoke(family: string): void {
    const known = this.#find(family);
    if (known !== undefined) this.#end(family, known);
  }

  /** Forgets what has expired, and asks to be woken for what has not. */
  override async alarm(): Promise<void> {
    const live = this.#sweep(Date.now());
    if (live.length === 0) return this.ctx.storage.deleteAll();
    await this.ctx.storage.setAlarm(Math.min(...live.map(([, { expiresAt }]) => expiresAt)));
  }

  /** Deletes a family and notes its end in KV. */
  #end(family: string, { startedAt }: Family): void {
    this.ctx.storage.kv.delete(key(family));
    const opened = startedAt + LONGEST_CALL_MS;
    // A repeated call that opens it may still be on its way.
    if (opened > Date.now()) this.ctx.storage.kv.put(endedKey(family), opened);
    const expirationTtl = Math.max(60, Math.ceil((startedAt + FAMILY_LIFETIME_MS - Date.now()) / 1000));
    this.ctx.waitUntil(this.env.HINTS.put(revokedKey(family), "1", { expirationTtl }).catch(() => undefined));
  }

  #find(family: string): Family | undefined {
    return this.ctx.storage.kv.get<Family>(key(family));
  }

  #write(family: string, value: Family): void {
    this.ctx.storage.kv.put(key(family), value);
  }

  /** Deletes the expired families and answers the others, by storage key. */
  #sweep(now: number): [string, Family][] {
    const all = [...this.ctx.storage.kv.list<Family>({ prefix: PREFIX })];
    for (const [name, { expiresAt }] of all) if (expiresAt <= now) this.ctx.storage.kv.delete(name);
    for (const [name, until] of this.ctx.storage.kv.list<number>({ prefix: ENDED }))
      if (until <= now) this.ctx.storage.kv.delete(name);
    return all.filter(([, { expiresAt }]) => expiresAt > now);
  }
}

/** The KV key under which a revoked family is noted: a fact that never turns back. */
export const revokedKey = (family: string) => `revoked:${family}`;

const ENDED = "ended:";
const endedKey = (family: string) => `${ENDED}${family}`;

const PREFIX = "family:";
const key = (family: string) => `${PREFIX}${family}`;
