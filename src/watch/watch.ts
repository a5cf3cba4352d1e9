import { DurableObject } from "cloudflare:workers";
import { messageOf } from "./message.ts";
import type { FoundProblem, Problem } from "./problems.ts";

const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10_000;
const STATE_KEY = "state";

/** It is stored: see docs/stored-keys.md. */
interface State {
  problems: Problem[];
  /** The problems of the last message that was delivered, as `keyOf` writes them. */
  announced: string;
  /** When it was delivered, in epoch ms. */
  announcedAt: number;
}

/** How a request to an address of the operator ended. */
export type Delivery = "delivered" | `status ${number}` | "no response";

const keyOf = ({ kind, name }: FoundProblem) => JSON.stringify([kind, name]);
const keysOf = (problems: Problem[]) => problems.map(keyOf).sort().join();

/** Sends one request. An address may contain a secret, so no error is passed on. */
export const deliver = async (url: string, init: RequestInit = {}): Promise<Delivery> => {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    await response.body?.cancel();
    return response.ok ? "delivered" : `status ${response.status}`;
  } catch {
    return "no response";
  }
};

const post = (url: string, problems: Problem[]): Promise<Delivery> =>
  deliver(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(messageOf(problems)),
  });

/** Remembers the problems of the last run, and announces each change of them (W1). One object, named `watch`. */
export class Watch extends DurableObject<Env> {
  /**
   * Records the problems of a run and posts a message if one is due.
   * @param found undefined if the database did not answer: the other problems then stay as they were
   * @param at the time of the run, in epoch ms
   */
  async record(
    found: FoundProblem[] | undefined,
    at: number,
    webhook: string | undefined,
  ): Promise<{ problems: Problem[]; alert: Delivery | undefined }> {
    // Concurrent runs wait, so that only the first announces a change.
    return this.ctx.blockConcurrencyWhile(async () => {
      const last = this.ctx.storage.kv.get<State>(STATE_KEY) ?? {
        problems: [],
        announced: "",
        announcedAt: 0,
      };
      const problems = this.#problemsOf(found, at, last.problems);
      const key = keysOf(problems);
      const isReminder = key !== "" && at - last.announcedAt >= DAY_MS;
      const isDue = webhook !== undefined && (key !== last.announced || isReminder);
      const alert = isDue ? await post(webhook, problems) : undefined;
      const announcement = alert === "delivered" ? { announced: key, announcedAt: at } : {};
      this.ctx.storage.kv.put(STATE_KEY, { ...last, problems, ...announcement });
      return { problems, alert };
    });
  }

  #problemsOf(found: FoundProblem[] | undefined, at: number, last: Problem[]): Problem[] {
    const database = { kind: "database", name: "database", since: null } as const;
    // A rule that could not be checked keeps its figure.
    const isUnchecked = ({ name }: Problem) =>
      found?.some((other) => other.kind === "rule" && other.name === name);
    const current = found
      ? [...found, ...last.filter((problem) => problem.kind === "figure" && isUnchecked(problem))]
      : [...last.filter(({ kind }) => kind !== "database"), database];
    const sinceOf = (problem: FoundProblem) =>
      problem.since ?? last.find((other) => keyOf(other) === keyOf(problem))?.since;
    return current.map((problem) => ({
      ...problem,
      // The format of Postgres.
      since: sinceOf(problem) ?? new Date(at).toISOString().replace("Z", "+00:00"),
    }));
  }
}
