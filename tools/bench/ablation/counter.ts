import { createMiddleware } from "hono/factory";
import type * as service from "../../../src/limits/middleware.ts";

/** Instead of `src/limits/middleware.ts`: nobody is counted. */
export const limits: typeof service.limits = createMiddleware((_, next) => next());

export const chargeRequest: typeof service.chargeRequest = async () => undefined;
export const takePermit: typeof service.takePermit = async () => ({ allowed: true, standings: [] });
export const countEarlyRefusals: typeof service.countEarlyRefusals = () =>
  createMiddleware((_, next) => next());
