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

/** Secrets that act as their user for some days (A10). Of a token there is its hash and nothing it could be made of. */
export const agent_tokens = pgTable(
  "agent_tokens",
  {
    id: id(),
    user_identity: uuid()
      .notNull()
      .references(() => users.identity, { onDelete: "cascade" }),
    /** SHA-256 of the token's text, in lower-case hex. */
    hash: text().notNull().unique(),
    /** The user's when it was made: with a later one of the user it has ended. */
    session_number: bigint({ mode: "number" }).notNull(),
    created_at: instant().notNull().defaultNow(),
    expires_at: instant().notNull(),
  },
  (t) => [
    check("agent_tokens_hash_form", sql`${t.hash} ~ '^[0-9a-f]{64}$'`),
    check("agent_tokens_90_days", sql`${t.expires_at} <= ${t.created_at} + interval '2160 hours'`),
  ],
);
