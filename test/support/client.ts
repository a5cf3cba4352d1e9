import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { scryptSync } from "node:crypto";
import { app } from "../../src/app.ts";

/** The quotas of wrangler.toml. The tests' own Worker (vitest.config.ts) has some that let everything pass. */
export const DEPLOYED = { RATE_LIMIT_GLOBAL: 500, RATE_LIMIT_AUTH: 20 };

let last = 0;

/** An IPv4 address nobody has used yet. */
export const newAddress = () => {
  last += 1;
  return `100.${(last >> 16) & 255}.${(last >> 8) & 255}.${last & 255}`;
};

/** A client of the app with bindings and settings of the test's choice; it is not limited unless it says so. */
export const createClient = (overrides: Partial<Env> = {}, address = newAddress()) => {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has("CF-Connecting-IP") && address !== "") headers.set("CF-Connecting-IP", address);
    const request = new Request(`https://api.test${path}`, { ...init, headers });
    const bindings = { ...env, ...overrides };
    // What goes on after the answer, as giving permits back does seconds later, is not waited for.
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

/** A binding whose objects are real, but whose calls pass through `around`. */
export const interceptObjects = <Namespace extends Env["SESSIONS"] | Env["COUNTERS"] | Env["LOGINS"]>(
  namespace: Namespace,
  around: (call: () => Promise<unknown>, method: string) => Promise<unknown>,
): Namespace =>
  new Proxy(namespace, {
    get: (target, name) => {
      if (name !== "getByName") return Reflect.get(target, name);
      return (object: string) =>
        new Proxy(target.getByName(object), {
          get:
            (stub, method) =>
            (...args: unknown[]) =>
              around(
                () => (Reflect.get(stub, method) as (...args: unknown[]) => Promise<unknown>)(...args),
                String(method),
              ),
        });
    },
  });

/** A hash that costs next to nothing to check. */
export const cheapHash = (password: string): string => {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replaceAll("=", "");
  return `$scrypt$ln=1,r=1,p=1$${text(salt)}$${text(scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 }))}`;
};

/** How many answers had each status. */
export const tally = (responses: Response[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
