// @module-tag server
import { env } from "cloudflare:workers";
import { neon } from "@neondatabase/serverless";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import {
  breakDatabase,
  databaseRequests,
  expectError,
  get,
  mendDatabase,
  sql,
} from "../support/worker/api.ts";
import { logged } from "../support/worker/captured-logs.ts";
import { advanceClockUntilDone, startFakeClock } from "../support/worker/clock.ts";

const PATH = "/v1/lancamentos?per_page=1";

afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

const expectUnavailable = async (response: Response) => {
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  await expectError(response, 503, "Service Unavailable", /^The database is unavailable\. Try again/);
};

describe("a statement", () => {
  it.each([
    ["refused", { kind: "refuse" }],
    ["HTML", { kind: "body", body: "<html>Bad gateway</html>" }],
    ["half a body", { kind: "body", body: '{"fields":[{"name":"body","dataTypeID":25}],"rows":[["{\\"da' }],
    ["another JSON shape", { kind: "body", body: "{}" }],
    ["500", { kind: "status", status: 500, body: "Internal error" }],
    ["429", { kind: "status", status: 429, body: "Too many connections" }],
    ["a redirect", { kind: "status", status: 302 }],
    ["an error without SQLSTATE", { kind: "status", status: 400, body: '{"message":"query was cancelled"}' }],
    ["out of connections", { kind: "status", status: 400, body: '{"message":"sorry","code":"53300"}' }],
    ["a deadlock of loaders", { kind: "status", status: 400, body: '{"message":"sorry","code":"40P01"}' }],
  ] as const)(
    "that fails gives 503 with Retry-After and our own message until the database recovers: %s (E2)",
    async (_, fault) => {
      await get(PATH);
      await breakDatabase(fault);
      await expectUnavailable(await get(PATH));
      expect(await databaseRequests()).toBeLessThanOrEqual(2);
      await mendDatabase();
      expect((await get(PATH)).status).toBe(200);
    },
  );

  it("is retried once after a lost connection (E2)", async () => {
    await get(PATH);
    await breakDatabase({ kind: "refuse", times: 1 });
    expect((await get(PATH)).status).toBe(200);
    expect(await databaseRequests()).toBe(2);
  });

  it("that hangs gives 503 and is not retried (E2)", async () => {
    await get(PATH);
    await breakDatabase({ kind: "hang" });
    startFakeClock();
    await expectUnavailable(await advanceClockUntilDone(get(PATH)));
    expect(await databaseRequests()).toBe(1);
  });

  it("over its time limit is a 503 that says to narrow the date range (E2)", async () => {
    await get(PATH);
    await breakDatabase({
      kind: "status",
      status: 400,
      body: '{"message":"canceling statement","code":"57014"}',
    });
    await expectError(await get(PATH), 503, "Service Unavailable", /Narrow the date range/);
    expect(await databaseRequests()).toBe(1);
  });

  it("whose result is too large for the driver gives 500 with the request id, is not retried and does not affect others (E2)", async () => {
    await get(PATH);
    for (let i = 0; i < 6; i += 1) {
      await breakDatabase({
        kind: "status",
        status: 507,
        body: "response is too large (max is 67108864 bytes)",
      });
      await expectError(await get(PATH), 500, "Internal Server Error", /request id [\w-]+\.$/);
      expect(await databaseRequests()).toBe(1);
    }
    await mendDatabase();
    expect((await get(PATH)).status).toBe(200);
  });

  it.each([
    ["28P01", "password authentication failed for user 'salon_api'"],
    ["28000", "role is not permitted to log in"],
    ["3D000", 'database "gone" does not exist'],
    ["55000", 'database "warehouse" is not currently accepting connections'],
  ])(
    "on a connection that Postgres refuses with SQLSTATE %s gives 503, and only the log has the SQLSTATE (E2, E9)",
    async (code, message) => {
      await get(PATH);
      await breakDatabase({ kind: "status", status: 400, body: JSON.stringify({ message, code }) });
      const response = await get(PATH);
      expect(response.headers.get("Retry-After")).toBe("2");
      await expectError(response, 503, "Service Unavailable", /^The database refuses the connection\./);
      expect(await databaseRequests()).toBe(1);
      expect(JSON.parse(logged.at(-1) ?? "{}")).toMatchObject({ status: 503, sqlstate: code });
    },
  );

  it("with an unexpected error is a 500 whose message has only the request id (E2)", async () => {
    await get(PATH);
    await breakDatabase({ kind: "status", status: 400, body: '{"message":"secret 123","code":"22023"}' });
    await expectError(
      await get(PATH, { "X-Request-Id": "find-me" }),
      500,
      "Internal Server Error",
      /request id find-me\.$/,
    );
  });
});

