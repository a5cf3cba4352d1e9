import { type SQL, sql } from "drizzle-orm";
import type { Db } from "../core/database.ts";
import { type Placeholders, statement } from "../db/statement.ts";

export interface Account {
  id: number;
  identity: string;
  email: string;
  name: string;
  ativo: boolean;
  session_number: number;
}

export type AgentAccount = Pick<Account, "id" | "identity" | "email" | "name"> & { expires_at: string };

/** The database role can read accounts only through these SQL functions, one account at a time. */
const accountQuery = <Q extends object, Result extends object>(account: (given: Placeholders<Q>) => SQL) => {
  const toStatement = statement<Q>(
    (given) => sql`select row_to_json(account)::text as body from ${account(given)} as account`,
  );
  return async (db: Db, q: Q): Promise<Result | undefined> => {
    const row = await db<{ body: Uint8Array }>(toStatement(q));
    return row && JSON.parse(new TextDecoder().decode(row.body));
  };
};

/** The e-mail must be in lower case. */
export const findAccountByEmail = accountQuery<{ email: string }, Account & { password_hash: string }>(
  ({ email }) => sql`login_account(${email})`,
);

export const findAccount = accountQuery<{ identity: string }, Account>(
  ({ identity }) => sql`session_account(${identity})`,
);

/** Takes the SHA-256 of a token in hex. Returns undefined if the token is unknown, expired or revoked. */
export const findAgentAccount = accountQuery<{ hash: string }, AgentAccount>(
  ({ hash }) => sql`agent_account(${hash})`,
);
