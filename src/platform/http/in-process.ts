import { type Context, Hono } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { onError } from "./errors.ts";

/** What a call in process brings, because no middleware runs. */
interface InProcessCall {
  variables: Partial<AppEnv["Variables"]>;
  /** Gets the context of the call after its response, with its `error`. */
  onEnd: (c: Context<AppEnv>) => void;
}

export type InProcessRoutes = Hono<AppEnv & { Bindings: { call?: InProcessCall } }>;

/** Wraps routes for calls from code of the service, without a request from outside. */
export const inProcessRoutes = (routes: Hono<AppEnv>): InProcessRoutes => {
  const inner: InProcessRoutes = new Hono();
  inner.use(async (c, next) => {
    const { call } = c.env;
    if (call === undefined) throw new Error("a call in process has no variables");
    // The cast satisfies the type. Every variable is copied.
    for (const [name, value] of Object.entries(call.variables)) c.set(name as "bug", value);
    await next();
    call.onEnd(c);
  });
  inner.route("/", routes);
  inner.onError(onError);
  return inner;
};
