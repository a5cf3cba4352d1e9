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

const byEmail = one<{ email: string }, Account & { password_hash: string }>(({ email }) => ({
  table: t,
  columns: { ...account, password_hash: t.password_hash },
  where: eq(t.email, email),
}));

const byId = one<{ id: number }, Account>(({ id }) => ({ table: t, columns: account, where: eq(t.id, id) }));

/** @param email in lower case */
export const findAccountByEmail = async (db: Db, email: string) => {
  const found = await byEmail(db, { email });
  return found && (JSON.parse(found.body) as Account & { password_hash: string });
};

export const findAccount = async (db: Db, id: number): Promise<Account | undefined> => {
  const found = await byId(db, { id });
  return found && (JSON.parse(found.body) as Account);
};
