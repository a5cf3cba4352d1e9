// The time by the service's clock. The device's clock may be wrong by days, so only a monotonic clock adds to it.

/** What the service said last, and when that was by `performance.now()`. */
let heard = { at: 0, since: 0, isGuess: true };

/** The time now, as milliseconds since 1970. */
export const serviceNow = (): number => heard.at + performance.now() - heard.since;

/** The service says that it is `at`. An older answer, or one that was kept, does not turn the clock back. */
export const hearTime = (at: number): void => {
  if (at > serviceNow() || (heard.isGuess && !Number.isNaN(at)))
    heard = { at, since: performance.now(), isGuess: false };
};

/** Without an answer it may be `at`: until the service says otherwise. */
export const guessTime = (at: number): void => {
  if (heard.isGuess) heard = { at, since: performance.now(), isGuess: true };
};
