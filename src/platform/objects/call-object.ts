import { withTimeout } from "../../core/timers.ts";

const ATTEMPT_MS = 1500;

/**
 * Calls an idempotent method of a Durable Object. Retries once, unless the object is overloaded.
 * @param call gets the time (epoch milliseconds) after which the object must not execute it
 * @param extraWaitMs additional wait for a late reply to a call that was executed in time
 */
export const callObject = async <T>(
  deadline: number,
  call: (until: number) => Promise<T>,
  extraWaitMs = 0,
): Promise<T> => {
  const attempt = () => {
    const until = Math.min(Date.now() + ATTEMPT_MS, deadline);
    return { until, reply: call(until) };
  };
  const first = attempt();
  try {
    return await withTimeout(first.until - Date.now(), first.reply);
  } catch (error) {
    if ((error as { overloaded?: boolean }).overloaded) throw error;
    const second = attempt();
    const anyReply = Promise.any([second.reply, first.reply]).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
    return withTimeout(Math.min(second.until + extraWaitMs, deadline) - Date.now(), anyReply);
  }
};

/** Call it first in a method that writes: a delayed call may arrive after its retry. @param until epoch ms */
export const assertNotExpired = (until: number): void => {
  if (Date.now() > until) throw new Error("this call arrived after its deadline");
};
