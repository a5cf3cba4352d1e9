import pg from "pg";
import { type TextTable, textTables } from "./catalogue.ts";
import { PREPARE } from "./functions.ts";
import { KINDS, type Kind, PLACES } from "./places.ts";

export const literal = pg.escapeLiteral;

/** Settings of each transaction: no notices of temporary objects, no time limit, times in UTC, no compilation of statements. */
export const SESSION =
  "set local client_min_messages = warning; set local statement_timeout = 0; set local timezone = 'UTC'; set local jit = off";

const entries = Object.entries;

/** The person's names and CPFs, by the rows with the person's id. */
const findIdentity = async (db: pg.Client, kind: Kind): Promise<void> => {
  const own = (columns: Record<string, string>) =>
    entries(columns).map(
      ([table, column]) =>
        `select person.id as person, ${column} as stored from ${table} join person on person.id = ${table}.${KINDS[kind].keys[table]}`,
    );
  await db.query(`
    insert into person_name
    select distinct person, pg_temp.words(stored), pg_temp.words(stored) ~ '^ [^ ]+ [^ ]+'
    from (${[...own(KINDS[kind].names), "select * from returned_name where stored !~ '^[0-9]{11}$'"].join(" union ")}) as own
    where pg_temp.words(stored) ~ '[^ ]'`);
  if (kind === "client")
    return void (await db.query(`insert into person_visit
      select cliente_salon_id, salon_id from transacoes join person on person.id = cliente_salon_id
      union select cliente_id, transacao_id from vendas_produto join person on person.id = cliente_id`));
  const payloads = PLACES.filter(({ table }) => KINDS[kind].keys[table]).flatMap(({ table, columns }) =>
    columns
      .filter(({ isJson }) => isJson)
      .map(
        ({ name }) =>
          `select person.id, value from ${table} join person on person.id = ${table}.${KINDS[kind].keys[table]}, pg_temp.beneath(${name}, 'cpf') as value`,
      ),
  );
  await db.query(`
    insert into person_cpf
    select distinct person, digits, true
    from (${[...own({ profissionais: "cpf" }), ...payloads, "select * from returned_name where stored ~ '^[0-9]{11}$'"].join(" union ")}) as own
    cross join lateral regexp_replace(stored, '[^0-9]', '', 'g') as digits
    where stored !~ '[[:alpha:]]' and length(digits) = 11`);
};

/** What a person's rows may have, as words that the rows of a table are compared with in one pass. */
const findNeedles = (db: pg.Client) =>
  db.query(`
    insert into needle
    select person, what, text, substring(text from '([^ ]+) $')
    from (
      select id as person, 'id' as what, pg_temp.words(id) as text from person
      union select person, 'visit', pg_temp.words(visit) from person_visit
      union select person, 'name', name from person_name where is_unique
    ) as found
    where text ~ '[^ ]';
    analyze person; analyze person_name; analyze person_visit; analyze needle`);

/** SQL for the traces that a text has, as `found`: a few more than it really has. */
const traces = (raw: string, words: string, hasCpfs: boolean): string => `cross join lateral (
    select person, what, needle.text
    from (select distinct word from unnest(string_to_array(${words}, ' ')) as word) as t
    join needle on last_word = word and strpos(${words}, needle.text) > 0
    ${hasCpfs ? `union all select person, 'cpf', cpf from person_cpf where strpos(regexp_replace(${raw}, '[^0-9]', '', 'g'), cpf) > 0` : ""}
  ) as found`;

/** Reads a table once. Finds the rows that may mention a person. */
const findCandidates = ({ table, document }: TextTable, hasCpfs: boolean): string => `
  insert into candidate
  select distinct found.person, ${literal(table)}, r.id, found.what, found.text
  from ${table} as r
  cross join lateral (select pg_temp.decoded((${document})::text) as raw offset 0) as d
  cross join lateral (select pg_temp.text_words(raw) as words offset 0) as w
  ${traces("raw", "words", hasCpfs)}`;

