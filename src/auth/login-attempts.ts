import { DurableObject } from "cloudflare:workers";
import { WINDOW_MS } from "../limits/counter.ts";
import { SlidingLog } from "../limits/sliding-log.ts";
import { verifyPassword } from "./passwords.ts";

/** Failed logins an account may have in any 900 seconds (E5). */
const QUOTAS = { login: 50 };

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
   */
  async check(id: string, password: string, hash: string, mayPass: boolean): Promise<Attempt> {
    const [standing] = this.#log.look(QUOTAS);
    if (standing?.remaining === 0) return { is: "throttled", retryMs: standing.resetMs };
    const isRight = verifyPassword(password, hash);
    if (isRight && mayPass) return { is: "right", retryMs: 0 };
    this.#log.hit(id, QUOTAS);
    await this.#log.arm();
    return { is: "wrong", retryMs: 0 };
  }

  override alarm(): Promise<void> {
    return this.#log.sweep();
  }
}
