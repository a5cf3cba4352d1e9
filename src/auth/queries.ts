import { eq } from "drizzle-orm";
import { one } from "../db/bodies.ts";
import type { Db } from "../db/connect.ts";
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
  const columns = { ...account, password_hash: t.password_hash };
  const found = await one(db, { table: t, columns, where: eq(t.email, email) });
  return found && (JSON.parse(found.body) as Account & { password_hash: string });
};

export const findAccount = async (db: Db, id: number): Promise<Account | undefined> => {
  const found = await one(db, { table: t, columns: account, where: eq(t.id, id) });
  return found && (JSON.parse(found.body) as Account);
};