/** SQL for what a person's mention in `value` is compared with, for a candidate `c` of one kind of trace. */
const tracesOf = (kind: Kind, what: string): string => {
  const only = (name: string, value: string) => (what === name ? value : "'{}'");
  return `row(${literal(KINDS[kind].word)}, ${only("id", "array[c.person]")}, ${only("id", "array[pg_temp.member_pattern(c.person)]")},
    ${only("name", "array[c.text]")}, '{}', '{}', ${only("cpf", "array[pg_temp.cpf_pattern(c.text)]")}, false)::pg_temp.traces`;
};

/** Finds in candidates the rows that mention a person. */
const findMentions = (kind: Kind, { table, document }: TextTable): string[] => {
  const key = KINDS[kind].keys[table];
  const isOther = key ? `r.${key} is distinct from c.person` : "true";
  const of = (what: string) => `
    insert into person_row
    select person, ${literal(table)}, id, ${literal(what)}, columns
    from (
      select distinct c.person, r.id, pg_temp.columns_with(${document}, ${tracesOf(kind, what)}) as columns
      from candidate as c join ${table} as r using (id)
      where c.in_table = ${literal(table)} and c.what = ${literal(what)} and ${isOther}
        ${what === "name" ? "and exists (select from person_name as n where n.person = c.person and n.name = c.text and n.is_unique)" : ""}
        ${what === "cpf" ? "and exists (select from person_cpf as n where n.person = c.person and n.cpf = c.text and n.is_unique)" : ""}
    ) as found
    where columns <> '{}'`;
  const visits = PLACES.find((place) => place.table === table)?.columns.filter(({ isJson }) => isJson) ?? [];
  // A row with a client of its own belongs to no other client's visit.
  const ofVisits =
    kind === "client" && !key
      ? visits.map(
          ({ name: column }) => `
    insert into person_row
    select distinct c.person, ${literal(table)}, r.id, 'visit', array[${literal(column)}]
    from candidate as c
    join ${table} as r using (id)
    cross join lateral pg_temp.beneath(r.${column}, 'transac') as mentioned
    join person_visit as v on v.person = c.person and pg_temp.is_id(mentioned, array[v.visit])
    where c.in_table = ${literal(table)} and c.what = 'visit'`,
        )
      : [];
  return [...["id", "name", "cpf"].map(of), ...ofVisits];
};

/** Finds the values that mention a person in a table whose rows an erasure does not change itself: of the owner, or with sums. */
const findValues = (kind: Kind, { table, columns }: TextTable, hasCpfs: boolean): string => `
  insert into person_value
  select distinct person, ${literal(`${table}.`)} || in_column, value, what, text
  from (
    select r.in_column, r.value, found.*
    from (
      select distinct v.in_column, v.value
      from ${table} as r
      cross join lateral (values ${columns.map(({ name }) => `(${literal(name)}, r.${pg.escapeIdentifier(name)}::text)`).join()}) as v (in_column, value)
      where v.value is not null
    ) as r
    cross join lateral (select pg_temp.text_words(value) as words offset 0) as w
    ${traces("r.value", "words", hasCpfs)}
    where what <> 'visit'
  ) as c
  where pg_temp.columns_with(jsonb_build_object(in_column, value), case what
    when 'id' then ${tracesOf(kind, "id")} when 'name' then ${tracesOf(kind, "name")} else ${tracesOf(kind, "cpf")} end) <> '{}'`;

/** Terms in rows of others: what is called so is no mention of the person. */
const TERMS: Record<string, string[]> = {
  lancamentos: ["r.raw_data ->> 'CentroCusto'"],
  pagamentos_erp: [
    "r.id_centro_custo",
    "r.nome_conta_classificacao",
    "r.raw_data ->> 'CentroCusto'",
    "r.raw_data ->> 'Conta'",
  ],
  produtos: ["r.nome"],
  profissionais: ["r.nome", "r.erp_centro_custo_id"],
  transacoes: [
    "r.forma_pagamento_principal",
    "case when r.cliente_salon_id is not null then r.cliente_nome end",
  ],
  vendas_produto: [
    "r.produto_nome",
    "r.forma_pagamento",
    "case when r.cliente_id is not null then r.cliente_nome end",
  ],
};
const TERM_VALUES = ["estabelecimentos.nome", "taxas_cartao.forma_pagamento"];

