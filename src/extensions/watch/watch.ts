import { DurableObject } from "cloudflare:workers";
import {
  type Channel,
  type Deliveries,
  type Delivery,
  postJson,
  type Summary,
  sendSummary,
} from "./delivery.ts";
import { messageOf } from "./message.ts";
import type { FoundProblem, Problem } from "./problems.ts";

const DAY_MS = 86_400_000;
const STATE_KEY = "state";
const SUMMARY_KEY = "summary";

/** The day of the last summary that each channel delivered. It is stored: see docs/stored-keys.md. */
type Sent = { [Name in Channel]?: string };

/** It is stored: see docs/stored-keys.md. */
interface State {
  problems: Problem[];
  /** The problems of the last message that was delivered, as `keyOf` writes them. */
  announced: string;
  /** When it was delivered, in epoch ms. */
  announcedAt: number;
}

const keyOf = ({ kind, name }: FoundProblem) => JSON.stringify([kind, name]);
const identityOf = (problems: Problem[]) => problems.map(keyOf).sort().join();

/**
 * Remembers the problems of the last run, and announces each change of them (W1). Remembers when the summary was
 * delivered (W2). One object, named `watch`.
 */
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
      const key = identityOf(problems);
      const isReminder = key !== "" && at - last.announcedAt >= DAY_MS;
      const isDue = webhook !== undefined && (key !== last.announced || isReminder);
      const alert = isDue ? await postJson(webhook, JSON.stringify(messageOf(problems))) : undefined;
      const announcement = alert === "delivered" ? { announced: key, announcedAt: at } : {};
      this.ctx.storage.kv.put(STATE_KEY, { ...last, problems, ...announcement });
      return { problems, alert };
    });
  }

  /** The channels that have not delivered the summary of a day (W2). */
  dueChannels(day: string, channels: Channel[]): Channel[] {
    const sent = this.#sent();
    return channels.filter((channel) => sent[channel] !== day);
  }

  /** Sends the summary of a day by those of the channels that are still due (W2). */
  async sendSummary(day: string, channels: Channel[], summary: Summary): Promise<Deliveries> {
    // Concurrent runs wait, so that only the first sends it.
    return this.ctx.blockConcurrencyWhile(async () => {
      const deliveries = await sendSummary(this.env, this.dueChannels(day, channels), summary);
      const delivered = channels.filter((channel) => deliveries[channel] === "delivered");
      const sent = { ...this.#sent(), ...Object.fromEntries(delivered.map((channel) => [channel, day])) };
      this.ctx.storage.kv.put(SUMMARY_KEY, sent);
      return deliveries;
    });
  }

  #sent(): Sent {
    return this.ctx.storage.kv.get<Sent>(SUMMARY_KEY) ?? {};
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
