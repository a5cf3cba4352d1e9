import { sql } from "drizzle-orm";
import { bigint, boolean, check, pgTable, text, uuid } from "drizzle-orm/pg-core";
import { id, instant } from "../db/columns.ts";

/** People who may sign in. The e-mail is kept in lower case, so that its uniqueness ignores case (A5). */
export const users = pgTable(
  "users",
  {
    id: id(),
    /** Random and permanent: an id may be somebody else's once the table has been filled anew, this never is. */
    identity: uuid().notNull().unique().defaultRandom(),
    email: text().notNull().unique(),
    name: text().notNull(),
    password_hash: text().notNull(),
    ativo: boolean().notNull().default(true),
    /** Sessions begun under a lower number have ended (A9); a trigger raises it (migrations). */
    session_number: bigint({ mode: "number" }).notNull().default(0),
    created_at: instant().notNull().defaultNow(),
    updated_at: instant().notNull().defaultNow(),
  },
  (t) => [check("users_email_lower_case", sql`${t.email} = lower(${t.email})`)],
);
