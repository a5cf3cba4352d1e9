import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { countRequest } from "../limits/middleware.ts";
import { addressCounterName } from "./counter-name.ts";

/** Counts a request that was refused before its client was known, for its address (E3). */
export const countEarlyRefusals = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const isClientError = c.error instanceof Refusal && c.error.status < 500;
  if (isClientError && c.var.chargedCounterName === undefined)
    await countRequest(c, await addressCounterName(c), async () => undefined);
});
