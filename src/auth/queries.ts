import { type SQL, sql } from "drizzle-orm";
import { type Placeholders, statement } from "../db/statement.ts";
import type { Db } from "../ground/database.ts";

/** The account as a session needs it. */
export interface Account {
  id: number;
  /** Random and permanent. */
  identity: string;
  email: string;
  name: string;
  ativo: boolean;
  /** Sessions begun under a lower one have ended (A9). */
  session_number: number;
}

/** The account behind an agent token, and when that ends. */
export type AgentAccount = Pick<Account, "id" | "identity" | "email" | "name"> & { expires_at: string };

/** Reads one account. The role may only do so through these functions (migrations). */
const found = <Q extends object, Found extends object>(account: (given: Placeholders<Q>) => SQL) => {
  const text = statement<Q>(
    (given) => sql`select row_to_json(account)::text as body from ${account(given)} as account`,
  );
  return async (db: Db, q: Q): Promise<Found | undefined> => {
    const row = await db<{ body: Uint8Array }>(text(q));
    return row && JSON.parse(new TextDecoder().decode(row.body));
  };
};

/** The e-mail is in lower case. */
export const findAccountByEmail = found<{ email: string }, Account & { password_hash: string }>(
  ({ email }) => sql`login_account(${email})`,
);

export const findAccount = found<{ identity: string }, Account>(
  ({ identity }) => sql`session_account(${identity})`,
);

/** By the SHA-256 of a token; none for one that is unknown or has ended. */
export const findAgentAccount = found<{ hash: string }, AgentAccount>(
  ({ hash }) => sql`agent_account(${hash})`,
);
