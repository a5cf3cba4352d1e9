import { sql } from "drizzle-orm";
import type { Db } from "../db/connect.ts";
import { statement } from "../db/statement.ts";
import { users as t } from "./table.ts";

/** The account as a session needs it. */
export interface Account {
  id: number;
  email: string;
  name: string;
  ativo: boolean;
}

// The role may read a hash through this function only (migrations).
const byEmail = statement<{ email: string }>(
  ({ email }) => sql`select row_to_json(account)::text as body from login_account(${email}) as account`,
);

const byId = statement<{ id: number }>(
  ({ id }) => sql`select row_to_json(account)::text as body
    from (select ${t.id}, ${t.email}, ${t.name}, ${t.ativo} from ${t} where ${t.id} = ${id}) as account`,
);

/** @param email in lower case */
export const findAccountByEmail = async (db: Db, email: string) => {
  const found = await db<{ body: string }>(byEmail({ email }));
  return found && (JSON.parse(found.body) as Account & { password_hash: string });
};

export const findAccount = async (db: Db, id: number): Promise<Account | undefined> => {
  const found = await db<{ body: string }>(byId({ id }));
  return found && (JSON.parse(found.body) as Account);
};
