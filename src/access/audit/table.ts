import { sql } from "drizzle-orm";
import { bigint, boolean, check, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { idColumn, instantColumn } from "../../platform/db/columns.ts";

/** Answers with personal data, and changes of users, rights and agent tokens (A15). The service only inserts. */
export const acessos = pgTable(
  "acessos",
  {
    id: idColumn(),
    /** A trigger sets it, unless the owner copies a row: a default can be evaluated long before the insert. */
    at: instantColumn().notNull(),
    request_id: text(),
    /** The reader, or the user that was changed. */
    user_id: bigint({ mode: "number" }),
    email: text(),
    session_kind: text({ enum: ["api", "browser", "oauth", "agent"] }),
    /** The `client_id` of an OAuth client. */
    session_client: text(),
    agent_token_id: bigint({ mode: "number" }),
    address: text(),
    route: text(),
    /** The id in the path. */
    record_id: text(),
    /** The client of the salons that a filter names, or the keyed hash of one that was erased. */
    cliente_id: text(),
    row_count: integer(),
    csv: boolean(),
    /** The operating-system user who changed a user, and the change. */
    actor: text(),
    change: text(),
  },
  (t) => [
    index("acessos_at").on(t.at),
    check("acessos_read_or_change", sql`(${t.route} is null) = (${t.change} is not null)`),
    check("acessos_change_has_actor", sql`(${t.change} is null) = (${t.actor} is null)`),
    check("acessos_session_kind", sql`${t.session_kind} in ('api', 'browser', 'oauth', 'agent')`),
  ],
);

/** What the service inserts. A change of a user has two columns more, and only the owner writes it. */
export const READ_COLUMNS = [
  ...(["request_id", "user_id", "email", "session_kind", "session_client", "agent_token_id"] as const),
  ...(["address", "route", "record_id", "cliente_id", "row_count", "csv"] as const),
];

export type AccessRow = Record<(typeof READ_COLUMNS)[number], unknown>;
