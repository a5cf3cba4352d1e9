import type { Figure } from "../bench/figures.ts";

/** What the drills share: how they send load, at a steady rate, however long the answers take. */

/** @param databaseUrl the owner's connection string of a filled warehouse */
export type Drill = (
  databaseUrl: string,
  options: { short: boolean; minutes: number; previous?: string | undefined },
) => AsyncGenerator<Figure>;

export interface Answer {
  /** 0 without a response. */
  status: number;
  /** The header `Retry-After`, in seconds. */
  retryAfter: number;
  /** Start time by this process's clock, and duration, both in ms. */
  at: number;
  ms: number;
}

/** Never throws. A failed request has status 0. */
const ask = async (url: string, Authorization: string): Promise<Answer> => {
  const at = performance.now();
  const done = (status: number, retryAfter = 0) => ({ status, retryAfter, at, ms: performance.now() - at });
  try {
    const response = await fetch(url, { headers: { Authorization } });
    await response.arrayBuffer();
    return done(response.status, Number(response.headers.get("Retry-After")));
  } catch {
    return done(0);
  }
};

/** @param next returns the URL and the `Authorization` value of a request */
export const askSteadily = (perSecond: number, next: (n: number) => [url: string, authorization: string]) => {
  const answers: Answer[] = [];
  const pending = new Set<Promise<unknown>>();
  let n = 0;
  const timer = setInterval(() => {
    const request = ask(...next(n)).then((answer) => {
      answers.push(answer);
      pending.delete(request);
    });
    n += 1;
    pending.add(request);
  }, 1000 / perSecond);
  return {
    /** The answers so far, in order of arrival. */
    answers,
    end: async () => {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
};

/** Formats counts by status: `200: 412, 503: 31`. */
export const tally = (statuses: number[]): string =>
  [...Map.groupBy(statuses, (status) => status)]
    .sort(([a], [b]) => a - b)
    .map(([status, all]) => `${status === 0 ? "no response" : status}: ${all.length}`)
    .join(", ");
