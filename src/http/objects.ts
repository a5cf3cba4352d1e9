/** Answers within a time, or throws. What is late goes on and is not waited for. */
export const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), Math.max(0, ms));
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
 * overloaded object is left alone.
 * @param deadline epoch milliseconds after which nobody waits for the answer
 */
export const callObject = async <T>(deadline: number, call: () => Promise<T>): Promise<T> => {
  const attempt = () => within(Math.min(ATTEMPT_MS, deadline - Date.now()), call());
  return attempt().catch((error: unknown) => {
    if ((error as { overloaded?: boolean }).overloaded) throw error;
    return attempt();
  });
};
