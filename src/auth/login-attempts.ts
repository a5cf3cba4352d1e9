import { DurableObject } from "cloudflare:workers";
import { WINDOW_MS } from "../limits/counter.ts";
import { SlidingLog } from "../limits/sliding-log.ts";
import { verifyPassword } from "./passwords.ts";

/** Failed logins per 900 seconds: for each known address, and for all other addresses together (E5). */
const MAX_FAILURES = 50;
const ELSEWHERE = "elsewhere";

/** How long an address is known after a sign-in, and how many known addresses an account has (E5). */
const KNOWN_MS = 90 * 86_400_000;
const MAX_KNOWN = 10;
const KNOWN = "known";

/** `address` is a pseudonym. `at` is the last sign-in, in epoch milliseconds. */
interface KnownAddress {
  address: string;
  at: number;
}

export interface Attempt {
  is: "right" | "wrong" | "throttled";
  /** Milliseconds until the next attempt is allowed; 0 unless throttled. */
  retryMs: number;
}

/** One object per e-mail. Checks passwords one at a time, so that a flood of logins does not slow other requests. */
export class LoginAttempts extends DurableObject<Env> {
  readonly #log = new SlidingLog(this.ctx.storage, WINDOW_MS);

  /** A repeated `id` counts once. An unknown or inactive account (`mayPass` false) fails after the same work (A5). */
  async check(
    id: string,
    password: string,
    hash: string,
    mayPass: boolean,
    address: string,
  ): Promise<Attempt> {
    const known = this.#known();
    const isKnown = known.some((one) => one.address === address);
    const quotas = { [isKnown ? address : ELSEWHERE]: MAX_FAILURES };
    const [standing] = this.#log.look(quotas);
    if (standing?.remaining === 0) return { is: "throttled", retryMs: standing.resetMs };
    const isRight = verifyPassword(password, hash) && mayPass;
    if (isRight) {
      const others = known.filter((one) => one.address !== address).slice(1 - MAX_KNOWN);
      this.ctx.storage.kv.put(KNOWN, [...others, { address, at: Date.now() }]);
    } else this.#log.hit(id, quotas);
    await this.#log.arm();
    return { is: isRight ? "right" : "wrong", retryMs: 0 };
  }

  override async alarm(): Promise<void> {
    if (!(await this.#log.sweep())) return;
    const known = this.#known();
    const [oldest] = known;
    if (oldest === undefined) return this.ctx.storage.deleteAll();
    this.#log.clear();
    this.ctx.storage.kv.put(KNOWN, known);
    await this.ctx.storage.setAlarm(oldest.at + KNOWN_MS);
  }

  /** Sorted by last sign-in, the oldest first. */
  #known(): KnownAddress[] {
    const all = this.ctx.storage.kv.get<KnownAddress[]>(KNOWN) ?? [];
    return all.filter(({ at }) => at > Date.now() - KNOWN_MS);
  }
}
