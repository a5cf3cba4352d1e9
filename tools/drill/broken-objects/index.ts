import type { DurableObject } from "cloudflare:workers";
import { app } from "../../../src/app.ts";
import { LoginAttempts as WorkingLoginAttempts } from "../../../src/auth/login-attempts.ts";
import { Sessions as WorkingSessions } from "../../../src/auth/sessions-object.ts";
import { Counter as WorkingCounter } from "../../../src/limits/counter.ts";
import type { Faults } from "./faults.ts";

/** The service with Durable Objects and KV that fail on demand. `PUT /faults` sets the faults. */

let faults: Faults = {};

const LATE_MS = 2000;
const HANGING_MS = 10_000;
const seen = new Set<string>();

const callBroken = async (
  stub: Record<string, (...args: unknown[]) => Promise<unknown>>,
  method: string,
  args: unknown[],
  fault: Faults["COUNTERS"],
) => {
  const call = () => stub[method]?.(...args);
  if (fault === "erroring") throw new Error("internal error; reference = drill");
  if (fault === "overloaded")
    throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true });
  if (fault === "reset") {
    const answer = call();
    stub.reset?.().catch(() => undefined);
    return answer;
  }
  const reply = await call();
  if (fault === "late") await scheduler.wait(LATE_MS);
  if (fault === "hanging") await scheduler.wait(HANGING_MS);
  if (fault === "reply lost") throw new Error("Network connection lost.");
  if (fault === "reply lost once") {
    // A retry differs from the first attempt only in its deadline, `until`.
    const name = JSON.stringify([method, args], (key, value) => (key === "until" ? undefined : value));
    if (!seen.has(name)) {
      seen.add(name);
      throw new Error("Network connection lost.");
    }
  }
  return reply;
};

const brokenNamespace = <Namespace extends object>(
  namespace: Namespace,
  binding: Exclude<keyof Faults, "HINTS">,
): Namespace => {
  // The service uses a namespace only through `getByName`.
  const { getByName } = namespace as { getByName(name: string): object };
  return {
    getByName: (name: string) =>
      new Proxy(getByName.call(namespace, name), {
        get:
          (stub, method) =>
          (...args: unknown[]) =>
            callBroken(stub as never, String(method), args, faults[binding]),
      }),
  } as unknown as Namespace;
};

const brokenKv = (kv: KVNamespace): KVNamespace =>
  new Proxy(kv, {
    get:
      (target, method) =>
      async (...args: unknown[]) => {
        if (faults.HINTS === "failing") throw new Error("KV failed: 500 Internal Server Error");
        if (faults.HINTS === "slow") await scheduler.wait(LATE_MS);
        // KV caches a missing key for a minute in each location.
        if (faults.HINTS === "stale" && method === "get") return null;
        return Reflect.apply(Reflect.get(target, method), target, args);
      },
  });

const withBrokenKv = (env: Env): Env => ({ ...env, HINTS: brokenKv(env.HINTS) });

/** Subclasses an object to use the broken KV and to be reset by a call. */
const breakable = (Working: new (ctx: DurableObjectState, env: Env) => DurableObject<Env>) =>
  class extends Working {
    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, withBrokenKv(env));
    }
    reset() {
      this.ctx.abort("reset by the drill");
    }
  };

export const Counter = breakable(WorkingCounter);
export const Sessions = breakable(WorkingSessions);
export const LoginAttempts = breakable(WorkingLoginAttempts);

export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname === "/faults") {
      faults = await request.json();
      return new Response(null, { status: 204 });
    }
    const broken = {
      ...withBrokenKv(env),
      COUNTERS: brokenNamespace(env.COUNTERS, "COUNTERS"),
      SESSIONS: brokenNamespace(env.SESSIONS, "SESSIONS"),
      LOGINS: brokenNamespace(env.LOGINS, "LOGINS"),
    };
    return app.fetch(request, broken, ctx);
  },
} satisfies ExportedHandler<Env>;

export { AuthorizationCode } from "../../../src/oauth/authorization-code.ts";
export { Watch } from "../../../src/watch/watch.ts";
