import type { HonoRequest } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { Refusal } from "../ground/errors.ts";

const brokenOff = (cause: unknown) =>
  new Refusal(400, "The body did not arrive whole: send it again.", {}, cause);

/** A body as text. What has a length is let in unread: it may break off as it is read. @throws Refusal 400 then */
export const bodyText = (req: HonoRequest): Promise<string> =>
  req.text().catch((error: unknown) => {
    throw brokenOff(error);
  });

/** Refuses larger bodies; one that breaks off on its way is the sender's to mend. */
export const bodyUpTo = (maxSize: number) => {
  const limit = bodyLimit({
    maxSize,
    onError: () => {
      throw new Refusal(413, `The body must not be larger than ${maxSize} bytes.`);
    },
  });
  return createMiddleware(async (c, next) => {
    let hasArrived = false;
    try {
      return await limit(c, async () => {
        hasArrived = true;
        await next();
      });
    } catch (error) {
      if (hasArrived || error instanceof Refusal) throw error;
      throw brokenOff(error);
    }
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
