// @module-tag slow
// @module-tag server
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { bundle } from "../../../tools/local/bundle.ts";
import { type NeonEndpoint, startNeonEndpoint } from "../../../tools/local/neon-endpoint/server.ts";
import { SETTINGS, startRuntime } from "../../../tools/local/runtime.ts";
import { type Database, openDemo } from "../../support/node/databases.ts";

// The embedded Postgres has one session, so that the role of the service would keep the test from reading.
const [SESSIONS, READER, AUDITOR] = inject("isServer")
  ? [10, "salon_api", "salon_audit"]
  : [1, "postgres", "postgres"];

const folder = mkdtempSync(join(tmpdir(), "recording-"));
let database: Database;
let db: pg.Client;
let endpoint: NeonEndpoint;
let audit: NeonEndpoint;
let service: Awaited<ReturnType<typeof startRuntime>>;
let Authorization: string;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  database = await openDemo(process.env.TEST_DATABASE_URL, 400);
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  const open = () => startNeonEndpoint({ url: database.url, sessions: SESSIONS, roles: [READER, AUDITOR] });
  [endpoint, audit] = [await open(), await open()];
  bundle(folder);
  service = await startRuntime(
    folder,
    { ...SETTINGS, DATABASE_URL: endpoint.urlOf(READER), AUDIT_DATABASE_URL: audit.urlOf(AUDITOR) },
    { unsafeTriggerHandlers: true, handleStructuredLogs: ({ message }) => lines.push(JSON.parse(message)) },
  );
  const response = await fetch(new URL("/auth/login", service.url), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "demo@example.com", password: "demo-password" }),
  });
  const { access_token } = (await response.json()) as { access_token: string };
  Authorization = `Bearer ${access_token}`;
});
afterAll(async () => {
  await service?.runtime.dispose();
  await audit?.close();
  await endpoint?.close();
  await db?.end();
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

const get = (id: string, init: RequestInit = {}, path = "/v1/transacoes?per_page=5") =>
  fetch(new URL(path, service.url), { ...init, headers: { Authorization, "X-Request-Id": id } });

/** The ids of requests that left a trace: a row, or the log line of an insert that failed. */
const traces = async (prefix: string) => {
  const { rows } = await db.query("select request_id from acessos where request_id like $1", [`${prefix}-%`]);
  const failed = lines.filter(({ event }) => event === "access").map(({ request }) => String(request));
  return {
    recorded: rows.map(({ request_id }) => request_id as string),
    failed: failed.filter((id) => id.startsWith(prefix)),
  };
};

const withoutTrace = async (prefix: string, ids: string[]) => {
  const { recorded, failed } = await traces(prefix);
  const found = new Set([...recorded, ...failed]);
  return ids.filter((id) => !found.has(id));
};

describe("a reader who wants to leave no trace", () => {
  /** @returns the ids of the requests that were answered with data */
  const answered = async (prefix: string, count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
    const read = async (id: string) => {
      const response = await get(id).catch(() => undefined);
      await response?.arrayBuffer().catch(() => undefined);
      return response?.status === 200 ? [id] : [];
    };
    return (await Promise.all(ids.map(read))).flat();
  };

  it("leaves one with each of 2,000 parallel requests that is answered (A15)", async () => {
    // Most are refused with a 503, because the database has few sessions.
    const ids = await answered("parallel", 2000);
    expect(ids.length).toBeGreaterThan(0);
    await expect.poll(() => withoutTrace("parallel", ids), { timeout: 60_000, interval: 500 }).toEqual([]);
    // The breaker of the flood closes again.
    await expect.poll(async () => (await get("calm-1")).status, { timeout: 60_000 }).toBe(200);
  });

  it("leaves one with each of 500 requests, of which 25 are parallel (A15)", async () => {
    const ids: string[] = [];
    for (let wave = 0; wave < 20; wave += 1) ids.push(...(await answered(`wave-${wave}`, 25)));
    expect(ids.length).toBeGreaterThan(400);
    await expect.poll(() => withoutTrace("wave", ids), { timeout: 60_000, interval: 500 }).toEqual([]);
  });

  it("leaves one after hanging up, as soon as the first byte was sent (A15)", async () => {
    const received: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      const id = `headers-${n}`;
      const controller = new AbortController();
      const response = await get(id, { signal: controller.signal });
      controller.abort();
      if (response.status === 200) received.push(id);
    }
    expect(received.length).toBeGreaterThan(30);
    await expect.poll(() => withoutTrace("headers", received), { timeout: 30_000 }).toEqual([]);
  });

  it("leaves one after hanging up at any time, if the service has finished the answer (A15)", async () => {
    for (let n = 0; n < 100; n += 1) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), n / 4);
      await get(`early-${n}`, { signal: controller.signal }).catch(() => undefined);
    }
    const finished = () =>
      lines.filter(({ request, status }) => String(request).startsWith("early-") && status === 200);
    await expect
      .poll(
        () =>
          withoutTrace(
            "early",
            finished().map(({ request }) => String(request)),
          ),
        { timeout: 30_000 },
      )
      .toEqual([]);
    console.log(`${finished().length} finished of 100, ${(await traces("early")).recorded.length} recorded`);
  });

  it("leaves one with HEAD over the network (A15)", async () => {
    expect((await get("head-1", { method: "HEAD" })).status).toBe(200);
    await expect.poll(() => withoutTrace("head", ["head-1"])).toEqual([]);
  });
});

describe("an audit database that is away", () => {
  it("changes no answer, is said in each run of the watch, and records again when it is back (A15)", async () => {
    const { port } = audit;
    await audit.close();
    const watch = async () => {
      lines.length = 0;
      await fetch(new URL("/cdn-cgi/local/scheduled?time=1795435200000", service.url));
      return lines.filter(({ event }) => event === "watch");
    };
    for (let run = 1; run <= 2; run += 1)
      expect(await watch()).toMatchObject([{ level: "error", audit: expect.any(String) }]);
    const ids = Array.from({ length: 50 }, (_, n) => `away-${n}`);
    const statuses = await Promise.all(ids.map(async (id) => (await get(id)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await expect.poll(() => withoutTrace("away", ids), { timeout: 60_000 }).toEqual([]);
    expect((await traces("away")).recorded).toEqual([]);
    expect(lines.find(({ event }) => event === "access")).toMatchObject({
      level: "error",
      request: expect.stringMatching(/^away-/),
      route: "/v1/transacoes",
      user: expect.any(Number),
    });
    audit = await startNeonEndpoint(
      { url: database.url, sessions: SESSIONS, roles: [AUDITOR] },
      undefined,
      port,
    );
    await get("back-1");
    await expect.poll(() => withoutTrace("back", ["back-1"])).toEqual([]);
    expect((await traces("back")).recorded).toEqual(["back-1"]);
    expect(await watch()).toEqual([]);
  });
});
