import { DurableObject } from "cloudflare:workers";
import { WINDOW_MS } from "../limits/counter.ts";
import { SlidingLog } from "../limits/sliding-log.ts";
import { verifyPassword } from "./passwords.ts";

/** Failed logins an account may have in any 900 seconds: from a known address, and from all others together (E5). */
const MAX_FAILURES = 50;
const ELSEWHERE = "elsewhere";

/** An address from which the account has signed in counts for itself for so long, and so many of them (E5). */
const KNOWN_MS = 90 * 86_400_000;
const MAX_KNOWN = 10;
const KNOWN = "known";

/** An address by its pseudonym, and when the account last signed in from there, in epoch milliseconds. */
interface KnownAddress {
  address: string;
  at: number;
}

export interface Attempt {
  is: "right" | "wrong" | "throttled";
  /** Milliseconds until the next attempt may be made; 0 unless throttled. */
  retryMs: number;
}

/**
 * The login attempts on one e-mail, known or not. Passwords are checked here and one after another, so that a flood
 * of logins on an account works off one hash at a time, away from the Workers that serve data.
 */
export class LoginAttempts extends DurableObject<Env> {
  readonly #log = new SlidingLog(this.ctx.storage, WINDOW_MS);

  /**
   * @param id names the attempt: a repeated call counts once
   * @param mayPass false for an account that is not there or not active: it fails whatever the password, after the
   *   same work (A5)
   * @param address a pseudonym; none from a Worker of the release before
   */
  async check(
    id: string,
    password: string,
    hash: string,
    mayPass: boolean,
    address?: string,
  ): Promise<Attempt> {
    const known = this.#known();
    const isKnown = known.some((one) => one.address === address);
    const quotas = { [isKnown && address ? address : ELSEWHERE]: MAX_FAILURES };
    const [standing] = this.#log.look(quotas);
    if (standing?.remaining === 0) return { is: "throttled", retryMs: standing.resetMs };
    const isRight = verifyPassword(password, hash) && mayPass;
    if (isRight && address) {
      const others = known.filter((one) => one.address !== address).slice(1 - MAX_KNOWN);
      this.ctx.storage.kv.put(KNOWN, [...others, { address, at: Date.now() }]);
    } else if (!isRight) this.#log.hit(id, quotas);
    await this.#log.arm();
    return { is: isRight ? "right" : "wrong", retryMs: 0 };
  }

  /** Forgets what does not count any more, and asks to be woken for what does. */
  override async alarm(): Promise<void> {
    if (!(await this.#log.sweep())) return;
    const known = this.#known();
    const [oldest] = known;
    if (oldest === undefined) return this.ctx.storage.deleteAll();
    this.#log.clear();
    this.ctx.storage.kv.put(KNOWN, known);
    await this.ctx.storage.setAlarm(oldest.at + KNOWN_MS);
  }

  /** The addresses that count for themselves, the one longest not signed in from first. */
  #known(): KnownAddress[] {
    const all = this.ctx.storage.kv.get<KnownAddress[]>(KNOWN) ?? [];
    return all.filter(({ at }) => at > Date.now() - KNOWN_MS);
  }
}
