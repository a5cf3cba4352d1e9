import { OpenAPIHono } from "@hono/zod-openapi";
import type { Caller } from "../auth/bearer.ts";
import type { Db } from "../db/connect.ts";
import { Refusal } from "./errors.ts";

/** What a request carries on its way, beside the Worker's bindings. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    /** When the request has used up its time, in epoch milliseconds. */
    deadline: number;
    /** Resolves when the client's counter lets the request pass; rejects with the refusal. */
    permit: Promise<void>;
    db: Db;
    /** Whose valid access token came with the request, if one did. */
    caller: Caller | undefined;
    /** An error nobody foresaw, for the log. */
    bug: unknown;
  };
}

/** A router whose refused parameters and bodies answer 400 with the name of the culprit (I1). */
export const createRouter = () =>
  new OpenAPIHono<AppEnv>({
    defaultHook: ({ success, target, ...rest }) => {
      if (success || !("error" in rest)) return;
      const issue = rest.error.issues[0];
      const name = issue?.path.join(".");
      // A path that cannot name a record names none (I2).
      if (target === "param") throw new Refusal(404, issue?.message ?? "No record has this id.");
      throw new Refusal(400, name ? `\`${name}\` ${issue?.message}.` : `${issue?.message}.`);
    },
  });
