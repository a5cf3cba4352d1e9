import { DurableObject } from "cloudflare:workers";
import { assertNotExpired } from "../../platform/objects/call-object.ts";

/** A code can be redeemed for this long (A14). */
const CODE_MS = 60_000;
/** As long as a session can live. A second use must find the session that the first one opened. */
const USED_MS = 90 * 86_400_000;

/** What a user allowed, and the client and request it belongs to. It is stored: see docs/stored-keys.md. */
export interface Grant {
  clientId: string;
  redirect: string;
  challenge: string;
  resource: string;
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

interface Stored {
  grant: Grant;
  expiresAt: number;
  /** The id of the call that used the code. */
  usedBy: string | undefined;
}

const KEY = "code";

/** One per authorization code, named by its hash. Synchronous storage makes methods atomic. */
export class AuthorizationCode extends DurableObject<Env> {
  /** Idempotent. */
  async issue(grant: Grant, until: number): Promise<void> {
    assertNotExpired(until);
    if (this.ctx.storage.kv.get(KEY) !== undefined) return;
    const expiresAt = Date.now() + CODE_MS;
    this.ctx.storage.kv.put<Stored>(KEY, { grant, expiresAt, usedBy: undefined });
    await this.ctx.storage.setAlarm(expiresAt);
  }

  /**
   * Uses up the code. Returns its grant, and whether this is its first use; undefined if it is unknown or expired.
   * Idempotent per `call`.
   */
  async redeem(call: string, until: number): Promise<{ grant: Grant; isFirst: boolean } | undefined> {
    assertNotExpired(until);
    const stored = this.ctx.storage.kv.get<Stored>(KEY);
    if (stored === undefined) return undefined;
    const { grant, usedBy } = stored;
    if (usedBy !== undefined) return { grant, isFirst: usedBy === call };
    if (stored.expiresAt <= Date.now()) return undefined;
    this.ctx.storage.kv.put<Stored>(KEY, { ...stored, usedBy: call });
    await this.ctx.storage.setAlarm(Date.now() + USED_MS);
    return { grant, isFirst: true };
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