describe("the circuit breaker", () => {
  /** Sends requests to a database that is down until the breaker opens. */
  const openBreaker = async () => {
    await breakDatabase({ kind: "refuse" });
    for (let i = 0; i < 5; i += 1) await expectUnavailable(await get(PATH));
  };
  const advance = (ms: number) => vi.setSystemTime(Date.now() + ms);

  afterEach(async () => {
    await mendDatabase();
    advance(1000);
    expect((await get(PATH)).status).toBe(200);
    vi.useRealTimers();
  });

  it("refuses at once while it is open, and lets one request a second through as a probe (E2)", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await openBreaker();
    const before = await databaseRequests();
    for (let i = 0; i < 10; i += 1) await expectUnavailable(await get(PATH));
    expect(await databaseRequests()).toBe(before);
    advance(1000);
    for (let i = 0; i < 10; i += 1) await expectUnavailable(await get(PATH));
    expect(await databaseRequests()).toBe(before + 1);
  });

  it("closes with the first success, within a second of recovery (E2)", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await openBreaker();
    await mendDatabase();
    await expectUnavailable(await get(PATH));
    advance(1000);
    for (let i = 0; i < 10; i += 1) expect((await get(PATH)).status).toBe(200);
  });

  it("does not stay open when the clock jumps back an hour (E2)", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await openBreaker();
    await mendDatabase();
    advance(-3_600_000);
    expect((await get(PATH)).status).toBe(200);
  });

  it("does not open for an error that Postgres reports (E2)", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await breakDatabase({ kind: "status", status: 400, body: '{"message":"too long","code":"57014"}' });
    for (let i = 0; i < 10; i += 1) expect((await get(PATH)).status).toBe(503);
    expect(await databaseRequests()).toBe(10);
  });

  it("allows retries for at most a tenth of all statements (E2)", async () => {
    for (let i = 0; i < 110; i += 1) expect((await get(PATH)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"] });
    let retried = 0;
    for (let i = 0; i < 20; i += 1) {
      // The first attempt of each request fails.
      await breakDatabase({ kind: "refuse", times: 1 });
      await get(PATH);
      retried += Number((await databaseRequests()) === 2);
    }
    expect(retried).toBeGreaterThanOrEqual(10);
    expect(retried).toBeLessThanOrEqual(12);
  });
});

