// @module-tag slow
// @module-tag server
import type { IncomingMessage, ServerResponse } from "node:http";
import fc from "fast-check";
import type pg from "pg";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { insertRows } from "../../../oracle/rows.ts";
import { openMigrated } from "../../../support/node/databases.ts";
import { useWatch } from "../../../support/node/watch.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-11-23T12:00:00Z");
const ago = (ms: number, at = START) => new Date(at - ms).toISOString();

const bed = useWatch(() => openMigrated(process.env.TEST_DATABASE_URL));
const { requests, lines, addressOf, openEndpoint, start: startWatch } = bed;
let db: pg.Client;
beforeAll(() => {
  db = bed.db;
});

interface Problem {
  kind: string;
  name: string;
  since: string;
}
interface Alert {
  text: string;
  state: "problem" | "ok";
  problems: Problem[];
}

const alerts = (): Alert[] =>
  requests.filter(({ path }) => path === "/alert").map(({ body }) => JSON.parse(body));
const beats = () => requests.filter(({ path }) => path === "/beat").length;
const namesOf = ({ problems }: Alert) => problems.map(({ kind, name }) => `${kind} ${name}`).sort();

const SECRET_PATH = "/alert?key=secret-words";
const log = (job_name: string, status: string, created_at: string) =>
  insertRows(db, "jobs_log", [{ queue: "q", job_name, status, created_at, error: "private error" }]);
const JOBS = ["sync-transacoes", "send-receber", "send-pagar"];
const succeed = async (created_at: string, jobs = JOBS) => {
  for (const job of jobs) await log(job, "completed", created_at);
};

beforeEach(async () => {
  await db.query("truncate jobs_log, produtos");
});

