import { type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../../core/database.ts";
import { type Rights, UNRESTRICTED } from "../../core/rights.ts";
import { type PlaceholdersOf, statement } from "../../platform/db/statement.ts";

interface RightsColumns {
  units: string[] | null;
  personal_data: boolean;
  payments: boolean;
}

interface User extends RightsColumns {
  id: number;
  identity: string;
  email: string;
  name: string;
}

export interface Account extends User {
  ativo: boolean;
  session_number: number;
}

export type AgentAccount = User & { expires_at: string; token_id: number };

/** An OAuth client that an operator registered (A14), with its secrets that had not expired when it was read. */
export interface RegisteredClient {
  client_id: string;
  name: string;
  redirects: string[];
  /** `hash` is the SHA-256 in hex. `expires_at` is null for the current secret. */
  secrets: { hash: string; expires_at: string | null }[];
}

/** Sorted, so that equal rights have equal claims. */
export const rightsOf = ({ units, personal_data, payments }: RightsColumns): Rights => ({
  units: units?.toSorted() ?? null,
  personalData: personal_data,
  payments,
});

/** The database role can read accounts and OAuth clients only through these SQL functions, one at a time. */
const accountQuery = <Q extends object, Result extends object>(
  account: (placeholders: PlaceholdersOf<Q>) => SQL,
  how: Pick<Statement, "isShared"> = {},
) => {
  // An account belongs to no unit, so its statement has no limits.
  const toStatement = statement<Q>(
    (placeholders) => sql`select row_to_json(account)::text as body from ${account(placeholders)} as account`,
  );
  return async (db: Db, q: Q): Promise<Result | undefined> => {
    const lookup = toStatement({ rights: UNRESTRICTED, now: Date.now() }, q);
    const row = await db<{ body: Uint8Array }>({ ...lookup, ...how });
    return row && JSON.parse(new TextDecoder().decode(row.body));
  };
};

/** The e-mail must be in lower case. */
export const findAccountByEmail = accountQuery<{ email: string }, Account & { password_hash: string }>(
  ({ email }) => sql`login_account(${email})`,
);

export const findAccount = accountQuery<{ identity: string }, Account>(
  ({ identity }) => sql`session_account(${identity})`,
);

/** Takes the SHA-256 of a token in hex. Returns undefined if the token is unknown, expired or revoked. */
export const findAgentAccount = accountQuery<{ hash: string }, AgentAccount>(
  ({ hash }) => sql`agent_account(${hash})`,
  { isShared: true },
);

/** Returns undefined if no client has this id. */
export const findOAuthClient = accountQuery<{ id: string }, RegisteredClient>(
  ({ id }) => sql`oauth_client(${id})`,
);
