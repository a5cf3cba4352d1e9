// @module-tag server
import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { connected } from "../../../tools/warehouse/databases.ts";
import { migrateWarehouse } from "../../../tools/warehouse/migrate.ts";
import { differencesOf, excessOf, settleRoles } from "../../../tools/warehouse/reader-role.ts";
import { type Database, openMigrated, withoutMigrations } from "../../support/node/databases.ts";

let database: Database;
let owner: pg.Client;
const name = `role_${Math.random().toString(36).slice(2)}`;

beforeAll(async () => {
  database = await openMigrated(process.env.TEST_DATABASE_URL);
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
});

const DENIED = expect.stringMatching(/^(42501|25006|0LP01)$/);

/** Runs statements as the API's role, in writable transactions. */
const asReader = async (...statements: string[]) => {
  await owner.query("set role salon_api");
  try {
    for (const statement of statements) await owner.query(statement);
  } finally {
    await owner.query("reset role");
  }
};

/** Tries a statement as a role, in the open transaction, and takes it back. @returns `allowed`, or the SQLSTATE */
const trial = async (role: string, statement: string) => {
  await owner.query(`savepoint before; set local role ${role}`);
  try {
    await owner.query(statement);
    return "allowed";
  } catch (error) {
    return (error as pg.DatabaseError).code;
  } finally {
    await owner.query("rollback to before");
  }
};

/** What PostgreSQL allows every role, until a superuser revokes it. */
const POWERS = [
  "select lo_from_bytea(0, 'x')",
  "select lo_creat(-1)",
  "select lo_create(0)",
  "select pg_logical_emit_message(false, 'x', 'y')",
  "select pg_advisory_xact_lock(1)",
  "select pg_advisory_xact_lock_shared(1)",
  "select pg_try_advisory_xact_lock(727002, 0)",
];

describe("the time of an access", () => {
  /** Inserts in a transaction that is open for a while. @returns the time of the row, relative to just before its insert */
  const timeOf = async (role: string, statement: string) => {
    await owner.query("begin");
    try {
      await owner.query("select pg_sleep(0.05)");
      await owner.query("create temporary table before on commit drop as select clock_timestamp() as at");
      await owner.query(`set local role ${role}`);
      await owner.query(statement);
      await owner.query("reset role");
      const { rows } = await owner.query(
        "select acessos.at >= before.at as is_after, acessos.at <= clock_timestamp() as is_past, acessos.at from acessos, before",
      );
      return rows[0];
    } finally {
      await owner.query("rollback");
    }
  };

  it.each([
    ["salon_audit", "insert into acessos (route) values ('x')"],
    ["none", "insert into acessos (actor, change) values ('root', 'limit')"],
  ])("is that of the insert for %s, also in an open transaction (A15)", async (role, statement) => {
    expect(await timeOf(role, statement)).toMatchObject({ is_after: true, is_past: true });
  });

  it("is not earlier than the values of the row (A15)", async () => {
    const slow =
      "insert into acessos (request_id, route) select clock_timestamp()::text, 'x' || pg_sleep(0.05)";
    await owner.query("begin; set local role salon_audit");
    await owner.query(slow);
    await owner.query("reset role");
    const { rows } = await owner.query(
      "select at - request_id::timestamptz >= interval '50 milliseconds' as is_later from acessos",
    );
    await owner.query("rollback");
    expect(rows).toEqual([{ is_later: true }]);
  });

  it("is kept when the owner copies a row (A15)", async () => {
    const copied = "insert into acessos (at, route) values ('2026-01-02T03:04:05Z', 'x')";
    expect((await timeOf("none", copied)).at).toEqual(new Date("2026-01-02T03:04:05Z"));
  });
});