describe("the watch", () => {
  it("announces each change of the problems once, and reminds once a day while one lasts (W1)", async () => {
    await succeed(ago(HOUR));
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert"), HEARTBEAT_URL: addressOf("/beat") });
    const sent: [hour: number, state: string, problems: string[]][] = [];
    for (let minutes = 0; minutes <= 40 * 60; minutes += 30) {
      const at = START + minutes * 60_000;
      // send-pagar fails at hours 4 and 5, and sync-transacoes stops after hour 8. It runs again from hour 39.
      if (minutes % 60 === 0) {
        const hour = minutes / 60;
        await succeed(ago(0, at), ["send-receber", ...(hour <= 8 || hour >= 39 ? ["sync-transacoes"] : [])]);
        await log("send-pagar", hour === 4 || hour === 5 ? "failed" : "completed", ago(0, at));
      }
      const before = alerts().length;
      await watch.run(at);
      for (const alert of alerts().slice(before)) sent.push([minutes / 60, alert.state, namesOf(alert)]);
    }
    expect(sent).toEqual([
      [4, "problem", ["failed send-pagar"]],
      [6, "ok", []],
      [11.5, "problem", ["late sync-transacoes"]],
      [35.5, "problem", ["late sync-transacoes"]],
      [39, "ok", []],
    ]);
    expect(alerts()[0]?.problems[0]?.since).toBe(
      new Date(START + 4 * HOUR).toISOString().replace(".000Z", "+00:00"),
    );
    expect(Date.parse(alerts()[3]?.problems[0]?.since ?? "")).toBe(START + 11 * HOUR);
    // Every run without a problem, and no other.
    expect(beats()).toBe(81 - 4 - 55);
  });

  it("keeps the other problems while the database does not answer (W1)", async () => {
    await succeed(ago(HOUR), ["sync-transacoes", "send-receber"]);
    await log("send-pagar", "failed", ago(HOUR));
    const lost = await openEndpoint();
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert"), DATABASE_URL: lost.url });
    await watch.run(START);
    await lost.close();
    await watch.run(START + 900_000);
    await watch.run(START + 1_800_000);
    expect(alerts().map(namesOf)).toEqual([
      ["failed send-pagar", "late send-pagar"],
      ["database database", "failed send-pagar", "late send-pagar"],
    ]);
    const [first, second] = alerts();
    const since = ({ problems }: Alert, kind: string) => problems.find((one) => one.kind === kind)?.since;
    // It never completed: the problem began with the run that found it.
    expect(first && since(first, "late")).toBe("2026-11-23T12:00:00.000+00:00");
    expect(second && since(second, "late")).toBe("2026-11-23T12:00:00.000+00:00");
    expect(second && since(second, "database")).toBe("2026-11-23T12:15:00.000+00:00");
  });

  it("counts a statement that fails as a database that does not answer, and logs its SQLSTATE (W1)", async () => {
    await succeed(ago(HOUR));
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert") });
    await watch.run(START);
    await db.query("alter table produtos rename to renamed");
    try {
      await watch.run(START + 900_000);
    } finally {
      await db.query("alter table renamed rename to produtos");
    }
    await watch.run(START + 1_800_000);
    expect(alerts().map(namesOf)).toEqual([["database database"], []]);
    await expect
      .poll(() => lines.map((line) => JSON.parse(line).sqlstate))
      .toEqual([undefined, "42P01", undefined]);
  });

  it("begins at the first failure after the last success, also within one instant (W1)", async () => {
    await succeed(ago(HOUR), ["sync-transacoes", "send-receber"]);
    for (const [status, ms] of [
      ["failed", HOUR],
      ["completed", HOUR],
      ["failed", HOUR - 300_000],
    ] as const)
      await log("send-pagar", status, ago(ms));
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert") });
    await watch.run(START);
    expect(alerts()[0]?.problems).toEqual([
      { kind: "failed", name: "send-pagar", since: "2026-11-23T11:05:00+00:00" },
    ]);
    await db.query("truncate jobs_log");
    await succeed(ago(HOUR), ["sync-transacoes", "send-receber"]);
    await log("send-pagar", "completed", "4000-01-01 BC");
    await watch.run(START);
    expect(alerts()[1]?.problems).toEqual([
      { kind: "late", name: "send-pagar", since: "2026-11-23T12:00:00.000+00:00" },
    ]);
  });

  it("finds what a plain oracle finds in random rows (W1)", async () => {
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert"), JOB_LATE_SECONDS: "7200" });
    const time = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -40, max: 1 }).map((hours) => START + hours * HOUR) },
      { weight: 1, arbitrary: fc.constantFrom(START - 7_200_000, START - 7_200_001, START - 8 * DAY) },
    );
    const row = fc.record({
      job_name: fc.constantFrom(...JOBS),
      status: fc.constantFrom("started", "completed", "failed"),
      at: time,
    });
    const product = fc.record({
      estabelecimento_id: fc.constantFrom("101", "102", "<!channel>&"),
      at: fc.constantFrom(START - 8 * DAY, START - 8 * DAY - 1000, START - 30 * DAY, START - DAY),
    });
    let announced: string[] = [];
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 8 }),
        fc.array(product, { maxLength: 4 }),
        async (rows, products) => {
          await db.query("truncate jobs_log, produtos");
          const jobRows = rows.map((one) => ({
            queue: "q",
            job_name: one.job_name,
            status: one.status,
            created_at: new Date(one.at).toISOString(),
          }));
          const productRows = products.map((one, n) => ({
            salon_id: `P${n}`,
            estabelecimento_id: one.estabelecimento_id,
            nome: "x",
            raw_data: {},
            synced_at: new Date(one.at).toISOString(),
          }));
          if (jobRows.length > 0) await insertRows(db, "jobs_log", jobRows);
          if (productRows.length > 0) await insertRows(db, "produtos", productRows);
          const expected: string[] = [];
          for (const job of JOBS) {
            const ended = rows
              .map((one, n) => ({ ...one, n }))
              .filter((one) => one.job_name === job && one.status !== "started")
              .sort((a, b) => a.at - b.at || a.n - b.n);
            const success = Math.max(
              ...ended.filter(({ status }) => status === "completed").map((one) => one.at),
            );
            if (START - success > 7_200_000) expected.push(`late ${job}`);
            if (ended.at(-1)?.status === "failed") expected.push(`failed ${job}`);
          }
          for (const unit of new Set(products.map((one) => one.estabelecimento_id))) {
            const newest = Math.max(
              ...products.filter((one) => one.estabelecimento_id === unit).map((one) => one.at),
            );
            if (START - newest > 8 * DAY) expected.push(`catalogue ${unit}`);
          }
          requests.length = 0;
          await watch.run(START);
          await watch.run(START);
          // Without a change, no message is sent.
          expect(alerts().length).toBeLessThanOrEqual(1);
          announced = alerts().map(namesOf).at(-1) ?? announced;
          expect(announced).toEqual(expected.sort());
        },
      ),
      { numRuns: 60, seed: inject("fuzzSeed") },
    );
  });
});

