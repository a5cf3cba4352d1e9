import { createMiddleware } from "hono/factory";
import { Refusal } from "../ground/errors.ts";

const MAX_CHARACTERS = 8192;

/** No URL of this service comes near 8 KiB (RFC 9110, 15.5.15). */
export const shortUrl = createMiddleware(async (c, next) => {
  if (c.req.url.length > MAX_CHARACTERS) {
    throw new Refusal(414, `The URL must not be longer than ${MAX_CHARACTERS} characters.`);
  }
  await next();
});
