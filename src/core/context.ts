import type { Db } from "./database.ts";
import type { Policy } from "./policies.ts";
import type { Rights } from "./rights.ts";
import type { Settings } from "./settings.ts";

/** The time that a request has for its work. Its response is then sent within nine seconds (E2). */
export const TIME_BUDGET_MS = 8500;

/** The id of the service itself, when its watch asks reports. No user has it. */
export const WATCH_USER = 0;

export interface Caller {
  id: number;
  /** A random, permanent UUID. */
  identity: string;
  /** Undefined for OAuth access tokens and agent tokens, which do not name their user. */
  profile: { email: string; name: string } | undefined;
  /** The refresh token family of an access token (`sid`). Agent tokens have none. */
  family: string | undefined;
  rights: Rights;
  /** The kind of the session, or the agent token (A15). Undefined in access tokens of earlier releases. */
  origin?:
    | { kind: "api" | "browser" }
    | { kind: "oauth"; clientId: string }
    | { kind: "agent"; token: number }
    | undefined;
}

/** An answer with personal data, as it is recorded (A15). */
export interface Access {
  route: string;
  /** The id in the path. */
  record: string | undefined;
  /** The customer that a filter names. */
  clienteId: string | undefined;
  isCsv: boolean;
  /** Where the number of rows is read from. A stream has none (X2). */
  body?: Uint8Array | undefined;
  /** The rows of a stream, known at its end: those that its reader may have received. Never rejects. */
  records?: Promise<number>;
}

/** What remains of a quota, and the milliseconds until more remains. Counters send it: see docs/stored-keys.md. */
export interface Standing {
  name: string;
  quota: number;
  remaining: number;
  resetMs: number;
}

/** A request that was counted exactly, and the standings after it. */
interface Charge {
  counterName: string;
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
    /** When the request arrived, in epoch milliseconds: what `periodo` and the present are relative to. */
    now: number;
    /** Epoch milliseconds. */
    deadline: number;
    caller: Caller | undefined;
    /** The name of the counter of this request's client: of a user, a refresh token family or an address. */
    counterName: string;
    /** The name of the counter that last counted this request. */
    chargedCounterName: string | undefined;
    /** Undefined if the request is counted beside its answer. */
    charge: Charge | undefined;
    db: Db;
    /** Whether a statement was sent, other than the lookup of an agent token. */
    hasStatement: boolean | undefined;
    /** Whether a tool of `/mcp` runs this route. */
    isToolCall: boolean | undefined;
    /** Set if a 429 replaced the answer of the route. */
    isReplaced: boolean | undefined;
    /** Set if no route has this path. */
    isUnknownPath: boolean | undefined;
    /** Set if the answer has personal data. */
    access: Access | undefined;
    /** An error that is not a `Refusal`. `onError` sets it, and the response is a 500. */
    bug: unknown;
  };
}
