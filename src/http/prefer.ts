import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";

const STRICT = /(?:^|,)\s*handling\s*=\s*"?strict"?\s*(?:;|,|$)/i;

/** Refuses unknown parameters for those who ask for it with `Prefer: handling=strict` (RFC 7240, I5). */
export const honourPrefer = (known: readonly string[]) =>
  createMiddleware<AppEnv>(async (c, next) => {
    if (STRICT.test(c.req.header("Prefer") ?? "")) {
      c.header("Preference-Applied", "handling=strict");
      const unknown = Object.keys(c.req.queries()).find((name) => !known.includes(name));
      if (unknown !== undefined) {
        const list = known.length > 0 ? known.map((name) => `\`${name}\``).join(", ") : "none at all";
        throw new Refusal(
          400,
          `\`${unknown.slice(0, 64)}\` is not a parameter of this route, which has ${list}.`,
        );
      }
    }
    await next();
  });
