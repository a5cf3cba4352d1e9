import { sql } from "drizzle-orm";
import { statement } from "../db/statement.ts";
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

// The role reads accounts through these functions only, one at a time (migrations).
const byEmail = statement<{ email: string }>(
  ({ email }) => sql`select row_to_json(account)::text as body from login_account(${email}) as account`,
);

const byIdentity = statement<{ identity: string }>(
  ({ identity }) =>
    sql`select row_to_json(account)::text as body from session_account(${identity}) as account`,
);

const byRow = statement<{ id: number }>(
  ({ id }) => sql`select row_to_json(account)::text as body from (
      select account.*, created_at from adopted_identity(${id}) cross join session_account(identity) as account
    ) as account`,
);

/** @param email in lower case */
export const findAccountByEmail = async (db: Db, email: string) => {
  const found = await db<{ body: string }>(byEmail({ email }));
  return found && (JSON.parse(found.body) as Account & { password_hash: string });
};

export const findAccount = async (db: Db, identity: string): Promise<Account | undefined> => {
  const found = await db<{ body: string }>(byIdentity({ identity }));
  return found && (JSON.parse(found.body) as Account);
};

/**
 * Whoever has this row now, for tokens of the release before, which name nothing else.
 * To be deleted with `adopted_identity`, ninety days after its migration.
 */
export const findAccountByRow = async (db: Db, id: number) => {
  const found = await db<{ body: string }>(byRow({ id }));
  return found && (JSON.parse(found.body) as Account & { created_at: string });
};
