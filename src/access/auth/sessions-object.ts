import { DurableObject } from "cloudflare:workers";
import { settingsOf } from "../../core/settings.ts";
import { assertNotExpired } from "../../platform/objects/call-object.ts";
import { writeHint } from "../../platform/objects/hints.ts";
import { REFRESH_TOKEN_LIFETIME } from "./refresh-token.ts";
import {
  type Family,
  isBeforeLive,
  isLive,
  type PresentedToken,
  type SessionTerms,
} from "./session-family.ts";

const DAY_MS = 86_400_000;
const TOKEN_LIFETIME_MS = REFRESH_TOKEN_LIFETIME * 1000;
const FAMILY_LIFETIME_MS = 90 * DAY_MS;
/** How long a token is still answered after its successor was issued (A12). */
const PREDECESSOR_MS = 60_000;
/** Sessions of OAuth clients have a limit of their own, and push out no others (A14). */
const MAX_FAMILIES = 50;
const MAX_OAUTH_FAMILIES = 20;

/** Times are epoch milliseconds. */
export interface SessionRow extends Pick<Family, "kind" | "clientId" | "device" | "startedAt" | "expiresAt"> {
  id: string;
  renewedAt: number;
}

/** It is sent to the object: see docs/stored-keys.md. */
interface CallContext {
  /** Pseudonym of the client's address. */
  address: string;
  /** Deadline of the call, in epoch milliseconds. */
  until: number;
}

/** An attempt to redeem a code. It is sent to the object, too. */
interface Attempt {
  id: string;
  /** Expiry of the code, in epoch milliseconds. */
  expiresAt: number;
  /** Deadline of the call, in epoch milliseconds. */
  until: number;
}

/** The attempt that used up a code. It is stored: see docs/stored-keys.md. */
type Use = Pick<Attempt, "id"> & { keptUntil: number };

/** Longer than any request (E2). Once this time has passed since the sign-in, `open` rejects retries. */
const MAX_CALL_MS = 10_000;

