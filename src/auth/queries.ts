import { eq } from "drizzle-orm";
import { one } from "../db/bodies.ts";
import { type Db, sqlBuilder } from "../db/connect.ts";
import { users as t } from "./table.ts";

/** The account as a session needs it. */
export interface Account {
  id: number;
  email: string;
  name: string;
  ativo: boolean;
}

const account = { id: t.id, email: t.email, name: t.name, ativo: t.ativo };

/** @param email in lower case */
export const findAccountByEmail = async (db: Db, email: string) => {
  const row = sqlBuilder
    .select({ ...account, password_hash: t.password_hash })
    .from(t)
    .where(eq(t.email, email));
  const found = await one(db, row);
  return found && (JSON.parse(found.body) as Account & { password_hash: string });
};

export const findAccount = async (db: Db, id: number): Promise<Account | undefined> => {
  const found = await one(db, sqlBuilder.select(account).from(t).where(eq(t.id, id)));
  return found && (JSON.parse(found.body) as Account);
};
