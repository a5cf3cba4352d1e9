import { createMiddleware } from "hono/factory";

const pass = createMiddleware((_, next) => next());

export const readBodyUpTo = () => pass;

/** Replaces `log`, `security-headers`, `cors` and `size-limits` of `src/http`: each calls `next` only. */
export {
  pass as cors,
  pass as log,
  pass as noStore,
  pass as privateCache,
  pass as securityHeaders,
  pass as rejectLongUrl,
  pass as readSmallBody,
};
