import { DurableObject } from "cloudflare:workers";

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
  /** The client address the last rotation came from. */
  rotatedBy: string;
}

export interface Rotation {
  family: string;
  presented: { sequence: number; hash: string };
  /** Hash of the token that takes its place. */
  successor: string;
  address: string;
}

/**
 * The refresh token families of one user. Each method is one synchronous read and write of storage, so it is
 * atomic, and its reply is held back until what it wrote is durable.
 */
export class Sessions extends DurableObject<Env> {
  /** Starts a family with its first token. Over 50 live families the oldest goes (A7). Safe to repeat. */
  async open(family: string, hash: string, address: string): Promise<void> {
    const now = Date.now();
    const others = this.#sweep(now).filter(([name]) => name !== key(family));
    const oldestFirst = others.sort(([, a], [, b]) => a.startedAt - b.startedAt);
    for (const [name, oldest] of oldestFirst.slice(0, Math.max(0, others.length + 1 - MAX_FAMILIES))) {
      this.#end(name.slice(PREFIX.length), oldest);
    }
    this.#write(family, {
      sequence: 0,
      hash,
      startedAt: now,
      expiresAt: now + TOKEN_LIFETIME_MS,
      rotatedAt: now,
      rotatedBy: address,
    });
    await this.ctx.storage.setAlarm(now + TOKEN_LIFETIME_MS);
  }

  /**
   * Puts the successor in the place of the presented token if that is the live one (A6). Safe to repeat: a call
   * whose reply was lost finds its own successor in place and answers the same. Presenting a spent token revokes
   * the family, except for the loser of a race: the token just spent, from the same address, within the leniency.
   * @returns whether the successor is now live
   */
  rotate({ family, presented, successor, address }: Rotation): boolean {
    const now = Date.now();
    const known = this.ctx.storage.kv.get<Family>(key(family));
    if (known === undefined) return false;
    if (known.expiresAt <= now) return this.revoke(family);
    if (known.sequence === presented.sequence + 1 && known.hash === successor) return true;
    if (known.sequence === presented.sequence && known.hash === presented.hash) {
      this.#write(family, {
        sequence: known.sequence + 1,
        hash: successor,
        startedAt: known.startedAt,
        expiresAt: Math.min(now + TOKEN_LIFETIME_MS, known.startedAt + FAMILY_LIFETIME_MS),
        rotatedAt: now,
        rotatedBy: address,
      });
      return true;
    }
    const lostARace =
      known.sequence === presented.sequence + 1 &&
      known.rotatedBy === address &&
      now - known.rotatedAt <= this.env.REFRESH_LENIENCY_SECONDS * 1000;
    if (presented.sequence < known.sequence && !lostARace) this.revoke(family);
    return false;
  }

  /** Ends a family and leaves word of it in KV; without effect when there is none. */
  revoke(family: string): false {
    const known = this.ctx.storage.kv.get<Family>(key(family));
    if (known !== undefined) this.#end(family, known);
    return false;
  }

  /** Forgets what has expired, and asks to be woken for what has not. */
  override async alarm(): Promise<void> {
    const live = this.#sweep(Date.now());
    if (live.length === 0) return this.ctx.storage.deleteAll();
    await this.ctx.storage.setAlarm(Math.min(...live.map(([, { expiresAt }]) => expiresAt)));
  }

  #end(family: string, { startedAt }: Family): void {
    this.ctx.storage.kv.delete(key(family));
    const expirationTtl = Math.max(60, Math.ceil((startedAt + FAMILY_LIFETIME_MS - Date.now()) / 1000));
    this.ctx.waitUntil(this.env.HINTS.put(revokedKey(family), "1", { expirationTtl }).catch(() => undefined));
  }

  #write(family: string, value: Family): void {
    this.ctx.storage.kv.put(key(family), value);
  }

  /** Deletes the expired families and answers the others, by storage key. */
  #sweep(now: number): [string, Family][] {
    const all = [...this.ctx.storage.kv.list<Family>({ prefix: PREFIX })];
    for (const [name, { expiresAt }] of all) if (expiresAt <= now) this.ctx.storage.kv.delete(name);
    return all.filter(([, { expiresAt }]) => expiresAt > now);
  }
}

/** The KV key under which a revoked family is noted: a fact that never turns back. */
export const revokedKey = (family: string) => `revoked:${family}`;

const PREFIX = "family:";
const key = (family: string) => `${PREFIX}${family}`;
