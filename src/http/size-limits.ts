import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";
import { TimeoutError, within } from "./objects.ts";

const incomplete = (cause: unknown) =>
  new Refusal(400, "The body did not arrive whole: send it again.", {}, cause);
const tooSlow = (cause: unknown) =>
  new Refusal(408, "The body did not arrive in time. Send the request again.", {}, cause);

/** The part of a request's time that is left when its body is late: enough to count the request. */
const RESERVED_MS = 1000;

/**
 * Reads the body within the request's deadline, so that what comes after has it at hand. The body of a GET or HEAD
 * means nothing and is not waited for.
 * @throws Refusal 413 for a larger body, 408 for one that is late, 400 for one that breaks off
 */
export const bodyUpTo = (maxSize: number) => {
  const limit = bodyLimit({
    maxSize,
    onError: () => {
      throw new Refusal(413, `The body must not be larger than ${maxSize} bytes.`);
    },
  });
  return createMiddleware<AppEnv>(async (c, next) => {
    if (c.req.method !== "GET" && c.req.method !== "HEAD") {
      // Hono keeps what was read: a route reads it again at no cost.
      const read = limit(c, async () => void (await c.req.arrayBuffer()));
      await within(c.var.deadline - RESERVED_MS - Date.now(), read).catch((error: unknown) => {
        if (error instanceof Refusal) throw error;
        throw error instanceof TimeoutError ? tooSlow(error) : incomplete(error);
      });
    }
    await next();
  });
};

/** A body anybody may send: that of a sign-in (A5). */
export const smallBody = bodyUpTo(4096);

const MAX_URL_CHARACTERS = 8192;

/** No URL of this service comes near 8 KiB (RFC 9110, 15.5.15). */
export const shortUrl = createMiddleware(async (c, next) => {
  if (c.req.url.length > MAX_URL_CHARACTERS) {
    throw new Refusal(414, `The URL must not be longer than ${MAX_URL_CHARACTERS} characters.`);
  }
  await next();
});
