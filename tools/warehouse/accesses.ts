import type pg from "pg";
import { recordCommand } from "../changes.ts";
import { accessesOf } from "./client-reads.ts";
import { inTransaction } from "./databases.ts";

/** Which accesses to print. Dates are days in Brasília. */
export interface AccessFilter {
  /** An e-mail in lower case. */
  user?: string | undefined;
  /** A client of the salons: the id, and the hash of an erasure if the key is known. */
  client?: string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const IN_TIME = `($1::date is null or at >= $1::date::timestamp at time zone 'America/Sao_Paulo')
  and ($2::date is null or at < ($2::date + 1)::timestamp at time zone 'America/Sao_Paulo')`;

/** The e-mail of a removed user is known from the rows that have it. */
const OF_USER = `($3::text is null or a.email = $3 or a.user_id in (
  select id from users where email = $3 union select user_id from acessos where email = $3))`;

const OF_CLIENT = `($4::text[] is null or a.id in (select id from (${accessesOf("select unnest($4::text[]) as client")}) as of_client))`;

/** What a reader chose, in a form that cannot be taken for other parts of the line. */
const chosen = (column: string) => `to_json(${column})::text`;

const READ = `concat_ws('  ',
  concat_ws(' ', case when agent_token_id is null then session_kind else 'agent token ' || agent_token_id end, ${chosen("session_client")}),
  'from ' || coalesce(address, 'unknown'), route, 'record ' || ${chosen("record_id")}, 'client ' || ${chosen("cliente_id")},
  row_count || case row_count when 1 then ' row' else ' rows' end, case when csv then 'CSV' end, 'request ' || ${chosen("request_id")})`;

const CHANGE = `concat_ws(' ', change, 'OAuth client ' || ${chosen("session_client")}, 'client ' || cliente_id,
  'professional ' || record_id, 'by', actor)`;

const LINE = `concat_ws('  ', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  coalesce(a.email, u.email, 'user ' || user_id), case when change is null then ${READ} else ${CHANGE} end)`;

const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** All but visible characters and the space. Unicode has some fillers as letters, marks or symbols. */
const NOT_VISIBLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** Escapes what ends a line or changes how it looks, and everything else that is not visible. */
const onOneLine = (line: string) =>
  line.replaceAll(NOT_VISIBLE, (character) => character.replaceAll(/[\s\S]/g, toEscape));

const BATCH = 5000;

const parametersOf = ({ from, to, user, client }: AccessFilter) => [
  from ?? null,
  to ?? null,
  user ?? null,
  client ?? null,
];

/** Prints the accesses, oldest first. @returns their number */
export const printAccesses = (
  db: pg.Client,
  filter: AccessFilter,
  print: (line: string) => void,
): Promise<number> =>
  inTransaction(db, async () => {
    await db.query(
      `declare found no scroll cursor for
       select ${LINE} as line
       from acessos a
       left join users u on u.id = user_id
       where ${IN_TIME} and ${OF_USER} and ${OF_CLIENT}
       order by at, a.id`,
      parametersOf(filter),
    );
    let count = 0;
    let lines: { line: string }[];
    do {
      lines = (await db.query<{ line: string }>(`fetch ${BATCH} from found`)).rows;
      for (const { line } of lines) print(onOneLine(line));
      count += lines.length;
    } while (lines.length === BATCH);
    return count;
  });

/** The reads with rows that name neither a record nor a client: they may have held any client. */
export const countListReads = async (db: pg.Client, filter: AccessFilter): Promise<number> => {
  const { rows } = await db.query<{ reads: number }>(
    `select count(*)::int as reads from acessos a
     where ${IN_TIME} and ${OF_USER} and $4::text[] is not null
       and route is not null and record_id is null and cliente_id is null and row_count > 0`,
    parametersOf(filter),
  );
  return rows[0]?.reads ?? 0;
};

/** Whether a row of the warehouse, a user or an access has the e-mail or the id. */
export const isKnown = async (db: pg.Client, { user, client }: AccessFilter): Promise<boolean> => {
  const { rows } = await db.query<{ known: boolean }>(
    `select ($1::text is null or exists (select from users where email = $1) or exists (select from acessos where email = $1))
       and ($2::text[] is null or exists (select from transacoes where cliente_salon_id = any($2))
         or exists (select from vendas_produto where cliente_id = any($2))
         or exists (${accessesOf("select unnest($2::text[]) as client")})) as known`,
    [user ?? null, client ?? null],
  );
  return rows[0]?.known === true;
};

/** Deletes accesses that are older than a number of days, and records that. @returns how many */
export const pruneAccesses = (db: pg.Client, days: number): Promise<number> =>
  inTransaction(db, async () => {
    const { rowCount } = await db.query("delete from acessos where at < now() - make_interval(days => $1)", [
      days,
    ]);
    const deleted = rowCount ?? 0;
    await recordCommand(db, `prune-accesses --days ${days}: ${deleted} deleted`);
    return deleted;
  });