describe("the role salon_audit", () => {
  const asAuditor = (statement: string) => trial("salon_audit", statement);
  beforeAll(() => owner.query("begin"));
  afterAll(() => owner.query("rollback"));

  it.each([
    "select * from acessos",
    "select count(*) from acessos",
    "insert into acessos (route) values ('x') returning id",
    "insert into acessos (route, at) values ('x', '2020-01-01')",
    "insert into acessos (id, route) values (1, 'x')",
    "insert into acessos (actor, change) values ('root', 'limit')",
    "update acessos set route = 'y'",
    "delete from acessos",
    "truncate acessos",
    "select nextval('acessos_id_seq')",
    "select setval('acessos_id_seq', 1)",
    "select * from transacoes",
    "select email from users",
    "select * from login_account('demo@example.com')",
    "select * from agent_account('x')",
    "select settled_id('lancamentos')",
    "create temporary table mine (id int)",
    "create table mine (id int)",
  ])("cannot run %s (A15)", async (statement) => {
    expect(await asAuditor(statement)).toBe("42501");
  });

  it("can insert a read, whose time and id the database sets (A15)", async () => {
    expect(await asAuditor("insert into acessos (request_id, user_id, route) values ('r', 1, '/v1/x')")).toBe(
      "allowed",
    );
  });

  it("is in no other role (A15)", async () => {
    expect(await excessOf(owner, "salon_audit", "salon_audit")).toEqual([]);
    await owner.query("savepoint member; grant salon_api to salon_audit");
    expect(await excessOf(owner, "salon_audit", "salon_audit")).toEqual([
      "salon_audit is a member of salon_api",
    ]);
    await owner.query("rollback to member");
  });

  it("loses extra rights at the next migration, and verify names them (A15)", async () => {
    await owner.query(
      "savepoint extra; grant select on acessos, transacoes to salon_audit; revoke insert (csv) on acessos from salon_audit",
    );
    expect((await differencesOf(owner)).sort()).toEqual([
      "grant INSERT (csv) ON TABLE acessos to salon_audit",
      "revoke SELECT ON TABLE acessos from salon_audit",
      "revoke SELECT ON TABLE transacoes from salon_audit",
    ]);
    await settleRoles(owner, () => undefined);
    expect(await differencesOf(owner)).toEqual([]);
    await owner.query("rollback to extra");
  });
});