/** An entry names who is paid: a professional by the same name, unless it has another one's id. */
const payee = (kind: Kind): string =>
  kind === "client"
    ? "r.raw_data ->> 'Pessoa'"
    : `case when pg_temp.words(r.raw_data ->> 'Pessoa') <> c.text or r.raw_data ->> 'IdProfissional' <> c.person
       then r.raw_data ->> 'Pessoa' end`;

/** Finds the names that something or somebody else has, and the CPFs of several professionals. */
const findShared = async (db: pg.Client, kind: Kind): Promise<void> => {
  for (const [table, columns] of entries(TERMS)) {
    const key = KINDS[kind].keys[table];
    const services =
      table === "transacoes"
        ? " union all select service ->> 'nome' from jsonb_array_elements(case jsonb_typeof(r.servicos) when 'array' then r.servicos else '[]' end) as service"
        : "";
    const terms = [...columns, ...(table === "lancamentos" ? [payee(kind)] : [])];
    await db.query(`
      update person_name as n set is_unique = false
      from candidate as c join ${table} as r using (id)
      where c.in_table = ${literal(table)} and c.what = 'name' and n.person = c.person and n.name = c.text and n.is_unique
        and ${key ? `r.${key} is distinct from c.person` : "true"}
        and exists (select from (select unnest(array[${terms.join()}]) as term${services}) as t where pg_temp.has_name(term, array[c.text]))`);
  }
  await db.query(
    `update person_name as n set is_unique = false from person_value as v
     where v.person = n.person and v.what = 'name' and v.text = n.name and v.in_column = any($1)`,
    [TERM_VALUES],
  );
  await db.query(
    "delete from person_value as v using person_name as n where n.person = v.person and v.what = 'name' and v.text = n.name and not n.is_unique",
  );
  await db.query(`update person_cpf as n set is_unique = false where exists (
    select from profissionais where regexp_replace(cpf, '[^0-9]', '', 'g') = n.cpf and salon_id is distinct from n.person)`);
  await db.query(
    "delete from person_value as v using person_cpf as n where n.person = v.person and v.what = 'cpf' and v.text = n.cpf and not n.is_unique",
  );
};

/** Finds the rows whose key is the person's id. */
export const findOwnRows = async (db: pg.Client, kind: Kind): Promise<void> => {
  await db.query("delete from person_row where how = 'key'");
  for (const [table, key] of entries(KINDS[kind].keys))
    await db.query(
      `insert into person_row select person.id, ${literal(table)}, r.id, 'key', '{}' from ${table} as r join person on person.id = r.${key}`,
    );
};

/** The name of an erased person that came back without the id, or the person's CPF. */
export interface ReturnedName {
  /** The person's id if it is known, else the hash in the receipt. */
  hash: string;
  name: string;
}

/**
 * Fills the temporary tables for these persons, and reads each table once. Locks nothing: loaders continue meanwhile.
 * @returns every table with text
 */
export const findRows = async (
  db: pg.Client,
  kind: Kind,
  ids: string[],
  returned: ReturnedName[] = [],
): Promise<TextTable[]> => {
  await db.query(PREPARE);
  await db.query("insert into person select distinct unnest($1::text[])", [ids]);
  await db.query("insert into returned_name select * from unnest($1::text[], $2::text[])", [
    returned.map(({ hash }) => hash),
    returned.map(({ name }) => name),
  ]);
  await findOwnRows(db, kind);
  await findIdentity(db, kind);
  await findNeedles(db);
  const { rowCount } = await db.query("select from person_cpf");
  const tables = await textTables(db);
  for (const found of tables)
    await db.query(
      found.isPlace ? findCandidates(found, Boolean(rowCount)) : findValues(kind, found, Boolean(rowCount)),
    );
  await findShared(db, kind);
  for (const found of tables.filter(({ isPlace }) => isPlace))
    for (const statement of findMentions(kind, found)) await db.query(statement);
  return tables;
};
