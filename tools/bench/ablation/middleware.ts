import { createMiddleware } from "hono/factory";

const pass = createMiddleware((_, next) => next());

/** A body of any size. */
export const bodyUpTo = () => pass;

/** Instead of `log`, `security-headers`, `cors` and `size-limits` of `src/http`: each lets pass. */
export {
  pass as cors,
  pass as log,
  pass as noStore,
  pass as privateData,
  pass as securityHeaders,
  pass as shortUrl,
  pass as smallBody,
};
