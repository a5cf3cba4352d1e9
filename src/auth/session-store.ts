import { unavailable } from "../http/errors.ts";
import type { Sessions } from "./sessions.ts";

const ATTEMPT_MS = 3000;

/**
 * Calls the object that holds a user's refresh token families. Its methods are safe to repeat, so a lost reply
 * is worth one more try with a new stub; an overloaded object is left alone.
 * @throws Refusal 503 when it does not answer (E2)
 */
export const callSessions = async <T>(
  namespace: Env["SESSIONS"],
  user: number,
  call: (sessions: DurableObjectStub<Sessions>) => Promise<T>,
): Promise<T> => {
  const attempt = () => withDeadline(call(namespace.getByName(`user:${user}`)));
  try {
    return await attempt().catch((error: unknown) => {
      if ((error as { overloaded?: boolean }).overloaded) throw error;
      return attempt();
    });
  } catch (error) {
    throw unavailable(
      "The session store does not answer. Try again in a few seconds; no token was used up.",
      error,
    );
  }
};

const withDeadline = async <T>(work: Promise<T>): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the session store is late")), ATTEMPT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
