// @module-tag server
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { afterEach, describe, expect, inject, it } from "vitest";
import { recordAccess } from "../../../src/access/audit/record.ts";
import type { AppEnv } from "../../../src/core/context.ts";
import { settingsOf } from "../../../src/core/settings.ts";
import { breakDatabase, DEMO, databaseRequests, mendDatabase, sql } from "../../support/worker/api.ts";
import { ask, rowsOf, select, useReader } from "../../support/worker/audit.ts";
import { logged } from "../../support/worker/captured-logs.ts";

useReader();
afterEach(async () => {
  await mendDatabase();
});

describe("the insert", () => {
  const host = new URL("https://api.audit.test").hostname;
  const lines = () => logged.map((line) => JSON.parse(line)).filter(({ event }) => event === "access");

  it("is tried once more after a failure (A15)", async () => {
    await breakDatabase({ kind: "refuse", times: 1, host });
    const { id } = await ask("/v1/transacoes");
    await expect.poll(() => select(id)).toHaveLength(1);
    expect(await databaseRequests()).toBe(2);
  });

  it("that fails changes no answer, and leaves one log line with request, route and user (A15)", async () => {
    const before = await ask("/v1/transacoes");
    expect(await rowsOf(before.id)).toHaveLength(1);
    await breakDatabase({
      kind: "status",
      status: 400,
      body: '{"message":"a secret","code":"42501"}',
      host,
    });
    logged.length = 0;
    const { response, body, id } = await ask("/v1/transacoes");
    expect(response.status).toBe(200);
    expect(body).toBe(before.body);
    expect([...response.headers.keys()]).toEqual([...before.response.headers.keys()]);
    await expect.poll(lines).toHaveLength(1);
    expect(await databaseRequests()).toBe(2);
    const [user] = await sql`select id from users where email = ${DEMO.email}`;
    expect(lines()).toEqual([
      {
        level: "error",
        version: "local",
        event: "access",
        request: id,
        route: "/v1/transacoes",
        user: Number(user?.id),
        sqlstate: "42501",
        error: "NeonDbError",
      },
    ]);
    await mendDatabase();
    expect(await select(id)).toEqual([]);
  });

  it("that fails many times leaves the database of the answers in use (A15, E2)", async () => {
    await breakDatabase({ kind: "refuse", host });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("/v1/transacoes?per_page=1")));
    expect(new Set(answers.map(({ response }) => response.status))).toEqual(new Set([200]));
  });

  it("with a wrong URL is said once, and the service serves (A15)", async () => {
    for (const url of ["nonsense", "https://x", "postgres://host"]) {
      logged.length = 0;
      const { response, id } = await ask("/v1/transacoes", { settings: { AUDIT_DATABASE_URL: url } });
      expect(response.status, url).toBe(200);
      const ofRequest = () => lines().filter(({ request }) => request === id);
      await expect.poll(ofRequest).toMatchObject([{ error: "SettingsError" }]);
      expect(JSON.stringify(lines())).not.toContain(url);
    }
  });

  it("beyond 200 that wait in an isolate is a log line at once (A15)", async () => {
    await breakDatabase({ kind: "hang", host });
    logged.length = 0;
    const settings = settingsOf({ ...env, AUDIT_DATABASE_URL: inject("auditUrl") });
    const answers = new Hono<AppEnv>().use(recordAccess).get("/", (c) => {
      c.set("settings", settings);
      const body = new Uint8Array();
      c.set("access", { route: "/", record: undefined, clienteId: undefined, isCsv: false, body });
      return c.body(null);
    });
    for (let n = 0; n < 210; n += 1) await answers.request("/", {}, env, createExecutionContext());
    const refused = () => lines().filter(({ error }) => error === "TooManyInserts").length;
    await expect.poll(refused).toBeGreaterThanOrEqual(10);
  });
});
