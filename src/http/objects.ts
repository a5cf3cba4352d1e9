/** What `within` throws. */
export class TimeoutError extends Error {
  override readonly name = "TimeoutError";
}

/** Answers within a time, or throws. What is late goes on and is not waited for. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`no answer within ${ms} ms`)), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

const ATTEMPT_MS = 1500;

/**
 * Calls a Durable Object whose method is safe to repeat: a lost reply is worth one more try, with a new stub; an
 * overloaded object is left alone. The first attempt may still answer while the second runs.
 * @param deadline epoch milliseconds after which nobody waits for the answer
 * @param call is given the moment after which its attempt must not be carried out any more
 * @param patience how long an answer is waited for after that: what was carried out in time may be told late
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
    return await within(first.until - Date.now(), first.answer);
  } catch (error) {
    if ((error as { overloaded?: boolean }).overloaded) throw error;
    const second = attempt();
    const either = Promise.any([second.answer, first.answer]).catch(({ errors }: AggregateError) => {
      throw errors[0];
    });
    return within(Math.min(second.until + patience, deadline) - Date.now(), either);
  }
};

/**
 * What a method of an object asks first: a call that was given up may arrive long after another has taken its place.
 * @param until epoch milliseconds
 */
export const refuseLateCall = (until: number): void => {
  if (Date.now() > until) throw new Error("this call came too late");
};
