import { sql } from "drizzle-orm";
import { bigint, boolean, check, pgTable, text, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { idColumn, instantColumn } from "../../platform/db/columns.ts";

/** What the account may read (A11). The defaults restrict nothing. */
const rightsColumns = () => ({
  /** The `salon_id` of each unit; null for every unit. */
  units: text().array(),
  personal_data: boolean().notNull().default(true),
  payments: boolean().notNull().default(true),
});

/** E-mails are stored in lower case, so that the unique constraint ignores case (A5). */
export const users = pgTable(
  "users",
  {
    id: idColumn(),
    /** Never reused. An `id` can belong to another user after the table is reloaded. */
    identity: uuid().notNull().unique().defaultRandom(),
    email: text().notNull().unique(),
    name: text().notNull(),
    password_hash: text().notNull(),
    ativo: boolean().notNull().default(true),
    /** Sessions with a lower number have ended (A9). A trigger raises it. */
    session_number: bigint({ mode: "number" }).notNull().default(0),
    ...rightsColumns(),
    created_at: instantColumn().notNull().defaultNow(),
    updated_at: instantColumn().notNull().defaultNow(),
  },
  (t) => [
    check("users_email_lower_case", sql`${t.email} = lower(${t.email})`),
    check("users_units", sql`cardinality(${t.units}) > 0 and array_position(${t.units}, null) is null`),
  ],
);

/** Tokens that read data as their user, for at most 90 days (A10). Only the SHA-256 of a token is stored. */
export const agent_tokens = pgTable(
  "agent_tokens",
  {
    id: idColumn(),
    user_identity: uuid()
      .notNull()
      .references(() => users.identity, { onDelete: "cascade" }),
    hash: text().notNull().unique(),
    /** The user's session number at creation. The token ends when that number changes. */
    session_number: bigint({ mode: "number" }).notNull(),
    ...rightsColumns(),
    created_at: instantColumn().notNull().defaultNow(),
    expires_at: instantColumn().notNull(),
  },
  (t) => [
    check(
      "agent_tokens_units",
      sql`cardinality(${t.units}) > 0 and array_position(${t.units}, null) is null`,
    ),
    check("agent_tokens_hash_form", sql`${t.hash} ~ '^[0-9a-f]{64}$'`),
    check("agent_tokens_90_days", sql`${t.expires_at} <= ${t.created_at} + interval '2160 hours'`),
  ],
);

/** OAuth clients that an operator registered (A14). The id is random, so that none is ever used again. */
export const oauth_clients = pgTable(
  "oauth_clients",
  {
    client_id: text().primaryKey(),
    /** The page that asks the user shows it. */
    name: text().notNull(),
    /** The addresses to which a response may go, each compared exactly. */
    redirects: text().array().notNull(),
    created_at: instantColumn().notNull().defaultNow(),
  },
  (t) => [
    check(
      "oauth_clients_redirects",
      sql`cardinality(${t.redirects}) > 0 and array_position(${t.redirects}, null) is null`,
    ),
  ],
);

/** The SHA-256 of each secret of an OAuth client. A secret that was replaced expires a day later (A14). */
export const oauth_secrets = pgTable(
  "oauth_secrets",
  {
    hash: text().primaryKey(),
    client_id: text()
      .notNull()
      .references(() => oauth_clients.client_id, { onDelete: "cascade" }),
    created_at: instantColumn().notNull().defaultNow(),
    /** Null for the current secret. */
    expires_at: instantColumn(),
  },
  (t) => [
    uniqueIndex("oauth_secrets_current").on(t.client_id).where(sql`${t.expires_at} is null`),
    check("oauth_secrets_hash_form", sql`${t.hash} ~ '^[0-9a-f]{64}$'`),
  ],
);
