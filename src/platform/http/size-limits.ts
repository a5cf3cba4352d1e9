import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { TimeoutError, withTimeout } from "../../core/timers.ts";

const incompleteBody = (cause: unknown) =>
  new Refusal(400, "The body is incomplete. Send the request again.", {}, cause);
const bodyTimeout = (cause: unknown) =>
  new Refusal(408, "The body did not arrive in time. Send the request again.", {}, cause);

/** Time reserved before the deadline, to charge the request if its body times out. */
const CHARGE_MS = 1000;

/**
 * Reads a body of at most the policy's size before the deadline. Ignores the body of GET and HEAD.
 * @throws Refusal 413 if the body is too large, 408 if it is late, 400 if it is incomplete
 */
export const readBody = createMiddleware<AppEnv>(async (c, next) => {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") {
    const maxSize = c.var.policy.maxBody;
    const onError = () => {
      throw new Refusal(413, `The body is larger than ${maxSize} bytes. Send a smaller one.`);
    };
    // Hono caches the body for the route.
    const read = bodyLimit({ maxSize, onError })(c, async () => void (await c.req.arrayBuffer()));
    await withTimeout(c.var.deadline - CHARGE_MS - Date.now(), read).catch((error: unknown) => {
      if (error instanceof Refusal) throw error;
      throw error instanceof TimeoutError ? bodyTimeout(error) : incompleteBody(error);
    });
  }
  await next();
});

const MAX_URL_CHARACTERS = 8192;

/** @throws Refusal 414; no valid URL of this service comes close to the limit */
export const rejectLongUrl = createMiddleware(async (c, next) => {
  if (c.req.url.length > MAX_URL_CHARACTERS) {
    throw new Refusal(414, `The URL is longer than ${MAX_URL_CHARACTERS} characters. Send a shorter one.`);
  }
  await next();
});
