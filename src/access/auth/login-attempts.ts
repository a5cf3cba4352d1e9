import { DurableObject } from "cloudflare:workers";
import { SlidingLog } from "../../platform/objects/sliding-log.ts";
import { WINDOW_MS } from "../limits/counter.ts";
import { verifyPassword } from "./passwords.ts";

/** Failed logins per 900 seconds: for each known address, and for all other addresses together (E5). */
const MAX_FAILURES = 50;
const OTHER_ADDRESSES = "elsewhere";

/** How long an address is known after a sign-in, and how many known addresses an account has (E5). */
const KNOWN_MS = 90 * 86_400_000;
const MAX_KNOWN = 10;
const KNOWN_KEY = "known";

/** `address` is a pseudonym. `at` is the last sign-in, in epoch milliseconds. */
interface KnownAddress {
  address: string;
  at: number;
}

/** The object receives it: see docs/stored-keys.md. `hash` is of the account's password; `address` is a pseudonym. */
export interface Attempt {
  id: string;
  password: string;
  hash: string;
  isEnabled: boolean;
  address: string;
}

/** The object sends it: see docs/stored-keys.md. */
export interface AttemptResult {
  is: "right" | "wrong" | "throttled";
  /** Milliseconds until the next attempt is allowed; 0 unless throttled. */
  retryMs: number;
}

/** One per e-mail. Checks passwords one at a time, so a flood of sign-ins does not slow other requests. */
export class LoginAttempts extends DurableObject<Env> {
  readonly #log = new SlidingLog(this.ctx.storage, WINDOW_MS);

  /** Idempotent per `id`. An unknown or disabled account costs the same work (A5). */
  async check({ id, password, hash, isEnabled, address }: Attempt): Promise<AttemptResult> {
    const knownAddresses = this.#knownAddresses();
    const isKnown = knownAddresses.some((known) => known.address === address);
    const quotas = { [isKnown ? address : OTHER_ADDRESSES]: MAX_FAILURES };
    const [standing] = this.#log.standings(quotas);
    if (standing?.remaining === 0) return { is: "throttled", retryMs: standing.resetMs };
    const isValid = verifyPassword(password, hash) && isEnabled;
    if (isValid) {
      const others = knownAddresses.filter((known) => known.address !== address).slice(1 - MAX_KNOWN);
      this.ctx.storage.kv.put(KNOWN_KEY, [...others, { address, at: Date.now() }]);
    } else this.#log.count({ id, names: Object.keys(quotas), answered: 0, total: 1, ageMs: 0 }, quotas);
    await this.#log.scheduleAlarm();
    return { is: isValid ? "right" : "wrong", retryMs: 0 };
  }

  override async alarm(): Promise<void> {
    if (!(await this.#log.sweep())) return;
    const knownAddresses = this.#knownAddresses();
    const [oldest] = knownAddresses;
    if (oldest === undefined) return this.ctx.storage.deleteAll();
    this.#log.clear();
    this.ctx.storage.kv.put(KNOWN_KEY, knownAddresses);
    await this.ctx.storage.setAlarm(oldest.at + KNOWN_MS);
  }

  /** Sorted by last sign-in, the oldest first. */
  #knownAddresses(): KnownAddress[] {
    const stored = this.ctx.storage.kv.get<KnownAddress[]>(KNOWN_KEY) ?? [];
    return stored.filter(({ at }) => at > Date.now() - KNOWN_MS);
  }
}
