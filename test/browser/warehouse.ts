import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { hashPassword } from "../../src/access/auth/passwords.ts";
import type { NamedRights } from "../../tools/operate/rights.ts";
import { addUser } from "../../tools/operate/user-changes.ts";

/** The warehouse of this run. All files share one connection. */
export const db = new pg.Client({ connectionString: inject("postgresUrl") });
await db.connect();

// biome-ignore lint/suspicious/noExplicitAny: rows of SQL
export type Row = any;
export const all = async (sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await db.query(sql, values)).rows;

export const PASSWORD = "reader-password";

let count = 0;

/** Adds a user with an e-mail of their own, and removes them after the test. */
export const addReader = async (rights: NamedRights = {}) => {
  count += 1;
  const user = { email: `reader-${count}@example.com`, name: "Reader", password: PASSWORD };
  await addUser(db, user, rights);
  onTestFinished(async () => void (await db.query("delete from users where email = $1", [user.email])));
  return user;
};

/** Hashes the password again, which ends all sessions of the user. */
export const renewPassword = (email: string) =>
  db.query("update users set password_hash = $1 where email = $2", [hashPassword(PASSWORD), email]);
