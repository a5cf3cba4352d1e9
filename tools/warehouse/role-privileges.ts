import type pg from "pg";
import { READ_COLUMNS } from "../../src/access/audit/table.ts";

/** The role the API signs in as. It can read only the objects that requests need, each granted by name. */
export const READER = "salon_api";

/** The role that records answers with personal data (A15). It can only insert, and cannot set the time of a record. */
export const AUDITOR = "salon_audit";

export const TABLES = [
  ...["estabelecimentos", "jobs_log", "lancamentos", "metas", "pagamentos_erp", "produtos", "profissionais"],
  ...["taxas_cartao", "transacoes", "vendas_produto"],
];
const SEQUENCES = ["lancamentos_id_seq", "pagamentos_erp_id_seq"];
const FUNCTIONS = [
  ...[
    "brasilia_midnight(date)",
    "data_instant(timestamp with time zone)",
    "data_reached(timestamp with time zone)",
    ...["brasilia_clock(timestamp with time zone)", "first_instant(timestamp)"],
    "comparison_shift(text, timestamp with time zone, timestamp with time zone)",
    "earlier_start(text, timestamp with time zone, timestamp with time zone)",
    "moved_end(timestamp with time zone, interval, boolean)",
    "earlier_end(text, timestamp with time zone, timestamp with time zone, timestamp with time zone)",
    ...["name_sort_key(text)", "service_professional(jsonb)"],
    "lowest_locked_position(text)",
    "settled_id(text)",
    "settled_change(text)",
  ],
  ...["login_account(text)", "session_account(uuid)", "agent_account(text)", "oauth_client(text)"],
];

/** Set per database: migrations of several databases on one server then do not wait for each other. */
const READER_SETTINGS: Record<string, string> = {
  // Seven seconds leave the Worker time to answer 503 within nine (E2).
  statement_timeout: "7s",
  default_transaction_read_only: "on",
  // Timestamps are sent in UTC (V3).
  timezone: "UTC",
  // JIT compilation costs more time than our statements take.
  jit: "off",
};
const AUDITOR_SETTINGS: Record<string, string> = { statement_timeout: "5s" };

const settingsOf = (role: string) => (role.startsWith(AUDITOR) ? AUDITOR_SETTINGS : READER_SETTINGS);

/**
 * The privileges granted directly to a role, in the form GRANT uses before TO.
 * @param role an OID; 0 is PUBLIC, for which only our own objects in schema public count
 */
export const rightsOf = async (db: pg.Client, role: string): Promise<string[]> => {
  const { rows } = await db.query(
    `with ours as (
       select 'pg_class'::regclass as class, oid, relacl as acl, case relkind when 'S' then 'SEQUENCE ' else 'TABLE ' end || oid::regclass as on_what,
         relnamespace as schema, relowner as owner from pg_class
       union all select 'pg_proc'::regclass, oid, coalesce(proacl, acldefault('f', proowner)), 'FUNCTION ' || oid::regprocedure, pronamespace, proowner from pg_proc
       union all select 'pg_attribute'::regclass, attrelid, attacl, format('(%I) ON TABLE ', attname) || attrelid::regclass,
         relnamespace, relowner from pg_attribute join pg_class c on c.oid = attrelid where attacl is not null
     ), held as (
       select class, acl, on_what from ours
       where $1::oid <> 0 or (schema = 'public'::regnamespace and owner = (select relowner from pg_class where oid = 'transacoes'::regclass)
         and not exists (select from pg_depend d where d.classid = class and d.objid = ours.oid and deptype = 'e'))
       union all select 'pg_namespace'::regclass, nspacl, 'SCHEMA ' || quote_ident(nspname) from pg_namespace where $1::oid <> 0 or nspname = 'public'
       union all select 'pg_database'::regclass, datacl, 'DATABASE ' || quote_ident(datname) from pg_database where $1::oid <> 0 and datname = current_database()
     )
     select privilege_type || case class when 'pg_attribute'::regclass then ' ' else ' ON ' end || on_what as right
     from held, aclexplode(acl) where grantee = $1::oid and not (grantee = 0 and class = 'pg_namespace'::regclass and privilege_type = 'USAGE')`,
    [role],
  );
  return rows.map(({ right }) => right);
};

