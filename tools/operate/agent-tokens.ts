import type pg from "pg";
import { AGENT_TOKEN_PREFIX, hashAgentToken, newAgentToken } from "../../src/access/auth/agent-token.ts";
import { UsageError } from "../arguments.ts";
import { recordUserChange } from "../changes.ts";
import { inTransaction } from "../warehouse/databases.ts";
import {
  assertNotWider,
  describeRights,
  type NamedRights,
  narrowed,
  type RightsOptions,
  type RightsRow,
  readRights,
  rightsOfUser,
} from "./rights.ts";

const MAX_DAYS = 90;
const DEFAULT_DAYS = 30;

/** Quotes an argument in an error message, without revealing an agent token. */
export const quoted = (typed: string): string =>
  typed.toLowerCase().includes(AGENT_TOKEN_PREFIX) ? `"${AGENT_TOKEN_PREFIX}…"` : `"${typed}"`;

const readDays = (text = String(DEFAULT_DAYS)): number => {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MAX_DAYS)
    throw new UsageError(`--days must be a whole number from 1 to ${MAX_DAYS}; got ${quoted(text)}.`);
  return days;
};

interface NewToken {
  token: string;
  days: number;
  rights: NamedRights;
}

/** @throws UsageError if the user is disabled */
const insertToken = async (
  db: pg.Client,
  email: string,
  { token, days, rights }: NewToken,
): Promise<{ id: string; expires: string }> => {
  // One statement, so that a concurrent sign-out either comes first or ends the token. A day is always 24 hours.
  const { rows } = await db.query(
    `with account as (select identity, session_number, ativo from users where email = $1),
     deleted as (
       delete from agent_tokens t using account where account.ativo
         and t.user_identity = account.identity and not exists (select from agent_account(t.hash))
     ), created as (
       insert into agent_tokens (user_identity, hash, session_number, expires_at, units, personal_data, payments)
       select identity, $2, session_number, now() + make_interval(hours => 24 * $3), $4, $5, $6 from account where ativo
       returning id, expires_at
     )
     select ativo, created.id, to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as expires
     from account left join created on true`,
    [
      email,
      await hashAgentToken(token),
      days,
      rights.units ?? null,
      rights.personalData ?? true,
      rights.payments ?? true,
    ],
  );
  const [row] = rows;
  if (!row?.ativo) throw new UsageError(`${email} is disabled. Enable the user first.`);
  return row;
};

/**
 * Creates an agent token for an active user and deletes that user's ended tokens (A10).
 * @param email in lower case
 * @returns the token, which is stored only as a hash, and a message to print
 */
export const makeToken = async (
  db: pg.Client,
  email: string,
  requestedDays?: string,
  options: RightsOptions = {},
): Promise<{ token: string; message: string }> => {
  const days = readDays(requestedDays);
  const user = await rightsOfUser(db, email);
  if (user === undefined) throw new UsageError(`There is no user ${email}.`);
  const rights = await readRights(db, options);
  assertNotWider(email, user, rights);
  const token = newAgentToken();
  const row = await inTransaction(db, async () => {
    const created = await insertToken(db, email, { token, days, rights });
    const until = `until ${created.expires}, ${describeRights(narrowed(user, rights))}`;
    await recordUserChange(db, email, `token ${created.id}: ${until}`, created.id);
    return created;
  });
  return {
    token,
    message:
      `Agent token ${row.id} of ${email}, valid until ${row.expires}. It is shown only once: store it with the agent's secrets.\n` +
      `It grants ${describeRights(narrowed(user, rights))}. To revoke it: npm run users -- revoke-token ${row.id}`,
  };
};

/** Lists the tokens, one per line: id, user, created, expires, and whether it is active. */
export const listTokens = async (db: pg.Client): Promise<string> => {
  const { rows } = await db.query<RightsRow & { line: string }>(
    `select concat_ws('  ', t.id, u.email,
       'created ' || to_char(t.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       'expires ' || to_char(t.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       case when exists (select from agent_account(t.hash)) then 'active' else 'ended' end) as line,
       case when t.units is null then u.units when u.units is null then t.units
         else array(select unit from unnest(t.units) unit where unit = any(u.units)) end as units,
       t.personal_data and u.personal_data as personal_data, t.payments and u.payments as payments
     from agent_tokens t join users u on u.identity = t.user_identity order by t.id`,
  );
  return rows.length > 0
    ? rows.map(({ line, ...rights }) => `${line}  ${describeRights(rights)}`).join("\n")
    : "There are no agent tokens.";
};

/** @returns whether the token existed */
const deleteToken = async (db: pg.Client, id: string): Promise<boolean> => {
  const { rows } = await db.query<{ email: string }>(
    `with deleted as (delete from agent_tokens where id = $1 returning user_identity)
     select email from deleted join users on identity = user_identity`,
    [id],
  );
  for (const { email } of rows) await recordUserChange(db, email, `revoke-token ${id}`, id);
  return rows.length > 0;
};

/** Deletes a token, which ends it. @throws UsageError if no token has this id */
export const revokeToken = async (db: pg.Client, id = ""): Promise<string> => {
  if (id.toLowerCase().includes(AGENT_TOKEN_PREFIX))
    throw new UsageError(
      "That is an agent token, not its id. The id is the number at the start of its line in: npm run users -- tokens",
    );
  const isRevoked = /^\d{1,15}$/.test(id) && (await inTransaction(db, () => deleteToken(db, id)));
  if (!isRevoked)
    throw new UsageError(
      `There is no agent token with the id "${id}". To list the ids: npm run users -- tokens`,
    );
  return `Revoked agent token ${id}. It ends within a minute.`;
};
