import { sql } from "drizzle-orm";
import { boolean, check, pgTable, text } from "drizzle-orm/pg-core";
import { id, instant } from "../db/columns.ts";

/** People who may sign in. The e-mail is kept in lower case, so that its uniqueness ignores case (A5). */
export const users = pgTable(
  "users",
  {
    id: id(),
    email: text().notNull().unique(),
    name: text().notNull(),
    password_hash: text().notNull(),
    ativo: boolean().notNull().default(true),
    created_at: instant().notNull().defaultNow(),
    updated_at: instant().notNull().defaultNow(),
  },
  (t) => [check("users_email_lower_case", sql`${t.email} = lower(${t.email})`)],
);
