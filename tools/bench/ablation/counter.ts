import { createMiddleware } from "hono/factory";
import type * as service from "../../../src/limits/middleware.ts";

/** Replaces `src/limits/middleware.ts`: no request is counted. */
export const rateLimit: typeof service.rateLimit = createMiddleware((_, next) => next());

export const chargeRequest: typeof service.chargeRequest = async () => undefined;
export const chargeUser: typeof service.chargeUser = async () => undefined;
export const takePermit: typeof service.takePermit = async () => ({ allowed: true, standings: [] });
export const countEarlyRefusals: typeof service.countEarlyRefusals = () =>
  createMiddleware((_, next) => next());
