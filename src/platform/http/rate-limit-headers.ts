import type { Context } from "hono";
import type { Standing } from "../../core/context.ts";
import { waitSeconds } from "../../core/errors.ts";

/** Shows the standings of the quotas in the response headers, or removes the headers if they are unknown (E4). */
export const setRateLimitHeaders = (
  c: Context,
  windowMs: number,
  standings: Standing[] | undefined,
): void => {
  const list = (show: (standing: Standing) => string) =>
    standings?.map((standing) => `"${standing.name}";${show(standing)}`).join(", ");
  const headers = {
    "RateLimit-Policy": list(({ quota }) => `q=${quota};w=${windowMs / 1000}`),
    RateLimit: list(({ remaining, resetMs }) => `r=${remaining};t=${waitSeconds(resetMs)}`),
  };
  for (const [name, value] of Object.entries(headers)) {
    // `c.header` copies the body of a finished response.
    if (!c.finalized) c.header(name, value);
    else if (value === undefined) c.res.headers.delete(name);
    else c.res.headers.set(name, value);
  }
};
