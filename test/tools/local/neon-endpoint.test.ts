// @module-tag server
import { neon, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type NeonEndpoint, startNeonEndpoint } from "../../../tools/local/neon-endpoint/server.ts";
import { openMigrated } from "../../support/node/databases.ts";
import { startRelay } from "../../support/node/relay.ts";

const isServer = inject("isServer");
// The endpoint changes the role of the only session of an embedded Postgres, so it gets its own Postgres.
const embedded = isServer ? undefined : await openMigrated(undefined);
const postgresUrl = embedded?.url ?? inject("postgresUrl");
const { username, pathname } = new URL(postgresUrl);
const urlOf = (role: string) => `postgres://${role}:any@127.0.0.1${pathname}`;
const owner = username || "postgres";
const served = await startNeonEndpoint({
  url: postgresUrl,
  sessions: isServer ? 10 : 1,
  roles: [owner, "salon_api", "ghost"],
});
const endpoint = `http://127.0.0.1:${served.port}/sql`;

neonConfig.fetchEndpoint = endpoint;
const sql = neon(urlOf(owner), { fullResults: true });

interface Answer {
  status: number;
  body: Record<string, unknown> & { rows?: unknown[]; results?: { rows: unknown[][] }[] };
}

/** Sends a request to the endpoint without the driver. */
const postQuery = async (
  body: unknown,
  headers: Record<string, string> = {},
  to = endpoint,
): Promise<Answer> => {
  const response = await fetch(to, {
    method: "POST",
    headers: { "Neon-Connection-String": urlOf(owner), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
};

afterAll(async () => {
  await served.close();
  await embedded?.close();
});

const SAMPLES: [type: string, ...values: string[]][] = [
  ["bool", "true", "false"],
  ["int2", "-32768", "32767"],
  ["int4", "-2147483648", "0", "2147483647"],
  ["int8", "-9223372036854775808", "9007199254740993", "9223372036854775807"],
  ["float4", "1.5", "NaN", "-Infinity", "1e-30"],
  ["float8", "0.1", "1e308", "Infinity", "-0", "12345678.9"],
  ["numeric", "12345678901234567890.0123456789", "1.10", "NaN", "0.00"],
  ["numeric(14,2)", "999999999999.99", "-0.01"],
  ["money", "12.50"],
  ["oid", "4294967295"],
  ["text", "", "é 💇 ü", "a\"b\\c'd", "line\nbreak\ttab", "NULL"],
  ["varchar(5)", "abc"],
  ["char(5)", "ab"],
  ["name", "tbl"],
  ["uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"],
  ["bytea", "\\x00ff10", "\\x"],
  ["date", "2026-02-28", "0044-03-15 BC", "infinity"],
  ["time", "23:59:59.999999"],
  ["timetz", "23:59:59-03"],
  ["timestamp", "2026-11-21 12:34:56.789", "infinity"],
  ["timestamptz", "2026-11-21 12:34:56.789012-03", "2026-06-01 00:00:00Z", "-infinity"],
  ["interval", "1 year 2 months 3 days 04:05:06.789", "-1 day"],
  ["json", '{"a": 12345678901234567890, "b": 1.10}', "null", "[1, 2]", '"text"'],
  ["jsonb", '{"b": 1.10, "a": [null, true]}', "12345678901234567890"],
  ["int4[]", "{1,NULL,3}", "{}", "{{1,2},{3,4}}", "[2:3]={7,8}"],
  ["int8[]", "{9007199254740993}"],
  ["text[]", '{a,"b,c",NULL,"NULL","é\\"x"}'],
  ["bool[]", "{t,f}"],
  ["float8[]", "{1.5,NaN}"],
  ["numeric[]", "{1.10,2.20}"],
  ["date[]", "{2026-01-01}"],
  ["timestamptz[]", '{"2026-01-01 00:00:00+00"}'],
  ["jsonb[]", '{"{\\"a\\": 1.10}"}'],
  ["inet", "192.168.0.1/24"],
  ["int4range", "[1,5)"],
  ["point", "(1,2)"],
  ["bit(3)", "101"],
  ["xid", "7"],
];

describe("the driver's results", () => {
  let client: pg.Client;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
  });
  afterAll(() => client.end());

  it.each(SAMPLES.flatMap(([type, ...values]) => [null, ...values].map((value) => [type, value] as const)))(
    "equal those of pg over TCP for %s %j",
    async (type, value) => {
      const query = `select $1::${type} as value`;
      // The role's own time zone, so that both sessions print alike.
      await client.query("set timezone = 'UTC'");
      const direct = await client.query(query, [value]);
      const [, viaHttp] = await sql.transaction([sql`set local timezone = 'UTC'`, sql.query(query, [value])]);
      expect(viaHttp?.rows).toEqual(direct.rows);
      expect(viaHttp?.fields.map(({ name, dataTypeID }) => [name, dataTypeID])).toEqual(
        direct.fields.map(({ name, dataTypeID }) => [name, dataTypeID]),
      );
      expect([viaHttp?.command, viaHttp?.rowCount]).toEqual([direct.command, direct.rowCount]);
    },
  );

  it("include the command, the row count and every field description", async () => {
    const results = await sql.transaction([
      sql`create temp table made (id int primary key, name varchar(7)) on commit drop`,
      sql`insert into made values (1, 'a'), (2, 'b') returning id, name`,
      sql`update made set name = 'c'`,
      sql`delete from made where id = 9`,
      sql`select name, id as id, id from made`,
    ]);
    expect(results.map(({ command, rowCount }) => [command, rowCount])).toEqual([
      ["CREATE", null],
      ["INSERT", 2],
      ["UPDATE", 2],
      ["DELETE", 0],
      ["SELECT", 2],
    ]);
    expect(results[1]?.fields[1]).toEqual({
      name: "name",
      tableID: expect.any(Number),
      columnID: 2,
      dataTypeID: 1043,
      dataTypeSize: -1,
      dataTypeModifier: 11,
      format: "text",
    });
  });

  it("are an error for a batch that fails, and all of it is rolled back", async () => {
    await sql`create table if not exists batch_test (id int unique)`;
    const batch = sql.transaction([
      sql`insert into batch_test values (1)`,
      sql`insert into batch_test values (1)`,
      sql`insert into batch_test values (2)`,
    ]);
    await expect(batch).rejects.toMatchObject({
      code: "23505",
      constraint: "batch_test_id_key",
      table: "batch_test",
    });
    expect((await sql`select from batch_test`).rowCount).toBe(0);
    await sql.transaction([sql`insert into batch_test values (1)`, sql`insert into batch_test values (2)`]);
    expect((await sql`select from batch_test`).rowCount).toBe(2);
    await sql`drop table batch_test`;
  });
});

describe("the endpoint's parameters", () => {
  it.each([
    [
      [true, 7, 1.5, "a", null],
      "select $1::text || $2::text || $3::text || $4 || coalesce($5, '-') as v",
      "true71.5a-",
    ],
    [[[1, null, 3]], "select array_to_string($1::int[], ',', '*') as v", "1,*,3"],
    [[["a,b", 'q"', null]], "select array_to_string($1::text[], '|', '*') as v", 'a,b|q"|*'],
    [[{ a: 1 }], "select $1::jsonb ->> 'a' as v", "1"],
  ])("arrive as values of SQL: %j", async (params, query, value) => {
    expect((await postQuery({ query, params })).body.rows).toEqual([[value]]);
  });
});

describe("the endpoint's batch headers", () => {
  const settings = {
    queries: [
      { query: "select current_setting('transaction_isolation') as v" },
      { query: "select current_setting('transaction_read_only') as v" },
    ],
  };

  it.each([
    [{}, ["read committed", "off"]],
    [{ "Neon-Batch-Isolation-Level": "ReadCommitted" }, ["read committed", "off"]],
    [{ "Neon-Batch-Read-Only": "true" }, ["read committed", "on"]],
    [{ "Neon-Batch-Read-Only": "yes" }, ["read committed", "off"]],
  ])("set the transaction's mode from %j", async (headers, expected) => {
    const { body } = await postQuery(settings, headers as Record<string, string>);
    expect(body.results?.map(({ rows }) => rows[0]?.[0])).toEqual(expected);
  });

  it("reject an isolation level that the service does not use", async () => {
    const { status, body } = await postQuery(settings, { "Neon-Batch-Isolation-Level": "Serializable" });
    expect([status, body.message]).toEqual([400, "isolation level Serializable is not served here"]);
  });
});

describe("the endpoint's errors", () => {
  it("are HTTP 400 with every field of the Postgres error", async () => {
    const { status, body } = await postQuery({ query: "select nothing from nowhere" });
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual([
      "message",
      "severity",
      "code",
      "detail",
      "hint",
      "position",
      "internalPosition",
      "internalQuery",
      "where",
      "schema",
      "table",
      "column",
      "dataType",
      "constraint",
      "file",
      "line",
      "routine",
    ]);
    expect(body).toMatchObject({
      message: 'relation "nowhere" does not exist',
      code: "42P01",
      severity: "ERROR",
      position: "21",
      detail: null,
    });
  });

  it.each<[string, unknown, number, RegExp, Record<string, string>?]>([
    ["a body that is not JSON", "{", 400, /not JSON/],
    ["a missing query", {}, 400, /needs `query`/],
    ["a body of null", "null", 400, /needs `query`/],
    ["two statements at once", { query: "select 1; select 2" }, 400, /multiple commands/],
    [
      "an unknown role",
      { query: "select 1" },
      400,
      /role "ghost" does not exist/,
      { "Neon-Connection-String": urlOf("ghost") },
    ],
    [
      "an unknown database",
      { query: "select 1" },
      400,
      /database "other" does not exist/,
      { "Neon-Connection-String": "postgres://postgres:x@h/other" },
    ],
    [
      "a missing connection string",
      { query: "select 1" },
      400,
      /must contain a connection string/,
      { "Neon-Connection-String": "" },
    ],
  ])("name %s", async (_, body, status, message, headers = {}) => {
    const answer = await postQuery(body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(message);
  });

  it("are HTTP 507 for a response over 64 MB, which leaves the session usable", async () => {
    const { status, body } = await postQuery({
      query: "select repeat('x', 1000000) as v from generate_series(1, 70)",
    });
    expect(status).toBe(507);
    expect(body.message).toMatch(/too large/);
    expect((await postQuery({ query: "select 1 as v" })).body.rows).toEqual([["1"]]);
  });
});

describe("a role of the endpoint", () => {
  const whoAmI = {
    query: "select current_user::text as role, current_setting('statement_timeout') as timeout",
  };
  const whoAmIAs = (role: string) => postQuery(whoAmI, { "Neon-Connection-String": urlOf(role) });

  it("runs the queries of its connection string, with its own settings", async () => {
    expect((await whoAmIAs("salon_api")).body.rows).toEqual([["salon_api", "7s"]]);
    expect((await whoAmIAs(owner)).body.rows).toEqual([[owner, "0"]]);
  });

  it.each(["reset role", "set statement_timeout = 0", "begin"])(
    "is unchanged in the next request after %s",
    async (query) => {
      await postQuery({ query }, { "Neon-Connection-String": urlOf("salon_api") });
      expect((await whoAmIAs("salon_api")).body.rows).toEqual([["salon_api", "7s"]]);
    },
  );

  it("is rejected unless the endpoint was started for it", async () => {
    const narrow = await startNeonEndpoint({ url: postgresUrl, sessions: 1, roles: ["salon_api"] });
    const to = `http://127.0.0.1:${narrow.port}/sql`;
    const whoAmIAs = (role: string) => postQuery(whoAmI, { "Neon-Connection-String": urlOf(role) }, to);
    for (const role of [owner, "pg_read_all_data", ""]) {
      const { status, body } = await whoAmIAs(role);
      expect([status, body.code, body.message]).toEqual([400, "28000", `role "${role}" is not allowed here`]);
    }
    expect((await whoAmIAs("salon_api")).body.rows).toEqual([["salon_api", "7s"]]);
    await narrow.close();
  });

  it("is rejected with a wrong password if the endpoint has one", async () => {
    const locked = await startNeonEndpoint({ url: postgresUrl, sessions: 1, roles: [owner] }, "right");
    const to = `http://127.0.0.1:${locked.port}/sql`;
    const { status, body } = await postQuery({ query: "select 1" }, {}, to);
    expect([status, body.code]).toEqual([400, "28P01"]);
    expect(
      (await postQuery({ query: "select 1" }, { "Neon-Connection-String": locked.urlOf(owner) }, to)).status,
    ).toBe(200);
    await locked.close();
  });
});

describe.runIf(isServer)("the endpoint on a PostgreSQL server", () => {
  it("cancels a query when its client disconnects", async () => {
    const client = new AbortController();
    const pending = fetch(endpoint, {
      method: "POST",
      headers: { "Neon-Connection-String": urlOf(owner) },
      body: JSON.stringify({ query: "select pg_sleep(60), 'slow one'" }),
      signal: client.signal,
    });
    const running = async () => {
      const { body } = await postQuery({
        query:
          "select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%slow ' || 'one%'",
      });
      return body.rowCount;
    };
    await expect.poll(running).toBe(1);
    client.abort();
    await expect(pending).rejects.toThrow();
    await expect.poll(running).toBe(0);
  });

  it("returns an error if the server terminates a session, and runs the query that waits for it", async () => {
    const one = await startNeonEndpoint({ url: postgresUrl, sessions: 1, roles: [owner] });
    const to = `http://127.0.0.1:${one.port}/sql`;
    const pending = postQuery({ query: "select pg_sleep(60), 'cut ' || 'off'" }, {}, to);
    const waiting = postQuery({ query: "select 1 as v" }, {}, to);
    const end = async () => {
      const { body } = await postQuery({
        query: `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and state = 'active' and query like '%cut '' || ''off%' and pid <> pg_backend_pid()`,
      });
      return body.rowCount;
    };
    await expect.poll(end).toBe(1);
    expect(await pending).toMatchObject({ status: 400, body: { code: "57P01" } });
    expect(await waiting).toMatchObject({ status: 200, body: { rows: [["1"]] } });
    await one.close();
  });

  it("replaces sessions that the server terminates", async () => {
    await postQuery({
      query:
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    });
    await expect.poll(async () => (await postQuery({ query: "select 1" })).status).toBe(200);
  });
});

it("the endpoint returns 500 if a connection breaks during a statement, and serves the next request", async () => {
  const relay = await startRelay(postgresUrl);
  const cut = await startNeonEndpoint({ url: relay.url, sessions: 1, roles: [owner] });
  const to = `http://127.0.0.1:${cut.port}/sql`;
  // The endpoint itself sends the first one, when it resets a new session.
  for (const bytes of ["DISCARD", "'the statement'", "COMMIT"]) {
    relay.cutAt(bytes);
    const queries = [{ query: "select 'the statement' as v", params: [] }];
    const { status, body } = await postQuery({ queries }, {}, to);
    expect([status, body.message]).toEqual([500, "Connection terminated unexpectedly"]);
    relay.cutAt(undefined);
    expect((await postQuery({ query: "select 1 as v" }, {}, to)).status).toBe(200);
  }
  await cut.close();
  await relay.close();
});

it("the endpoint returns 500 for an unreachable database, as Neon's proxy does", async () => {
  const lost: NeonEndpoint = await startNeonEndpoint({
    url: `postgres://postgres@127.0.0.1:1${pathname}`,
    sessions: 1,
    roles: [owner],
  });
  expect((await postQuery({ query: "select 1" }, {}, `http://127.0.0.1:${lost.port}/sql`)).status).toBe(500);
  await lost.close();
});
