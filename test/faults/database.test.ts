// @module-tag server
import { env } from "cloudflare:workers";
import { neon } from "@neondatabase/serverless";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { breakDatabase, databaseRequests, expectError, get, mendDatabase, sql } from "../support/api.ts";
import { logged } from "../support/captured-logs.ts";
import { hurried, stopTimers } from "../support/clock.ts";

const PATH = "/v1/lancamentos?per_page=1";

afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

const expectUnavailable = async (response: Response) => {
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  await expectError(response, 503, "Service Unavailable", /^The database does not answer\. Try again/);
};

describe("the database", () => {
  it.each([
    ["refused", { kind: "refuse" }],
    ["HTML", { kind: "body", body: "<html>Bad gateway</html>" }],
    ["half a body", { kind: "body", body: '{"fields":[{"name":"body","dataTypeID":25}],"rows":[["{\\"da' }],
    ["another shape", { kind: "body", body: "{}" }],
    ["500", { kind: "status", status: 500, body: "Internal error" }],
    ["429", { kind: "status", status: 429, body: "Too many connections" }],
    ["a redirect", { kind: "status", status: 302 }],
    ["an error without SQLSTATE", { kind: "status", status: 400, body: '{"message":"query was cancelled"}' }],
    ["out of connections", { kind: "status", status: 400, body: '{"message":"sorry","code":"53300"}' }],
    ["a deadlock of loaders", { kind: "status", status: 400, body: '{"message":"sorry","code":"40P01"}' }],
  ] as const)(
    "%s: 503 with Retry-After, no driver's message, and well again at once (E2)",
    async (_, fault) => {
      await get(PATH);
      await breakDatabase(fault);
      await expectUnavailable(await get(PATH));
      expect(await databaseRequests()).toBeLessThanOrEqual(2);
      await mendDatabase();
      expect((await get(PATH)).status).toBe(200);
    },
  );

  it("a connection lost once is tried once more (E2)", async () => {
    await get(PATH);
    await breakDatabase({ kind: "refuse", times: 1 });
    expect((await get(PATH)).status).toBe(200);
    expect(await databaseRequests()).toBe(2);
  });

  it("frozen: 503, and not tried again (E2)", async () => {
    await get(PATH);
    await breakDatabase({ kind: "hang" });
    stopTimers();
    await expectUnavailable(await hurried(get(PATH)));
    expect(await databaseRequests()).toBe(1);
  });

  it("a statement over its time limit: 503 with advice to narrow the range (E2)", async () => {
    await get(PATH);
    await breakDatabase({
      kind: "status",
      status: 400,
      body: '{"message":"canceling statement","code":"57014"}',
    });
    await expectError(await get(PATH), 503, "Service Unavailable", /narrow the date range/);
    expect(await databaseRequests()).toBe(1);
  });

  it("an answer over what the driver carries: 500 that names the request, asked for once, and everybody else is served", async () => {
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
  ])("%s, a sign-in that fails: 503 that keeps the reason for the log (E2)", async (code, message) => {
    await get(PATH);
    await breakDatabase({ kind: "status", status: 400, body: JSON.stringify({ message, code }) });
    const response = await get(PATH);
    expect(response.headers.get("Retry-After")).toBe("2");
    await expectError(response, 503, "Service Unavailable", /^The database does not let this service in\./);
    expect(await databaseRequests()).toBe(1);
    expect(JSON.parse(logged.at(-1) ?? "{}")).toMatchObject({ status: 503, sqlstate: code });
  });

  it("an error nobody foresaw: 500 that names the request, and nothing else (E2)", async () => {
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

describe("the breaker", () => {
  /** Requests that find the database down, until the breaker opens. */
  const takeDown = async () => {
    await breakDatabase({ kind: "refuse" });
    for (let i = 0; i < 5; i += 1) await expectUnavailable(await get(PATH));
  };
  const clock = (ms: number) => vi.setSystemTime(Date.now() + ms);

  afterEach(async () => {
    await mendDatabase();
    clock(1000);
    expect((await get(PATH)).status).toBe(200);
    vi.useRealTimers();
  });

  it("once open, refuses at once and leaves the database alone; one request a second is a probe (E2)", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await takeDown();
    const before = await databaseRequests();
    for (let i = 0; i < 10; i += 1) await expectUnavailable(await get(PATH));
    expect(await databaseRequests()).toBe(before);
    clock(1000);
    for (let i = 0; i < 10; i += 1) await expectUnavailable(await get(PATH));
    expect(await databaseRequests()).toBe(before + 1);
  });

  it("closes with the first answer, within a second of recovery (E2)", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await takeDown();
    await mendDatabase();
    await expectUnavailable(await get(PATH));
    clock(1000);
    for (let i = 0; i < 10; i += 1) expect((await get(PATH)).status).toBe(200);
  });

  it("a clock that jumps back an hour does not keep it open", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await takeDown();
    await mendDatabase();
    // Within the life of the token, which has not begun an hour ago.
    clock(-3_600_000);
    expect((await get(PATH)).status).toBe(200);
  });

  it("an error that Postgres explains does not open it", async () => {
    await get(PATH);
    vi.useFakeTimers({ toFake: ["Date"] });
    await breakDatabase({ kind: "status", status: 400, body: '{"message":"too long","code":"57014"}' });
    for (let i = 0; i < 10; i += 1) expect((await get(PATH)).status).toBe(503);
    expect(await databaseRequests()).toBe(10);
  });

  it("retries are a tenth of all statements at most (E2)", async () => {
    for (let i = 0; i < 110; i += 1) expect((await get(PATH)).status).toBe(200);
    vi.useFakeTimers({ toFake: ["Date"] });
    let retried = 0;
    for (let i = 0; i < 20; i += 1) {
      // The first try of each fails.
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

  it("is refused with advice, unless it is one record (no Worker carries 20 MB) (E1)", async () => {
    // Random text, as the same letter over and over would be compressed away.
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

  it("one of tens of MB is served; one over what the driver carries is a 500, and everybody else is served", {
    tags: ["slow"],
    timeout: 120_000,
  }, async () => {
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
  });
});

describe("the API's role", () => {
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

  it("cannot write outside a read-only transaction either", async () => {
    await expect(
      asApi.transaction([asApi`set local transaction read write`, asApi`delete from jobs_log`]),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|25001|25006)$/) });
  });

  it("has a time limit on statements, reads only, and speaks UTC (V3)", async () => {
    const settings =
      await asApi`select current_user::text as role, current_setting('statement_timeout') as timeout,
      current_setting('default_transaction_read_only') as read_only, current_setting('timezone') as zone`;
    expect(settings).toEqual([{ role: "salon_api", timeout: "7s", read_only: "on", zone: "UTC" }]);
  });

  it.runIf(inject("isServer"))("is stopped after its time limit", async () => {
    await expect(asApi`select pg_sleep(10)`).rejects.toMatchObject({ code: "57014" });
  });

  it("reads every table of the warehouse but users and their agent tokens", async () => {
    const tables = await sql`select table_name as name from information_schema.tables
      where table_schema = 'public' and table_name not like '%rollup%' and table_name not in ('users', 'agent_tokens') order by 1`;
    expect(tables.length).toBe(14);
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
    "select count(*) from agent_tokens",
    "select a.* from agent_tokens t, agent_account(t.hash) a",
  ])("cannot list users or tokens: %s", async (statement) => {
    await expect(asApi.query(statement)).rejects.toMatchObject({ code: "42501" });
  });

  it("reads one hash, of an e-mail it is given", async () => {
    expect(await asApi.query("select email, password_hash from login_account('demo@example.com')")).toEqual([
      { email: "demo@example.com", password_hash: expect.stringMatching(/^\$scrypt\$/) },
    ]);
    expect(await asApi.query("select email from login_account('%')")).toEqual([]);
  });

  it("reads one account without its hash, of an identity it is given", async () => {
    const [{ identity } = {}] = await sql`select identity from users where email = 'demo@example.com'`;
    expect(await asApi`select * from session_account(${identity})`).toEqual([
      { id: "1", identity, email: "demo@example.com", name: "Demo", ativo: true, session_number: "0" },
    ]);
    expect(await asApi`select * from session_account(${crypto.randomUUID()})`).toEqual([]);
    expect(await asApi`select * from session_account(null)`).toEqual([]);
  });

  it("runs as somebody else in three functions only, each of which answers one row at most", async () => {
    const functions = await sql`select proname as name from pg_proc
      where prosecdef and prorettype <> 'trigger'::regtype and has_function_privilege('salon_api', oid, 'execute') order by 1`;
    expect(functions.map(({ name }) => name)).toEqual(["agent_account", "login_account", "session_account"]);
  });
});
