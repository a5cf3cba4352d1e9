import type pg from "pg";

/** Which accesses to print. Dates are days in Brasília. */
export interface AccessFilter {
  /** An e-mail in lower case. */
  user?: string | undefined;
  /** The id of a client of the salons. */
  client?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const IN_TIME = `($1::date is null or at >= $1::date::timestamp at time zone 'America/Sao_Paulo')
  and ($2::date is null or at < ($2::date + 1)::timestamp at time zone 'America/Sao_Paulo')`;

/** The e-mail of a removed user is known from the rows that have it. */
const OF_USER = `($3::text is null or a.email = $3 or a.user_id in (
  select id from users where email = $3 union select user_id from acessos where email = $3))`;

/** The visits of the client, and the ledger entries of these. */
const OF_CLIENT = `($4::text is null or cliente_id = $4
  or (route = '/v1/transacoes/:id' and record_id in (select salon_id from visit))
  or (route = '/v1/lancamentos/:id' and record_id in (
    select salon_id from lancamentos where raw_data ->> 'Transacao' in (select salon_id from visit))))`;
const VISITS = "visit as materialized (select salon_id from transacoes where cliente_salon_id = $4)";

const LINE = `concat_ws('  ', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  coalesce(a.email, u.email, 'user ' || user_id),
  case when change is not null then concat_ws(' ', change, 'by', actor) else concat_ws('  ',
    concat_ws(' ', case when agent_token_id is null then session_kind else 'agent token ' || agent_token_id end, session_client),
    'from ' || coalesce(address, 'unknown'), route, 'record ' || record_id, 'client ' || cliente_id,
    row_count || case row_count when 1 then ' row' else ' rows' end, case when csv then 'CSV' end, 'request ' || request_id) end)`;

const BATCH = 5000;

const parametersOf = ({ from, to, user, client }: AccessFilter) => [
  from ?? null,
  to ?? null,
  user ?? null,
  client ?? null,
];

/** Prints the accesses, oldest first. @returns their number */
export const printAccesses = async (
  db: pg.Client,
  filter: AccessFilter,
  print: (line: string) => void,
): Promise<number> => {
  let count = 0;
  let last: { at: string; id: string } | undefined;
  do {
    const { rows } = await db.query<{ line: string; at: string; id: string }>(
      `with ${VISITS} select a.at::text, a.id, ${LINE} as line from acessos a left join users u on u.id = user_id
       where ${IN_TIME} and ${OF_USER} and ${OF_CLIENT}
         and ($5::timestamptz is null or (at, a.id) > ($5::timestamptz, $6::bigint))
       order by at, a.id limit ${BATCH}`,
      [...parametersOf(filter), last?.at ?? null, last?.id ?? null],
    );
    for (const { line } of rows) print(line);
    count += rows.length;
    last = rows.length < BATCH ? undefined : rows.at(-1);
  } while (last !== undefined);
  return count;
};

/** The reads with rows that name neither a record nor a client: they may have held any client. */
export const countListReads = async (db: pg.Client, filter: AccessFilter): Promise<number> => {
  const { rows } = await db.query<{ reads: number }>(
    `select count(*)::int as reads from acessos a
     where ${IN_TIME} and ${OF_USER} and $4::text is not null
       and route is not null and record_id is null and cliente_id is null and row_count > 0`,
    parametersOf(filter),
  );
  return rows[0]?.reads ?? 0;
};

/** Whether a row of the warehouse, a user or an access has the e-mail or the id. */
export const isKnown = async (db: pg.Client, { user, client }: AccessFilter): Promise<boolean> => {
  const { rows } = await db.query<{ known: boolean }>(
    `select ($1::text is null or exists (select from users where email = $1) or exists (select from acessos where email = $1))
       and ($2::text is null or exists (select from transacoes where cliente_salon_id = $2)
         or exists (select from vendas_produto where cliente_id = $2) or exists (select from acessos where cliente_id = $2)) as known`,
    [user ?? null, client ?? null],
  );
  return rows[0]?.known === true;
};

/** Deletes accesses that are older than a number of days. @returns how many */
export const pruneAccesses = async (db: pg.Client, days: number): Promise<number> => {
  const { rowCount } = await db.query("delete from acessos where at < now() - make_interval(days => $1)", [
    days,
  ]);
  return rowCount ?? 0;
};