/** The privileges a role needs, in the same form. The tables `facts`, `rollups` and `change_feeds` list facts, sums and feeds. */
export const neededRights = async (db: pg.Client, role: string): Promise<string[]> => {
  if (role === AUDITOR)
    return ["USAGE ON SCHEMA public", ...READ_COLUMNS.map((column) => `INSERT (${column}) ON TABLE acessos`)];
  const { rows } = await db.query(
    `select 'SELECT ON TABLE ' || relation::regclass as right from rollups, unnest(array[quote_ident(rollup), quote_ident(rollup || '_source')]) as relation
     union all select 'SELECT ON TABLE ' || facts::regclass from facts
     union all select granted from change_feeds, unnest(array['SELECT ON TABLE ' || (list || '_changes')::regclass,
       'SELECT ON SEQUENCE ' || (list || '_change_seq')::regclass]) as granted
     union all select 'SELECT ON TABLE ' || name::regclass from unnest($1::text[]) as name
     union all select 'SELECT ON SEQUENCE ' || name::regclass from unnest($2::text[]) as name
     union all select 'EXECUTE ON FUNCTION ' || name::regprocedure from unnest($3::text[]) as name`,
    [[...TABLES, "change_feeds", "fechamentos"], SEQUENCES, FUNCTIONS],
  );
  return ["USAGE ON SCHEMA public", ...rows.map(({ right }) => right)];
};

/** Statements that revoke default privileges, which would apply to tables created later. */
export const defaultRightStatements = async (db: pg.Client, role: string): Promise<string[]> => {
  const { rows } = await db.query(
    `select format('alter default privileges for role %I %s revoke all on %s from %s', defaclrole::regrole,
       case when defaclnamespace <> 0 then format('in schema %I', defaclnamespace::regnamespace) end,
       case defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions' when 'T' then 'types' else 'schemas' end,
       case grantee when 0 then 'public' else quote_ident($1) end) as statement
     from (select distinct defaclrole, defaclnamespace, defaclobjtype, grantee from pg_default_acl, aclexplode(defaclacl)) as given
     where grantee = $1::regrole or (grantee = 0 and defaclobjtype in ('r', 'S'))`,
    [role],
  );
  return rows.map(({ statement }) => statement);
};

/** Statements that set a role's settings in this database, and reset all others. */
export const settingStatements = async (db: pg.Client, role: string): Promise<string[]> => {
  const settings = settingsOf(role);
  const { rows } = await db.query(
    `select lower(split_part(line, '=', 1)) as name, substr(line, strpos(line, '=') + 1) as value, setdatabase <> 0 as is_here
     from pg_db_role_setting, unnest(setconfig) as line
     where setrole = quote_ident($1)::regrole and setdatabase in (0, (select oid from pg_database where datname = current_database()))`,
    [role],
  );
  const { rows: here } = await db.query(
    "select quote_ident(current_database()) as name, quote_ident($1) as role",
    [role],
  );
  const alter = (isHere: boolean) =>
    `alter role ${here[0].role}${isHere ? ` in database ${here[0].name}` : ""}`;
  const isSet = (name: string) =>
    rows.some(
      (one) => one.is_here && one.name === name && one.value.toLowerCase() === settings[name]?.toLowerCase(),
    );
  return [
    ...rows
      .filter(({ name, is_here }) => !(is_here && name in settings))
      .map(({ name, is_here }) => `${alter(is_here)} reset ${name}`),
    ...Object.entries(settings)
      .filter(([name]) => !isSet(name))
      .map(([name, value]) => `${alter(true)} set ${name} = '${value}'`),
  ];
};

/** Statements that revoke temporary tables from PUBLIC. Loaders keep them: they use them for COPY and upserts. */
export const temporaryTableStatements = async (db: pg.Client, readers: string[]): Promise<string[]> => {
  const { rows } = await db.query(
    `with here as (select oid, datname, datacl, datdba from pg_database where datname = current_database())
     select format('grant temporary on database %I to %I', datname, rolname) as statement from here, pg_roles r
     where not rolsuper and rolname not like 'pg\\_%' and rolname <> all($3) and not pg_has_role(r.oid, datdba, 'USAGE')
       and not exists (select from aclexplode(datacl) where grantee = r.oid and privilege_type = 'TEMPORARY')
       and exists (select from unnest($2::text[]) t where has_table_privilege(r.oid, t, 'INSERT, UPDATE, DELETE'))
     union all select format('revoke temporary on database %I from public', datname) from here
     where has_database_privilege($1, oid, 'TEMPORARY')`,
    [READER, TABLES, readers],
  );
  return rows.map(({ statement }) => statement);
};
