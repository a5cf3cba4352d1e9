import { env } from "cloudflare:workers";
import { neon } from "@neondatabase/serverless";
import { afterEach, describe, expect, inject, it } from "vitest";
import { breakDatabase, databaseRequests, expectError, get, mendDatabase, sql } from "../support/api.ts";

const PATH = "/v1/lancamentos?per_page=1";

afterEach(async () => {
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
    ["507", { kind: "status", status: 507, body: "response is too large" }],
    ["a redirect", { kind: "status", status: 302 }],
    ["an error without SQLSTATE", { kind: "status", status: 400, body: '{"message":"query was cancelled"}' }],
    ["out of connections", { kind: "status", status: 400, body: '{"message":"sorry","code":"53300"}' }],
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
    await expectUnavailable(await get(PATH));
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

  it("has a time limit on statements, reads only, and speaks UTC", async () => {
    const settings =
      await asApi`select current_user::text as role, current_setting('statement_timeout') as timeout,
      current_setting('default_transaction_read_only') as read_only, current_setting('timezone') as zone`;
    expect(settings).toEqual([{ role: "salon_api", timeout: "7s", read_only: "on", zone: "UTC" }]);
  });

  it.runIf(inject("isServer"))("is stopped after its time limit", async () => {
    await expect(asApi`select pg_sleep(10)`).rejects.toMatchObject({ code: "57014" });
  });

  it("reads all ten tables", async () => {
    const tables = await sql`select table_name as name from information_schema.tables
      where table_schema = 'public' order by 1`;
    expect(tables.map(({ name }) => name).filter((name) => !name.includes("_rollup"))).toEqual([
      "estabelecimentos",
      "jobs_log",
      "lancamentos",
      "pagamentos_erp",
      "produtos",
      "profissionais",
      "taxas_cartao",
      "transacoes",
      "users",
      "vendas_produto",
    ]);
    for (const { name } of tables) await asApi.query(`select count(*) from ${name}`);
  });
});