describe("a page of large records", () => {
  const LARGE = 60;
  afterEach(async () => {
    await sql`delete from lancamentos where estabelecimento_id = 'large'`;
  });

  it("is a 400 that asks for a smaller per_page, unless it has one record (E1)", async () => {
    // Random text, because repeated text would be compressed.
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
      select 'large-' || i, 'large', jsonb_build_object('x', (select string_agg(md5(random()::text || n), '') from generate_series(1, 3200) n))
      from generate_series(1, ${LARGE}::int) i`;
    for (const path of [
      "/v1/lancamentos?estabelecimento_id=large",
      "/v1/lancamentos?estabelecimento_id=large&after_id=0",
    ]) {
      await expectError(await get(path), 400, "Bad Request", /larger than 4 MiB.*`per_page`/);
      for (let i = 0; i < 6; i += 1) expect((await get(path)).status).toBe(400);
      const some = await get(`${path}&per_page=30`);
      expect(some.status).toBe(200);
      expect((await some.json<{ data: unknown[] }>()).data.length).toBe(30);
    }
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
      select 'large-one', 'large', jsonb_build_object('x', (select string_agg(md5(random()::text || n), '') from generate_series(1, 150000) n))`;
    expect((await get("/v1/lancamentos?estabelecimento_id=large&per_page=1")).status).toBe(200);
    expect((await get("/v1/lancamentos/large-one")).status).toBe(200);
    await expectError(
      await get("/v1/lancamentos?estabelecimento_id=large&per_page=2"),
      400,
      "Bad Request",
      /per_page/,
    );
  });

  // A server has a statement timeout of 7 s. Reading 68 MB takes 4 s of it while nothing else runs.
  it.skipIf(inject("isServer"))(
    "is served with one record of 30 MB; a record too large for the driver is a 500 and does not affect others (E1, E2)",
    {
      tags: ["slow"],
      timeout: 120_000,
    },
    async () => {
      const insert = (id: string, bytes: number) =>
        sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
        select ${id}, 'large', jsonb_build_object('x', repeat('x', ${bytes}::int))`;
      await insert("tens", 30_000_000);
      const tens = await get("/v1/lancamentos/tens");
      expect(tens.status).toBe(200);
      expect((await tens.text()).length).toBeGreaterThan(30_000_000);
      await insert("over", 68_000_000);
      const page = "/v1/lancamentos?estabelecimento_id=large";
      for (const path of [...Array<string>(4).fill("/v1/lancamentos/over"), `${page}&per_page=1`]) {
        await expectError(await get(path), 500, "Internal Server Error", /request id [\w-]+\.$/);
      }
      await expectError(await get(page), 400, "Bad Request", /larger than 4 MiB.*`per_page`/);
      expect((await get("/v1/produtos")).status).toBe(200);
    },
  );
});

describe("the database role of the API", () => {
  const asApi = neon(env.DATABASE_URL);

  it.each([
    "insert into users (email, name, password_hash) values ('x@example.com', 'X', 'x')",
    "update lancamentos set sent_to_salon = true",
    "delete from jobs_log",
    "truncate produtos",
    "drop table transacoes",
    "create table mine (id int)",
    "with gone as (delete from lancamentos returning id) select count(*) from gone",
  ])("cannot write: %s", async (statement) => {
    await expect(asApi.query(statement)).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|25006)$/),
    });
  });

  it("cannot write in a read-write transaction either", async () => {
    await expect(
      asApi.transaction([asApi`set local transaction read write`, asApi`delete from jobs_log`]),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|25001|25006)$/) });
  });

  it("has a statement timeout, is read-only and uses UTC (V3)", async () => {
    const settings =
      await asApi`select current_user::text as role, current_setting('statement_timeout') as timeout,
      current_setting('default_transaction_read_only') as read_only, current_setting('timezone') as zone`;
    expect(settings).toEqual([{ role: "salon_api", timeout: "7s", read_only: "on", zone: "UTC" }]);
  });

  it.runIf(inject("isServer"))("has its statements cancelled after the timeout", async () => {
    await expect(asApi`select pg_sleep(10)`).rejects.toMatchObject({ code: "57014" });
  });

  it("can read every table except those of accounts, OAuth clients, accesses and erasures", async () => {
    const tables = await sql`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_name not like '%rollup%' and table_name not like '%_expected'
        and table_name !~ '^(users|agent_tokens|oauth_clients|oauth_secrets|acessos|erasures|facts)$' order by 1`;
    expect(tables.length).toBe(21);
    for (const { name } of tables) await asApi.query(`select count(*) from ${name}`);
  });

  it.each([
    "select * from users",
    "select id from users",
    "select email from users",
    "select identity from users",
    "select count(*) from users",
    "select count(password_hash) from users",
    "select 1 from users where password_hash like '$scrypt%'",
    "select a.* from users u, login_account(u.email) a",
    "select a.* from users u, session_account(u.identity) a",
    "table users",
    "copy users to stdout",
    "table agent_tokens",
    "table oauth_clients",
    "table oauth_secrets",
    "select o.* from oauth_clients c, oauth_client(c.client_id) o",
    "select count(*) from agent_tokens",
    "select a.* from agent_tokens t, agent_account(t.hash) a",
  ])("cannot list users or tokens: %s", async (statement) => {
    await expect(asApi.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it("can execute only four functions with the rights of another role", async () => {
    const functions = await sql`select proname as name from pg_proc
      where prosecdef and prorettype <> 'trigger'::regtype and has_function_privilege('salon_api', oid, 'execute') order by 1`;
    expect(functions.map(({ name }) => name)).toEqual([
      "agent_account",
      "login_account",
      "oauth_client",
      "session_account",
    ]);
  });
});
