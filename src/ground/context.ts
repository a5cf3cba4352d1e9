import type { Db } from "./database.ts";
import type { Settings } from "./settings.ts";

/** Whose valid token came with a request. */
export interface Caller {
  /** The user's row. */
  id: number;
  /** The user: a UUID, random and permanent. */
  identity: string;
  email: string;
  name: string;
  /** The refresh token family an access token was issued with (`sid`); an agent token has none. */
  family: string | undefined;
}

/** What a request carries on its way, beside the Worker's bindings. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    settings: Settings;
    /** When the request has used up its time, in epoch milliseconds. */
    deadline: number;
    caller: Caller | undefined;
    /** Who is asking, for the limits: a user, a refresh token family or an address. */
    client: string;
    /** The client this request was last charged to; undefined before any. */
    counted: string | undefined;
    db: Db;
    /** An error nobody foresaw, for the log. */
    bug: unknown;
  };
}
