import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { Refusal } from "../ground/errors.ts";

const MAX_BODY_BYTES = 4096;

const limit = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new Refusal(413, `The body must not be larger than ${MAX_BODY_BYTES} bytes.`);
  },
});

/** No body of this service is larger than 4 KiB (A5), and one that breaks off on its way is the sender's to mend. */
export const smallBody = createMiddleware(async (c, next) => {
  let hasArrived = false;
  try {
    return await limit(c, async () => {
      hasArrived = true;
      await next();
    });
  } catch (error) {
    if (hasArrived || error instanceof Refusal) throw error;
    throw new Refusal(400, "The body did not arrive whole: send it again.", {}, error);
  }
});

const MAX_URL_CHARACTERS = 8192;

/** No URL of this service comes near 8 KiB (RFC 9110, 15.5.15). */
export const shortUrl = createMiddleware(async (c, next) => {
  if (c.req.url.length > MAX_URL_CHARACTERS) {
    throw new Refusal(414, `The URL must not be longer than ${MAX_URL_CHARACTERS} characters.`);
  }
  await next();
});
