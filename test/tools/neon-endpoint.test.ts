// @module-tag server
import { neon, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type NeonEndpoint, startNeonEndpoint } from "../../tools/local/neon-endpoint/server.ts";
import { openMigrated } from "../support/databases.ts";
import { startRelay } from "../support/relay.ts";

const isServer = inject("isServer");
// The endpoint changes the role of the one session an embedded Postgres has, so it gets one of its own.
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
  body: Record<string, unknown> & { rows?: unknown[]; results?: { rows: unknown[] }[] };
}

/** Speaks to the endpoint without the driver. */
const ask = async (body: unknown, headers: Record<string, string> = {}, to = endpoint): Promise<Answer> => {
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
    "%s %j are those of pg over TCP",
    async (type, value) => {
      const query = `select $1::${type} as value`;
      // Both sessions print with the same settings: the role's own.
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

  it("tell command, row count and every field description", async () => {
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

  it("keep a transaction whole: an error inside a batch undoes all of it", async () => {
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

describe("output", () => {
  const query =
    "select 7::int4 as n, 9007199254740993::int8 as big, true as yes, 1.10::numeric as price, 1.5::float8 as f, 'NaN'::float8 as nan, " +
    `'{"a": 1.10, "b": 12345678901234567890}'::jsonb as doc, '{1,NULL}'::int4[] as list, '{{a,"b,c"}}'::text[] as deep, null as nothing`;

  it("object mode with values", async () => {
    const { body } = await ask({ query, params: [] });
    expect(body.rowAsArray).toBe(false);
    expect(body.rows).toEqual([
      {
        n: 7,
        big: "9007199254740993",
        yes: true,
        price: "1.10",
        f: 1.5,
        nan: "NaN",
        doc: { a: 1.1, b: Number("12345678901234567890") },
        list: [1, null],
        deep: [["a", "b,c"]],
        nothing: null,
      },
    ]);
  });

  it("json values keep the digits Postgres printed", async () => {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "Neon-Connection-String": urlOf(owner) },
      body: JSON.stringify({ query }),
    });
    expect(await response.text()).toContain('"doc":{"a": 1.10, "b": 12345678901234567890}');
  });

  it("array mode with raw text", async () => {
    const { body } = await ask({ query }, { "Neon-Raw-Text-Output": "true", "Neon-Array-Mode": "true" });
    expect(body.rowAsArray).toBe(true);
    expect(body.rows).toEqual([
      [
        "7",
        "9007199254740993",
        "t",
        "1.10",
        "1.5",
        "NaN",
        '{"a": 1.10, "b": 12345678901234567890}',
        "{1,NULL}",
        '{{a,"b,c"}}',
        null,
      ],
    ]);
  });

  it("a batch may mix modes", async () => {
    const { body } = await ask({
      queries: [
        { query: "select 1 as n", params: [], arrayMode: true },
        { query: "select 2 as n", params: [] },
      ],
    });
    expect(body.results?.map(({ rows }) => rows)).toEqual([[[1]], [{ n: 2 }]]);
  });

  it.each([
    [
      [true, 7, 1.5, "a", null],
      "select $1::text || $2::text || $3::text || $4 || coalesce($5, '-') as v",
      "true71.5a-",
    ],
    [[[1, null, 3]], "select array_to_string($1::int[], ',', '*') as v", "1,*,3"],
    [[["a,b", 'q"', null]], "select array_to_string($1::text[], '|', '*') as v", 'a,b|q"|*'],
    [[{ a: 1 }], "select $1::jsonb ->> 'a' as v", "1"],
  ])("takes parameters %j", async (params, query, value) => {
    expect((await ask({ query, params })).body.rows).toEqual([{ v: value }]);
  });
});

describe("batch headers", () => {
  const settings = {
    queries: [
      { query: "select current_setting('transaction_isolation') as v" },
      { query: "select current_setting('transaction_read_only') as v" },
      { query: "select current_setting('transaction_deferrable') as v" },
    ],
  };

  it.each([
    [{}, ["read committed", "off", "off"]],
    [{ "Neon-Batch-Isolation-Level": "ReadUncommitted" }, ["read uncommitted", "off", "off"]],
    [
      { "Neon-Batch-Isolation-Level": "RepeatableRead", "Neon-Batch-Read-Only": "true" },
      ["repeatable read", "on", "off"],
    ],
    [
      {
        "Neon-Batch-Isolation-Level": "Serializable",
        "Neon-Batch-Read-Only": "true",
        "Neon-Batch-Deferrable": "true",
      },
      ["serializable", "on", "on"],
    ],
    [{ "Neon-Batch-Read-Only": "yes" }, ["read committed", "off", "off"]],
  ])("%j", async (headers, expected) => {
    const { body } = await ask(settings, headers as Record<string, string>);
    expect(body.results?.map(({ rows }) => (rows[0] as { v: string }).v)).toEqual(expected);
  });

  it("an unknown isolation level is refused", async () => {
    const { status, body } = await ask(settings, { "Neon-Batch-Isolation-Level": "Chaos" });
    expect([status, body.message]).toEqual([400, "invalid isolation level"]);
  });
});

describe("errors", () => {
  it("are HTTP 400 with every field Postgres gives", async () => {
    const { status, body } = await ask({ query: "select nothing from nowhere" });
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
    ["no JSON", "{", 400, /not JSON/],
    ["no query", {}, 400, /needs `query`/],
    ["null", "null", 400, /needs `query`/],
    ["two statements at once", { query: "select 1; select 2" }, 400, /multiple commands/],
    [
      "a role that is not there",
      { query: "select 1" },
      400,
      /role "ghost" does not exist/,
      { "Neon-Connection-String": urlOf("ghost") },
    ],
    [
      "another database",
      { query: "select 1" },
      400,
      /database "other" does not exist/,
      { "Neon-Connection-String": "postgres://postgres:x@h/other" },
    ],
    [
      "no connection string",
      { query: "select 1" },
      400,
      /must hold a connection string/,
      { "Neon-Connection-String": "" },
    ],
  ])("%s", async (_, body, status, message, headers = {}) => {
    const answer = await ask(body, headers);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(message);
  });

  it("an answer over 64 MB: 507, and the session goes on", async () => {
    const { status, body } = await ask({
      query: "select repeat('x', 1000000) as v from generate_series(1, 70)",
    });
    expect(status).toBe(507);
    expect(body.message).toMatch(/too large/);
    expect((await ask({ query: "select 1 as v" })).body.rows).toEqual([{ v: 1 }]);
  });
});

describe("roles", () => {
  const whoAmI = {
    query: "select current_user::text as role, current_setting('statement_timeout') as timeout",
  };
  const as = (role: string) => ask(whoAmI, { "Neon-Connection-String": urlOf(role) });

  it("the connection string's user runs the query, with that role's settings", async () => {
    expect((await as("salon_api")).body.rows).toEqual([{ role: "salon_api", timeout: "7s" }]);
    expect((await as(owner)).body.rows).toEqual([{ role: owner, timeout: "0" }]);
  });

  it.each(["reset role", "set statement_timeout = 0", "begin"])(
    "%s changes nothing for the next request",
    async (query) => {
      await ask({ query }, { "Neon-Connection-String": urlOf("salon_api") });
      expect((await as("salon_api")).body.rows).toEqual([{ role: "salon_api", timeout: "7s" }]);
    },
  );

  it("only those it was started for are let in", async () => {
    const narrow = await startNeonEndpoint({ url: postgresUrl, sessions: 1, roles: ["salon_api"] });
    const to = `http://127.0.0.1:${narrow.port}/sql`;
    const as = (role: string) => ask(whoAmI, { "Neon-Connection-String": urlOf(role) }, to);
    for (const role of [owner, "pg_read_all_data", ""]) {
      const { status, body } = await as(role);
      expect([status, body.code, body.message]).toEqual([400, "28000", `role "${role}" is not let in here`]);
    }
    expect((await as("salon_api")).body.rows).toEqual([{ role: "salon_api", timeout: "7s" }]);
    await narrow.close();
  });

  it("a wrong password is refused where there is one", async () => {
    const locked = await startNeonEndpoint({ url: postgresUrl, sessions: 1, roles: [owner] }, "right");
    const to = `http://127.0.0.1:${locked.port}/sql`;
    const { status, body } = await ask({ query: "select 1" }, {}, to);
    expect([status, body.code]).toEqual([400, "28P01"]);
    expect(
      (await ask({ query: "select 1" }, { "Neon-Connection-String": locked.urlOf(owner) }, to)).status,
    ).toBe(200);
    await locked.close();
  });
});

describe.runIf(isServer)("on a PostgreSQL server", () => {
  it("a query is cancelled when its client goes away", async () => {
    const client = new AbortController();
    const asked = fetch(endpoint, {
      method: "POST",
      headers: { "Neon-Connection-String": urlOf(owner) },
      body: JSON.stringify({ query: "select pg_sleep(60), 'slow one'" }),
      signal: client.signal,
    });
    const running = async () => {
      const { body } = await ask({
        query: "select from pg_stat_activity where state = 'active' and query like '%slow ' || 'one%'",
      });
      return body.rowCount;
    };
    await expect.poll(running).toBe(1);
    client.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(running, { timeout: 5000 }).toBe(0);
  });

  it("a session that the server ends in the middle of a statement: an error, and the one that waits works", async () => {
    const one = await startNeonEndpoint({ url: postgresUrl, sessions: 1, roles: [owner] });
    const to = `http://127.0.0.1:${one.port}/sql`;
    const asked = ask({ query: "select pg_sleep(60), 'cut ' || 'off'" }, {}, to);
    const waiting = ask({ query: "select 1 as v" }, {}, to);
    const end = async () => {
      const { body } = await ask({
        query: `select pg_terminate_backend(pid) from pg_stat_activity
          where state = 'active' and query like '%cut '' || ''off%' and pid <> pg_backend_pid()`,
      });
      return body.rowCount;
    };
    await expect.poll(end).toBe(1);
    expect(await asked).toMatchObject({ status: 400, body: { code: "57P01" } });
    expect(await waiting).toMatchObject({ status: 200, body: { rows: [{ v: 1 }] } });
    await one.close();
  });

  it("sessions that the server ends are replaced", async () => {
    await ask({
      query:
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    });
    await expect.poll(async () => (await ask({ query: "select 1" })).status).toBe(200);
  });
});

it("a connection cut in the middle of a statement: an error, and the next request works", async () => {
  const relay = await startRelay(postgresUrl);
  const cut = await startNeonEndpoint({ url: relay.url, sessions: 1, roles: [owner] });
  const to = `http://127.0.0.1:${cut.port}/sql`;
  // The first two are the endpoint's own, which it asks when it first needs them.
  for (const bytes of ["DISCARD", "typcategory", "'the statement'", "COMMIT"]) {
    relay.cutAt(bytes);
    const queries = [{ query: "select 'the statement' as v", params: [] }];
    const { status, body } = await ask({ queries }, {}, to);
    expect([status, body.message]).toEqual([500, "Connection terminated unexpectedly"]);
    relay.cutAt(undefined);
    const raw = { "Neon-Raw-Text-Output": "true" };
    expect((await ask({ query: "select 1 as v" }, raw, to)).status).toBe(200);
  }
  await cut.close();
  await relay.close();
});

it("a database that is not there: 500, as Neon's proxy answers", async () => {
  const lost: NeonEndpoint = await startNeonEndpoint({
    url: `postgres://postgres@127.0.0.1:1${pathname}`,
    sessions: 1,
    roles: [owner],
  });
  expect((await ask({ query: "select 1" }, {}, `http://127.0.0.1:${lost.port}/sql`)).status).toBe(500);
  await lost.close();
});
