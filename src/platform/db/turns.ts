import type { Db } from "../../core/database.ts";
import { unavailable } from "../../core/errors.ts";
import { sleep } from "../../core/timers.ts";

/** How many statements of reports a user runs at once in an isolate (R22). */
const AT_ONCE = 2;
/** In Workers, one request cannot wake another, so a waiting request polls. */
const POLL_MS = 20;

/** The log shows the name as `error`. */
class ReportsRunningError extends Error {
  override name = "ReportsRunningError";
}

/** The deadlines of each user's running statements. A request that the runtime ended leaves its deadline behind. */
const running = new Map<number, number[]>();

const stillRunning = (user: number): number[] =>
  (running.get(user) ?? []).filter((deadline) => deadline > Date.now());

interface Waiting {
  user: number;
  /** Epoch milliseconds. */
  deadline: number;
  clientDisconnected: AbortSignal;
}

/** The same database, for reports: a user's third statement waits. @throws Refusal 503 at the deadline */
export const withTurns =
  (db: Db, { user, deadline, clientDisconnected }: Waiting): Db =>
  async (statement) => {
    while (stillRunning(user).length >= AT_ONCE) {
      if (clientDisconnected.aborted || Date.now() >= deadline)
        throw unavailable(
          "Other reports that you asked for are still running. Send fewer at once, or try again in a few seconds.",
          new ReportsRunningError(),
        );
      await sleep(POLL_MS);
    }
    running.set(user, [...stillRunning(user), deadline]);
    try {
      return await db(statement);
    } finally {
      const left = stillRunning(user);
      const own = left.indexOf(deadline);
      if (own >= 0) left.splice(own, 1);
      if (left.length > 0) running.set(user, left);
      else running.delete(user);
    }
  };
