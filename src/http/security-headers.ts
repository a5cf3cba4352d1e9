import { secureHeaders } from "hono/secure-headers";

/** E8: an answer is data, and never a page that may load, frame or be framed. */
export const securityHeaders = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  strictTransportSecurity: "max-age=63072000; includeSubDomains",
  referrerPolicy: "no-referrer",
  crossOriginResourcePolicy: "cross-origin",
});