describe("a message", () => {
  it("has text without markup, the state and the problems, and no error of a job (W1)", async () => {
    await succeed(ago(HOUR), ["sync-transacoes", "send-receber"]);
    await log("send-pagar", "failed", ago(HOUR));
    await insertRows(
      db,
      "produtos",
      Array.from({ length: 40 }, (_, n) => ({
        salon_id: `P${n}`,
        estabelecimento_id: `<!channel> & ${n} ${"x".repeat(100)}`,
        nome: "x",
        raw_data: {},
        synced_at: ago(9 * DAY),
      })),
    );
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert") });
    await watch.run(START);
    const [alert] = alerts();
    expect(Object.keys(alert ?? {})).toEqual(["text", "state", "problems"]);
    expect(alert?.problems).toHaveLength(42);
    expect(alert?.text).toContain("Salon-to-ERP data service: 42 problems\n");
    expect(alert?.text).toContain("- send-pagar has failed since 2026-11-23T11:00:00+00:00\n");
    expect(alert?.text).toContain("&lt;!channel&gt; &amp; ");
    expect(alert?.text).toMatch(/\n- and \d\d more$/);
    expect(alert?.text.length).toBeLessThan(2000);
    expect(JSON.stringify([requests, lines])).not.toContain("private error");
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void, string]>([
    ["500", (_, response) => response.writeHead(500).end(), "status 500"],
    ["a redirect", (_, response) => response.writeHead(302, { Location: "/beat" }).end(), "status 302"],
    ["no response", (request) => request.socket.destroy(), "no response"],
  ])(
    "that gets %s is logged without its address and sent again by the next run (W1)",
    async (_, fail, logged) => {
      await succeed(ago(HOUR), ["sync-transacoes", "send-receber"]);
      const watch = await startWatch({ ALERT_WEBHOOK: addressOf(SECRET_PATH) });
      bed.answer = fail;
      for (let runs = 1; runs <= 3; runs += 1) {
        await watch.run(START + runs * 900_000);
        expect(requests).toHaveLength(runs);
      }
      bed.answer = (_request, response) => response.end();
      await watch.run(START + 4 * 900_000);
      await watch.run(START + 5 * 900_000);
      expect(requests).toHaveLength(4);
      await expect.poll(() => lines.length).toBe(5);
      const entries = lines.map((line) => JSON.parse(line));
      expect(entries.map(({ level, alert }) => [level, alert])).toEqual([
        ...Array(3).fill(["error", logged]),
        ["info", "delivered"],
        ["info", undefined],
      ]);
      expect(lines.join()).not.toMatch(/secret-words|127\.0\.0\.1/);
    },
  );

  it("that gets no response in ten seconds is sent again by the next run (W1)", async () => {
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert") });
    bed.answer = () => undefined;
    await watch.run(START);
    bed.answer = (_, response) => response.end();
    await watch.run(START + 900_000);
    await expect
      .poll(() => lines.map((line) => JSON.parse(line).alert))
      .toEqual(["no response", "delivered"]);
  });

  it("is sent once if several runs find the same change at the same time (W1)", async () => {
    const watch = await startWatch({ ALERT_WEBHOOK: addressOf("/alert") });
    bed.answer = (_, response) => void setTimeout(() => response.end(), 100);
    await Promise.all(Array.from({ length: 8 }, () => watch.run(START)));
    expect(requests).toHaveLength(1);
  });

  it("and the heartbeat are one request if they have the same address (W1)", async () => {
    await succeed(ago(HOUR), ["sync-transacoes", "send-receber"]);
    const both = { ALERT_WEBHOOK: addressOf("/alert"), HEARTBEAT_URL: addressOf("/alert") };
    const watch = await startWatch(both);
    await watch.run(START);
    await succeed(ago(0));
    await watch.run(START + 900_000);
    expect(requests.map(({ method }) => method)).toEqual(["POST", "POST"]);
    await watch.run(START + 1_800_000);
    expect(requests.map(({ method }) => method)).toEqual(["POST", "POST", "GET"]);
  });
});

it("nothing runs without an address: no statement, no line (W1)", async () => {
  const watch = await startWatch({ DATABASE_URL: "postgres://salon_api:-@127.0.0.1:1/none" });
  await watch.run(START);
  // A later line arrives after the lines of the run.
  await watch.ask("/health");
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(lines.map((line) => JSON.parse(line).route)).toEqual(["/health"]);
});

it("a wrong setting is logged by name, and nothing is requested (W1, E9)", async () => {
  const watch = await startWatch({
    ALERT_WEBHOOK: "http://hooks.example/secret-words",
    HEARTBEAT_URL: addressOf("/beat"),
  });
  await watch.run(START);
  expect(requests).toEqual([]);
  await expect.poll(() => lines.length).toBe(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "error",
    event: "watch",
    settings:
      "ALERT_WEBHOOK must be a URL that begins with https:// (http:// for loopback only), without user and password",
  });
  expect(lines.join()).not.toContain("secret-words");
});
