import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { signAccessToken } from "../../../src/access/auth/access-token.ts";
import { keyRing } from "../../../src/access/auth/keys.ts";
import { app } from "../../../src/app.ts";
import { type Rights, UNRESTRICTED } from "../../../src/core/rights.ts";
import { settingsOf } from "../../../src/core/settings.ts";

/** The quotas of wrangler.toml. The test Worker (vitest.config.ts) has quotas too high to reach. */
export const DEPLOYED_QUOTAS = { RATE_LIMIT_GLOBAL: 500, RATE_LIMIT_AUTH: 20 };

let addressCount = 0;

/** Returns an IPv4 address that no other test has used. */
export const newAddress = () => {
  addressCount += 1;
  return `100.${(addressCount >> 16) & 255}.${(addressCount >> 8) & 255}.${addressCount & 255}`;
};

/** A client of the app with the given bindings and settings. Its quotas are unlimited unless overridden. */
export const createClient = (overrides: Partial<Env> = {}, address = newAddress()) => {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has("CF-Connecting-IP") && address !== "") headers.set("CF-Connecting-IP", address);
    const request = new Request(`https://api.test${path}`, { ...init, headers });
    const bindings = { ...env, ...overrides };
    // Do not wait for work after the response.
    return app.fetch(request, bindings, createExecutionContext());
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
  return { send, post, address };
};

/** A client with the deployed quotas. */
export const createLimitedClient: typeof createClient = (overrides, address) =>
  createClient({ ...DEPLOYED_QUOTAS, ...overrides }, address);

/** Wraps a Durable Object binding: the objects are real, but every call goes through `onCall`. */
export const interceptObjects = <Namespace extends Env["SESSIONS" | "COUNTERS" | "LOGINS"]>(
  namespace: Namespace,
  onCall: (call: () => Promise<unknown>, method: string) => Promise<unknown>,
): Namespace =>
  new Proxy(namespace, {
    get: (target, name) => {
      if (name !== "getByName") return Reflect.get(target, name);
      return (object: string) =>
        new Proxy(target.getByName(object), {
          get:
            (stub, method) =>
            (...args: unknown[]) =>
              onCall(
                () => (Reflect.get(stub, method) as (...args: unknown[]) => Promise<unknown>)(...args),
                String(method),
              ),
        });
    },
  });

export const countByStatus = (responses: Response[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

export const inParallel = <T>(n: number, make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, make));

/** Runs in groups of five, because the password checks of one account run in turn within the deadline. */
export const inFives = async <T>(n: number, make: () => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  while (results.length < n) results.push(...(await inParallel(5, make)));
  return results;
};
/** What is left of a quota, from `RateLimit`. */
export const remainingIn = (response: Response, name = "global"): number =>
  Number(new RegExp(`"${name}";r=(\\d+)`).exec(response.headers.get("RateLimit") ?? "")?.[1]);

/** An access token of the user with this id, who need not exist in the database. */
export const signTokenOf = (id: number, rights: Rights = UNRESTRICTED): Promise<string> =>
  signAccessToken(
    keyRing(settingsOf(env).TOKEN_KEYS),
    {
      id,
      identity: crypto.randomUUID(),
      profile: { email: "x@example.com", name: "X" },
      family: "f",
      rights,
    },
    Math.floor(Date.now() / 1000),
  );