describe("the role salon_api", () => {
  it.each([
    "select rollup_writer()",
    "select create_statement_trigger('transacoes', 'mine', 'INSERT', 'begin return null; end')",
    "select drop_rollup('transacoes_rollup')",
    "select create_rollup('transacoes', 'mine', '{id}', '{}', 'select id, data_hora as at, current_date as day from ROWS')",
    "select sequence_lock('x', 1)",
    "create temporary table mine (id int)",
    "create table mine (id int)",
    "create function mine() returns int language sql as 'select 1'",
    "create trigger mine after truncate on transacoes execute function transacoes_rollup_truncate()",
    "select * from rollups",
    "select * from transacoes_rollup_expected",
    "select nextval('lancamentos_id_seq')",
    "select nextval('transacoes_change_seq')",
    "update change_feeds set oldest_kept_change = 0",
    "delete from transacoes_changes",
    "select create_change_feed('jobs_log')",
    "select new_epoch()",
    "select setval('lancamentos_id_seq', 1)",
    "select email from users",
    "select a.* from users u, login_account(u.email) a",
    "select hash from agent_tokens",
    "select a.* from agent_tokens t, agent_account(t.hash) a",
    "select last_value from agent_tokens_id_seq",
    "insert into agent_tokens (user_identity, hash, session_number, expires_at) values (gen_random_uuid(), repeat('a', 64), 0, now())",
    "delete from agent_tokens",
    "select client_id from oauth_clients",
    "select o.* from oauth_clients c, oauth_client(c.client_id) o",
    "select hash from oauth_secrets",
    "insert into oauth_clients (client_id, name, redirects) values ('x', 'x', '{x}')",
    "update oauth_clients set redirects = '{x}'",
    "insert into oauth_secrets (hash, client_id) values (repeat('a', 64), 'x')",
    "delete from oauth_secrets",
    "do $$ begin lock table transacoes in access exclusive mode; end $$",
    "select * from acessos",
    "insert into acessos (route) values ('x')",
    "delete from acessos",
  ])("cannot run %s (A10, A14, A15)", async (statement) => {
    await expect(asReader(statement)).rejects.toMatchObject({ code: DENIED });
  });

  it("can no longer fill the disk or delay loaders after a superuser has run the statement of SECURITY.md (A10)", async () => {
    const [, close = ""] = /```sql\n(.*?)```/s.exec(readFileSync("SECURITY.md", "utf8")) ?? [];
    const [loader, tableOwner] = [`${name}_loader`, `${name}_owner`];
    const tries = async (role: string) => {
      const outcomes: string[] = [];
      for (const power of POWERS) outcomes.push(`${power}: ${await trial(role, power)}`);
      return outcomes;
    };
    const all = (outcome: string) => POWERS.map((power) => `${power}: ${outcome}`);
    await owner.query(`begin; create role ${loader}; grant insert on lancamentos to ${loader};
      create role ${tableOwner}; alter table transacoes owner to ${tableOwner}`);
    try {
      expect(await tries("salon_api")).toEqual(all("allowed"));
      await owner.query(close);
      expect(await tries("salon_api")).toEqual(all("42501"));
      expect(await tries(tableOwner)).toEqual(all("allowed"));
      expect(await trial(tableOwner, "select lo_import('/etc/passwd')")).toBe("42501");
      expect(
        await trial(
          loader,
          `insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('${name}', '1', '{}')`,
        ),
      ).toBe("allowed");
      expect(await trial("salon_api", "select settled_id('lancamentos')")).toBe("allowed");
    } finally {
      await owner.query("rollback");
    }
  });

  it("can call four SECURITY DEFINER functions, and no other", async () => {
    const { rows } = await owner.query(
      "select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef and has_function_privilege('salon_api', oid, 'execute')",
    );
    expect(rows.map(({ proname }) => proname).sort()).toEqual([
      "agent_account",
      "login_account",
      "oauth_client",
      "session_account",
    ]);
  });

  it("reads one account per call, and a password hash only through login_account", async () => {
    await owner.query(
      "insert into users (email, name, password_hash) values ('a@example.com', 'A', 'h'), ('b@example.com', 'B', 'h')",
    );
    await owner.query(
      "insert into agent_tokens (user_identity, hash, session_number, expires_at) select identity, repeat(left(email, 1), 64), 0, now() + interval '1 day' from users",
    );
    const { rows: users } = await owner.query("select identity from users where email = 'a@example.com'");
    const [{ identity }] = users;
    const ask = async (call: string) => (await owner.query(`select * from ${call}`)).rows;
    for (const call of [
      "login_account('a@example.com')",
      `session_account('${identity}')`,
      `agent_account('${"a".repeat(64)}')`,
    ])
      expect(await ask(call), call).toHaveLength(1);
    expect(Object.keys((await ask(`session_account('${identity}')`))[0])).not.toContain("password_hash");
    expect(Object.keys((await ask(`agent_account('${"a".repeat(64)}')`))[0])).not.toContain("password_hash");
    await owner.query("delete from users");
  });

  it("reads one OAuth client per call, without secrets that have expired (A14)", async () => {
    await owner.query(
      `insert into oauth_clients (client_id, name, redirects) values ('a', 'A', '{https://a.test}'), ('b', 'B', '{https://b.test}');
       insert into oauth_secrets (hash, client_id, expires_at) values (repeat('1', 64), 'a', now() - interval '1 s'),
         (repeat('2', 64), 'a', now() + interval '1 day'), (repeat('3', 64), 'a', null), (repeat('4', 64), 'b', null)`,
    );
    const { rows } = await owner.query("select * from oauth_client('a')");
    expect(rows).toMatchObject([{ client_id: "a", name: "A", redirects: ["https://a.test"] }]);
    const hashes = rows[0].secrets.map(({ hash }: { hash: string }) => hash[0]);
    expect(hashes.sort()).toEqual(["2", "3"]);
    await owner.query("delete from oauth_clients");
    expect((await owner.query("select from oauth_client('a')")).rowCount).toBe(0);
    expect((await owner.query("select from oauth_secrets")).rowCount).toBe(0);
  });

  it("inherits no function from PUBLIC", async () => {
    const { rows } = await owner.query(
      "select proname from pg_proc where pronamespace = 'public'::regnamespace and has_function_privilege('public', oid, 'execute')",
    );
    expect(rows).toEqual([]);
  });

  it("cannot read a table that is created later", async () => {
    await owner.query("create table later (id int)");
    await expect(asReader("select * from later")).rejects.toMatchObject({ code: "42501" });
    await owner.query("drop table later");
  });

  it("loses extra rights and regains missing ones at the next migration", async () => {
    await owner.query(`grant insert, truncate on transacoes to salon_api; grant select (email) on users to salon_api;
      grant execute on function drop_rollup(text) to salon_api; grant create on schema public to salon_api;
      alter default privileges in schema public grant select on tables to salon_api, public;
      grant select on users to public; grant execute on function login_account(text), agent_account(text) to public; grant select on agent_tokens to salon_api; grant update (total) on transacoes to public;
      alter role salon_api in database ${pg.escapeIdentifier(await here())} set search_path = 'elsewhere';
      revoke select on lancamentos from salon_api; grant temporary on database ${pg.escapeIdentifier(await here())} to public`);
    for (const name of ["statement_timeout", "default_transaction_read_only", "timezone", "jit"])
      await owner.query(
        `alter role salon_api in database ${pg.escapeIdentifier(await here())} reset ${name}`,
      );
    const differences = await differencesOf(owner);
    for (const part of [
      "revoke INSERT ON TABLE transacoes",
      "revoke TRUNCATE ON TABLE transacoes",
      "revoke SELECT (email) ON TABLE users",
      "revoke EXECUTE ON FUNCTION drop_rollup(text)",
      "revoke CREATE ON SCHEMA public",
      "alter default privileges for role postgres in schema public revoke all on tables from salon_api",
      "alter default privileges for role postgres in schema public revoke all on tables from public",
      "grant SELECT ON TABLE lancamentos",
      "set statement_timeout = '7s'",
      "set default_transaction_read_only = 'on'",
      "set timezone = 'UTC'",
      "set jit = 'off'",
      "reset search_path",
      "revoke SELECT ON TABLE users from public",
      "revoke EXECUTE ON FUNCTION login_account(text) from public",
      "revoke EXECUTE ON FUNCTION agent_account(text) from public",
      "revoke SELECT ON TABLE agent_tokens from salon_api",
      "revoke UPDATE (total) ON TABLE transacoes from public",
      "revoke temporary on database",
    ])
      expect(
        differences.filter((statement) => statement.includes(part)),
        part,
      ).toHaveLength(1);
    expect(differences).toHaveLength(19);
    await migrateWarehouse(database.url);
    expect(await differencesOf(owner)).toEqual([]);
  });

  it("regains its rights if a restored dump lost them, even on a rollup with an unusual name", async () => {
    await owner.query("begin");
    try {
      await owner.query(
        `create table "An odd ""name""" (grain text, starts_on date, queue text, writer int, records bigint, unique (grain, starts_on, queue, writer));
        select create_rollup('jobs_log', 'An odd "name"', '{queue}', '{}', 'select id, created_at as at, current_date as day, queue from ROWS')`,
      );
      await owner.query("revoke all on all tables in schema public from salon_api");
      await settleRoles(owner, () => undefined);
      expect(await differencesOf(owner)).toEqual([]);
      await owner.query(`set local role salon_api; select from "An odd ""name"""`);
    } finally {
      await owner.query("rollback");
    }
  });

  it("keeps the right to create temporary tables only for roles that write our tables", async () => {
    await owner.query(`create role ${name}_loader; grant insert on lancamentos to ${name}_loader`);
    await owner.query(`create role ${name}_guest; grant select on lancamentos to ${name}_guest`);
    await migrateWarehouse(database.url);
    const { rows } = await owner.query(
      `select has_database_privilege('${name}_loader', current_database(), 'temp') as loader, has_database_privilege('${name}_guest', current_database(), 'temp') as guest`,
    );
    expect(rows).toEqual([{ loader: true, guest: false }]);
    for (const role of ["loader", "guest"])
      await owner.query(`drop owned by ${name}_${role}; drop role ${name}_${role}`);
  });

  it.each([
    ["superuser", ["is a superuser"]],
    ["bypassrls", ["bypasses row level security"]],
    ["createrole", ["may create roles"]],
    ["createdb", ["may create databases"]],
    ["replication", ["may replicate"]],
    [
      `in role pg_read_all_data; create table owned (id int); alter table owned owner to ${name}_more`,
      ["is a member of pg_read_all_data", 'owns 1 objects, which "drop owned by" removes'],
    ],
  ])("stops the migration if it is %s", async (more, reasons) => {
    await owner.query(`create role ${name}_more ${more}`);
    expect((await excessOf(owner, `${name}_more`)).sort()).toEqual(
      reasons.map((why) => `${name}_more ${why}`),
    );
    await owner.query(`drop owned by ${name}_more; drop role ${name}_more`);
  });

  it.runIf(inject("isServer"))(
    "has a stand-in with the same rights and settings while its password changes",
    () =>
      withoutMigrations(process.env.TEST_DATABASE_URL ?? "", async () => {
        const standIn = `salon_api_${name}`;
        await owner.query(`create role ${standIn} login in role salon_api`);
        try {
          await migrateWarehouse(database.url);
          const url = new URL(database.url);
          url.username = standIn;
          await connected(url.href, async (db) => {
            const { rows } = await db.query(
              "select current_setting('statement_timeout') as timeout, current_setting('default_transaction_read_only') as read_only, current_setting('timezone') as zone, (select count(*) from transacoes)::int as visits",
            );
            expect(rows).toEqual([{ timeout: "7s", read_only: "on", zone: "UTC", visits: 0 }]);
            await expect(db.query("create temporary table mine (id int)")).rejects.toMatchObject({
              code: DENIED,
            });
          });
          await owner.query(
            `grant insert on transacoes to ${standIn}; grant select on users to ${standIn}; alter role ${standIn} set jit = on`,
          );
          await migrateWarehouse(database.url);
          const { rows: kept } = await owner.query(
            `select has_table_privilege('${standIn}', 'transacoes', 'insert') or has_table_privilege('${standIn}', 'users', 'select') as more`,
          );
          expect(kept).toEqual([{ more: false }]);
          await owner.query(`grant pg_read_all_data to ${standIn}`);
          await expect(migrateWarehouse(database.url)).rejects.toThrow(
            `${standIn} is a member of pg_read_all_data. salon_api must only read, salon_audit only insert: remove this, then migrate again.`,
          );
        } finally {
          await owner.query(`drop owned by ${standIn}; drop role ${standIn}`);
        }
      }),
  );

  it.runIf(inject("isServer"))(
    "makes a migration print what the owner must run if the migrating role does not own the database",
    async () => {
      const migrator = `${name}_migrator`;
      await owner.query(`create role ${migrator}; grant salon_api to ${migrator}; grant all on all tables in schema public to ${migrator};
      grant temporary on database ${pg.escapeIdentifier(await here())} to public; grant all on database ${pg.escapeIdentifier(await here())} to ${migrator}`);
      const messages: string[] = [];
      try {
        await owner.query(`begin; set local role ${migrator}`);
        await settleRoles(owner, (line) => messages.push(line));
      } finally {
        await owner.query(`rollback; drop owned by ${migrator}; drop role ${migrator}`);
      }
      expect(messages).toEqual([
        `The owner of the object must run: revoke temporary on database ${await here()} from public`,
      ]);
      await migrateWarehouse(database.url);
    },
  );
});

const here = async () => (await owner.query("select current_database() as name")).rows[0].name as string;
