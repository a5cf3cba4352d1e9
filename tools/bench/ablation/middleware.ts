import { createMiddleware } from "hono/factory";

const pass = createMiddleware((_, next) => next());

export const bodyUpTo = () => pass;

/** Replaces `log`, `security-headers`, `cors` and `size-limits` of `src/http`: each calls `next` only. */
export {
  pass as cors,
  pass as log,
  pass as noStore,
  pass as privateData,
  pass as securityHeaders,
  pass as shortUrl,
  pass as smallBody,
};