/** One per user. Synchronous storage makes methods atomic. Replies leave after the writes are durable. */
export class Sessions extends DurableObject<Env> {
  /** Starts a family. Ends the oldest if the user has too many (A7). Idempotent, even if it has ended. */
  async open(
    family: string,
    hash: string,
    terms: SessionTerms,
    { address, until }: CallContext,
  ): Promise<void> {
    assertNotExpired(until);
    const now = Date.now();
    const liveFamilies = this.#sweep(now);
    if (this.#find(family) !== undefined || this.ctx.storage.kv.get(endedKey(family)) !== undefined) return;
    this.#makeRoom(liveFamilies, terms.kind);
    this.#write(family, {
      ...terms,
      sequence: 0,
      hash,
      startedAt: now,
      expiresAt: now + TOKEN_LIFETIME_MS,
      previousExpiresAt: 0,
      rotatedAt: now,
      rotatedBy: address,
    });
    await this.ctx.storage.setAlarm(now + TOKEN_LIFETIME_MS);
  }

  /**
   * Returns the terms of the session, if this is its live token or the one before an unused live token (A12).
   * Read-only, so a delayed call is harmless.
   */
  termsFor(presented: PresentedToken): SessionTerms | undefined {
    const stored = this.#find(presented.family);
    const now = Date.now();
    if (stored === undefined || !(isLive(stored, presented, now) || isBeforeLive(stored, presented, now)))
      return undefined;
    const { kind, clientId, personalData, number, device } = stored;
    return { kind, clientId, personalData, number, device };
  }

  /**
   * Ends the family if the token was already used or has expired. Exception: the previous token of an `api` session,
   * sent from the same address within `REFRESH_LENIENCY_SECONDS` (A6).
   */
  revokeIfReused({ family, sequence }: PresentedToken, { address, until }: CallContext): void {
    assertNotExpired(until);
    const now = Date.now();
    const stored = this.#find(family);
    if (stored === undefined) return;
    const isRaceLoser =
      stored.kind === "api" &&
      stored.sequence === sequence + 1 &&
      stored.rotatedBy === address &&
      now - stored.rotatedAt <= settingsOf(this.env).REFRESH_LENIENCY_SECONDS * 1000;
    const isSpent = sequence < stored.sequence && !isRaceLoser;
    if (isSpent || stored.expiresAt <= now) this.#end(family, stored);
  }

  /**
   * Returns the hash of the token that is live now, one of the successors (A6), or undefined. Ends a family with
   * a lower session number (A9). Idempotent: a retry finds its own successor live.
   */
  rotate(presented: PresentedToken, number: number, context: CallContext): string | undefined {
    assertNotExpired(context.until);
    const { family, successors } = presented;
    const [successor] = successors;
    const stored = this.#find(family);
    if (stored === undefined || successor === undefined) return undefined;
    if (stored.number < number) {
      this.#end(family, stored);
      return undefined;
    }
    const now = Date.now();
    if (isBeforeLive(stored, presented, now)) return stored.hash;
    if (!isLive(stored, presented, now)) {
      this.revokeIfReused(presented, context);
      return undefined;
    }
    this.#write(family, {
      ...stored,
      sequence: presented.sequence + 1,
      hash: successor,
      expiresAt: Math.min(now + TOKEN_LIFETIME_MS, stored.startedAt + FAMILY_LIFETIME_MS),
      previousExpiresAt: Math.min(stored.expiresAt, now + PREDECESSOR_MS),
      rotatedAt: now,
      rotatedBy: context.address,
    });
    return successor;
  }

  /** The live sessions that started with this session number or a higher one (A9, A13), newest first. */
  list(number: number): SessionRow[] {
    return this.#sweep(Date.now())
      .filter(([, family]) => family.number >= number)
      .map(([key, { kind, clientId, device, startedAt, rotatedAt, expiresAt }]) => ({
        id: key.slice(FAMILY_PREFIX.length),
        kind,
        clientId,
        // Of a session that was stored without one.
        device: device ?? null,
        startedAt,
        renewedAt: rotatedAt,
        expiresAt,
      }))
      .sort((a, b) => b.startedAt - a.startedAt);
  }

  revokeAll(until: number): void {
    assertNotExpired(until);
    for (const [key, family] of this.#sweep(Date.now())) this.#end(key.slice(FAMILY_PREFIX.length), family);
  }

  /**
   * Uses up the code of the family (A14). If it was used or has expired, returns false and ends the family, or prevents
   * its `open`, which may still be under way. Idempotent per attempt.
   */
  async redeem(family: string, { id, expiresAt, until }: Attempt): Promise<boolean> {
    assertNotExpired(until);
    const use = this.ctx.storage.kv.get<Use>(usedKey(family));
    if (use?.id === id) return true;
    const now = Date.now();
    const isFirst = use === undefined && now < expiresAt;
    const keptUntil = (isFirst ? expiresAt : now) + MAX_CALL_MS;
    if (isFirst) this.ctx.storage.kv.put<Use>(usedKey(family), { id, keptUntil });
    else {
      this.ctx.storage.kv.put(endedKey(family), keptUntil);
      this.revoke(family);
    }
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(keptUntil);
    return isFirst;
  }

  /** Ends the family. With `clientId`, only if it belongs to that OAuth client. */
  revoke(family: string, clientId?: string): void {
    const stored = this.#find(family);
    if (stored === undefined || (clientId ?? stored.clientId) !== stored.clientId) return;
    this.#end(family, stored);
  }

  override async alarm(): Promise<void> {
    const liveFamilies = this.#sweep(Date.now());
    const ends = [
      ...liveFamilies.map(([, { expiresAt }]) => expiresAt),
      ...this.#marks().map(([, end]) => end),
    ];
    if (ends.length === 0) return this.ctx.storage.deleteAll();
    await this.ctx.storage.setAlarm(Math.min(...ends));
  }

  /** Ends the oldest families until there is room for one more. */
  #makeRoom(liveFamilies: [string, Family][], opened: Family["kind"]): void {
    const isOAuth = opened === "oauth";
    const alike = liveFamilies
      .filter(([, { kind }]) => (kind === "oauth") === isOAuth)
      .sort(([, a], [, b]) => a.startedAt - b.startedAt);
    const excess = alike.length + 1 - (isOAuth ? MAX_OAUTH_FAMILIES : MAX_FAMILIES);
    for (const [key, oldest] of alike.slice(0, Math.max(0, excess)))
      this.#end(key.slice(FAMILY_PREFIX.length), oldest);
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
    for (const [key, end] of this.#marks()) if (end <= now) this.ctx.storage.kv.delete(key);
    return families.filter(([, { expiresAt }]) => expiresAt > now);
  }

  /** The keys of ended families and used codes, and until when each is kept. */
  #marks(): [string, number][] {
    const ended = [...this.ctx.storage.kv.list<number>({ prefix: ENDED_PREFIX })];
    const used = [...this.ctx.storage.kv.list<Use>({ prefix: USED_PREFIX })];
    return [...ended, ...used.map(([key, { keptUntil }]): [string, number] => [key, keptUntil])];
  }
}

/** The KV key of a revoked family. KV stores only facts that never change again. */
export const revokedKey = (family: string) => `revoked:${family}`;

const ENDED_PREFIX = "ended:";
const endedKey = (family: string) => `${ENDED_PREFIX}${family}`;

const USED_PREFIX = "used:";
const usedKey = (family: string) => `${USED_PREFIX}${family}`;

const FAMILY_PREFIX = "family:";
const familyKey = (family: string) => `${FAMILY_PREFIX}${family}`;
