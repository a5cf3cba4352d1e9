import type { Db } from "./database.ts";
import type { Policy } from "./policies.ts";
import type { Rights } from "./rights.ts";
import type { Settings } from "./settings.ts";

/** The time that a request has for its work. Its response is then sent within nine seconds (E2). */
export const TIME_BUDGET_MS = 8500;

export interface Caller {
  id: number;
  /** A random, permanent UUID. */
  identity: string;
  /** Undefined for OAuth access tokens and agent tokens, which do not name their user. */
  profile: { email: string; name: string } | undefined;
  /** The refresh token family of an access token (`sid`). Agent tokens have none. */
  family: string | undefined;
  rights: Rights;
}

/** What remains of a quota, and the milliseconds until more remains. Counters send it: see docs/stored-keys.md. */
export interface Standing {
  name: string;
  quota: number;
  remaining: number;
  resetMs: number;
}

/** A single permit of a client, and the standings after it. */
interface Permit {
  client: string;
  id: string;
  standings: Standing[];
}

export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** The policy of the request's path. */
    policy: Policy;
    settings: Settings;
    /** Epoch milliseconds. */
    deadline: number;
    caller: Caller | undefined;
    /** The key for rate limits: a user, a refresh token family or an address. */
    client: string;
    /** The client that this request was last charged to. */
    chargedClient: string | undefined;
    /** The permit that this request took, if it can be given back. */
    permit: Permit | undefined;
    db: Db;
    /** Whether a tool of `/mcp` runs this route. */
    isToolCall: boolean | undefined;
    /** An error that is not a `Refusal`. `onError` sets it, and the response is a 500. */
    bug: unknown;
  };
}
