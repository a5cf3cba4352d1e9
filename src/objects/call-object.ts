import { withTimeout } from "../core/with-timeout.ts";

const ATTEMPT_MS = 1500;

/**
 * Calls an idempotent method of a Durable Object. Retries once, with a new stub, unless the object is overloaded.
 * @param call gets the time (epoch milliseconds) after which the object must not execute it
 * @param patience additional milliseconds to wait: the reply to a call that was executed in time may arrive late
 */
export const callObject = async <T>(
  deadline: number,
  call: (until: number) => Promise<T>,
  patience = 0,
): Promise<T> => {
  const attempt = () => {
    const until = Math.min(Date.now() + ATTEMPT_MS, deadline);
    return { until, answer: call(until) };
  };
  const first = attempt();
  try {
    return await withTimeout(first.until - Date.now(), first.answer);
  } catch (error) {
    if ((error as { overloaded?: boolean }).overloaded) throw error;
    const second = attempt();
    const either = Promise.any([second.answer, first.answer]).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
    return withTimeout(Math.min(second.until + patience, deadline) - Date.now(), either);
  }
};

/** Call it first in a method that writes: an abandoned call may arrive after its retry. `until`: epoch milliseconds. */
export const assertNotExpired = (until: number): void => {
  if (Date.now() > until) throw new Error("this call came too late");
};
