import { randomBytes } from "node:crypto";
import pg from "pg";
import {
  AUDITOR,
  defaultRightStatements,
  neededRights,
  READER,
  rightsOf,
  settingStatements,
  temporaryTableStatements,
} from "./role-privileges.ts";

const ROLES = [READER, AUDITOR];

const ROLE_EXISTS = new Set(["42710", "23505"]);

/** Creates the roles if missing, with random passwords. The operator sets the real ones when deploying. */
export const makeRoles = async (db: pg.Client): Promise<void> => {
  for (const role of ROLES) await makeRole(db, role);
};

const makeRole = async (db: pg.Client, role: string): Promise<void> => {
  const { rowCount } = await db.query("select from pg_roles where rolname = $1", [role]);
  if (rowCount) return;
  const password = pg.escapeLiteral(randomBytes(32).toString("base64url"));
  // A query string runs as one transaction: the role exists with its grant, or not at all.
  const make = `create role ${role} login password ${password}; grant ${role} to current_user`;
  await db.query(make).catch((error: pg.DatabaseError) => {
    // Roles belong to the whole server: the migration of another database may have created it in the meantime.
    if (!ROLE_EXISTS.has(error.code ?? "")) throw error;
  });
};

/** Roles that replace one while its password changes: members named `salon_api_…` or `salon_audit_…`. */
const standIns = async (db: pg.Client, role: string): Promise<string[]> => {
  const { rows } = await db.query(
    `select r.rolname as name from pg_auth_members m join pg_roles r on r.oid = m.member
     where m.roleid = $1::regrole and r.rolname like $2 order by 1`,
    [role, `${role.replace("_", "\\_")}\\_%`],
  );
  return rows.map(({ name }) => name);
};

/** Privileges that revoking grants cannot remove. @param ours the role of which it may be a member */
export const excessOf = async (db: pg.Client, role: string, ours = READER): Promise<string[]> => {
  const { rows } = await db.query(
    `select 'is a superuser' as excess from pg_roles where rolname = $1 and rolsuper
     union all select 'bypasses row level security' from pg_roles where rolname = $1 and rolbypassrls
     union all select 'may create roles' from pg_roles where rolname = $1 and rolcreaterole
     union all select 'may create databases' from pg_roles where rolname = $1 and rolcreatedb
     union all select 'may replicate' from pg_roles where rolname = $1 and rolreplication
     union all select 'is a member of ' || roleid::regrole from pg_auth_members
       where member = quote_ident($1)::regrole and roleid <> $2::regrole
     union all select 'owns ' || count(*) || ' objects, which "drop owned by" removes' from pg_shdepend
       where refclassid = 'pg_authid'::regclass and refobjid = quote_ident($1)::regrole and deptype = 'o' having count(*) > 0`,
    [role, ours],
  );
  return rows.map(({ excess }) => `${role} ${excess}`);
};

export const excessOfRoles = async (db: pg.Client): Promise<string[]> => {
  const excess: string[] = [];
  for (const ours of ROLES)
    for (const role of [ours, ...(await standIns(db, ours))])
      excess.push(...(await excessOf(db, role, ours)));
  return excess;
};

/** Returns the statements that grant or revoke what differs for a role and its stand-ins. */
const differencesOfRole = async (db: pg.Client, role: string, others: string[]): Promise<string[]> => {
  const { rows } = await db.query("select $1::regrole::oid::text as oid", [role]);
  const [needs, has] = [new Set(await neededRights(db, role)), new Set(await rightsOf(db, rows[0].oid))];
  const statements = [
    ...[...has].filter((right) => !needs.has(right)).map((right) => `revoke ${right} from ${role}`),
    ...[...needs].filter((right) => !has.has(right)).map((right) => `grant ${right} to ${role}`),
    ...(await defaultRightStatements(db, role)),
    ...(await settingStatements(db, role)),
  ];
  for (const other of others) {
    const { rows: identifiers } = await db.query(
      "select quote_ident($1) as name, quote_ident($1)::regrole::oid::text as oid",
      [other],
    );
    const [{ name, oid }] = identifiers;
    statements.push(
      ...(await rightsOf(db, oid)).map((right) => `revoke ${right} from ${name}`),
      ...(await settingStatements(db, other)),
    );
  }
  return statements;
};

/** Returns the same for both roles, their stand-ins and PUBLIC. The list is empty if nothing differs. */
export const differencesOf = async (db: pg.Client): Promise<string[]> => {
  const statements: string[] = [];
  const all: string[] = [];
  for (const role of ROLES) {
    const others = await standIns(db, role);
    statements.push(...(await differencesOfRole(db, role, others)));
    all.push(role, ...others);
  }
  const ofEveryone = (await rightsOf(db, "0")).map((right) => `revoke ${right} from public`);
  return [...new Set([...statements, ...ofEveryone, ...(await temporaryTableStatements(db, all))])];
};

const NOT_ALLOWED = "42501";

/**
 * Gives both roles exactly their privileges and settings, after every migration: a restored dump has lost them. Reports
 * what this user may not change, and continues. @throws if a role can do more, and revoking grants cannot change that
 */
export const settleRoles = async (db: pg.Client, progress: (line: string) => void): Promise<void> => {
  const excess = await excessOfRoles(db);
  if (excess.length > 0)
    throw new Error(
      `${excess.join("; ")}. ${READER} must only read, ${AUDITOR} only insert: remove this, then migrate again.`,
    );
  // Postgres omits the schema from a name only if the schema is on the search path.
  await db.query("set local search_path = public, pg_temp");
  for (const statement of await differencesOf(db)) {
    await db.query("savepoint before");
    await db.query(statement).catch(async (error: pg.DatabaseError) => {
      if (error.code !== NOT_ALLOWED) throw error;
      await db.query("rollback to before");
    });
  }
  for (const statement of await differencesOf(db)) progress(`The owner of the object must run: ${statement}`);
};
