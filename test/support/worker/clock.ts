import { vi } from "vitest";

const realTimeout = setTimeout;
const pause = (ms: number) => new Promise<void>((resolve) => realTimeout(resolve, ms));

/** Fakes `Date` and `setTimeout`, also in Durable Objects. I/O stays real. Undo with `vi.useRealTimers`. */
export const startFakeClock = () =>
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() });

/** Stops `Date`; `wait` moves it. Undo with `vi.useRealTimers`. */
export const stopClock = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
export const wait = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Advances the fake clock and fires due timers. */
export const advanceClock = (ms: number) => vi.advanceTimersByTimeAsync(ms);

const STEP_MS = 500;
/** Real milliseconds to let pending I/O finish before each step. */
const QUIET_MS = 100;

/** The service responds to every request within this time (E2). */
const LIMIT_MS = 10_000;

/**
 * Awaits work while advancing the fake clock in steps of 500 ms.
 * @param isStuck the clock advances only while this returns true
 * @throws after ten seconds on the fake clock
 */
export const advanceClockUntilDone = async <T>(
  work: Promise<T>,
  isStuck: () => boolean = () => true,
): Promise<T> => {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  for (let passed = 0; passed < LIMIT_MS; ) {
    for (let waited = 0; waited < QUIET_MS && !isOver; waited += 5) await pause(5);
    if (isOver) return work;
    if (!isStuck()) continue;
    await advanceClock(STEP_MS);
    passed += STEP_MS;
  }
  throw new Error("no answer within ten seconds of the fake clock");
};
