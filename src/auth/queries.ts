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

/** Reads one account. The role may only do so through these functions (migrations). */
const found = <Q extends object, Found extends Account>(account: (given: Placeholders<Q>) => SQL) => {
  const text = statement<Q>(
    (given) => sql`select row_to_json(account)::text as body from ${account(given)} as account`,
  );
  return async (db: Db, q: Q): Promise<Found | undefined> => {
    const row = await db<{ body: string }>(text(q));
    return row && JSON.parse(row.body);
  };
};

/** The e-mail is in lower case. */
export const findAccountByEmail = found<{ email: string }, Account & { password_hash: string }>(
  ({ email }) => sql`login_account(${email})`,
);

export const findAccount = found<{ identity: string }, Account>(
  ({ identity }) => sql`session_account(${identity})`,
);

/**
 * Whoever has this row now, for tokens of the release before, which name nothing else.
 * To be deleted with `adopted_identity`, ninety days after its migration.
 */
export const findAccountByRow = found<{ id: number }, Account & { created_at: string }>(
  ({ id }) => sql`(
    select account.*, created_at from adopted_identity(${id}) cross join session_account(identity) as account)`,
);
