import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { Answer, Client, Tokens } from "./client.ts";
import { type Drill, failedOf, tally } from "./drill.ts";
import { startLoader } from "./loader.ts";
import { course, type Memory } from "./memory.ts";
import { type Service, serve } from "./service.ts";
import { PER_SECOND, p99, type Span, startSession, startTraffic } from "./traffic.ts";

const CHECK_EVERY_MS = 15_000;
/** The session renews once a minute, which is within the quota of `/auth`. */
const CHECKS_PER_RENEWAL = 60_000 / CHECK_EVERY_MS;
/** The share of the last third in which a fresh service warms up. */
const WARM_UP = 0.3;
const MEMORY_EVERY_MINUTES = 5;
const CHECKS_PER_MEMORY_SAMPLE = (MEMORY_EVERY_MINUTES * 60_000) / CHECK_EVERY_MS;
/** The limits of wrangler.toml. */
const LIMITS = { RATE_LIMIT_GLOBAL: "500", RATE_LIMIT_AUTH: "20" };
/** The ring buffer of a counter, plus the sessions of a user. */
const MAX_ROWS = 1024 + 100;

/** Compares totals of the API with independent SQL on the rows, while no loader writes. */
const checkTotals = async (service: Service, client: Client, tokens: Tokens): Promise<boolean> => {
  const headers = client.bearer(tokens);
  const total = async (path: string, read: (body: never) => unknown) =>
    String(read(JSON.parse((await client.ask(path, { headers })).body) as never));
  const sql = async (query: string) => String(Object.values((await service.owner.query(query)).rows[0])[0]);
  const pairs = await Promise.all([
    total("/v1/transacoes?per_page=1", (b: { pagination: { total: number } }) => b.pagination.total),
    total(
      "/v1/transacoes?sent_to_erp=false&per_page=1",
      (b: { pagination: { total: number } }) => b.pagination.total,
    ),
    total("/v1/relatorios/resumo", (b: { transacoes: { valor_total: number } }) =>
      b.transacoes.valor_total.toFixed(2),
    ),
    total(
      "/v1/relatorios/resumo?data_inicio=2026-02-03T13:00:00-03:00&data_fim=2026-09-09T10:00:00-03:00&estabelecimento_id=104",
      (b: { transacoes: { valor_total: number } }) => b.transacoes.valor_total.toFixed(2),
    ),
  ]);
  const expected = [
    await sql("select count(*) from transacoes"),
    await sql("select count(*) from transacoes where not sent_to_erp"),
    await sql("select sum(total) from transacoes"),
    await sql(`select sum(total) from transacoes where estabelecimento_id = '104'
      and data_hora between '2026-02-03T13:00:00-03:00' and '2026-09-09T10:00:00-03:00'`),
  ];
  return JSON.stringify(pairs) === JSON.stringify(expected);
};

/** The number of rows in each object. Checkpoints the write-ahead log first: the object has stopped. */
const rowsOfObjects = (storage: string): number[] =>
  readdirSync(storage, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite"))
    .flatMap((name) => {
      const db = new DatabaseSync(join(storage, name));
      db.exec("pragma wal_checkpoint(truncate)");
      const isObject = db.prepare("select 1 from sqlite_master where name = '_cf_KV'").get();
      const rows = isObject ? [Number(db.prepare("select count(*) as n from _cf_KV").get()?.n)] : [];
      db.close();
      return rows;
    });

/** The p99 of each third. For the last third also that of the fresh service, after its warm-up. */
const timesOf = (old: Answer[], fresh: Answer[], { from, to }: Span, busy: Span[]) => {
  const third = (to - from) / 3;
  const last = { from: to - third * (1 - WARM_UP), to };
  return {
    first: p99(old, { from, to: from + third }, busy),
    second: p99(old, { from: from + third, to: from + 2 * third }, busy),
    last: p99(old, last, busy),
    fresh: p99(fresh, last, busy),
  };
};

const startUnderTraffic = async (service: Service, name: string) => {
  const { folder, databaseUrl, captured } = service;
  const served = await serve(join(folder, name), { ...LIMITS, DATABASE_URL: databaseUrl }, captured);
  return { ...served, traffic: await startTraffic(served.client, service) };
};

/**
 * Runs traffic and a loader in parallel, with a checkpoint every few seconds. In the last third, a freshly started
 * service gets the same traffic, so that noise of the machine affects both.
 */
const underTraffic = async (service: Service, minutes: number) => {
  const old = await startUnderTraffic(service, "soak");
  let fresh: typeof old | undefined;
  const loader = await startLoader(service.ownerUrl);
  const session = await startSession(old.client);
  const [from, length] = [performance.now(), minutes * 60_000];
  const to = from + length;
  const memory: Memory[] = [];
  const busy: Span[] = [];
  let wrong = 0;
  for (let now = from; now < to; now = performance.now()) {
    await wait(Math.min(CHECK_EVERY_MS, to - now));
    const paused = performance.now();
    if (paused > from + (2 / 3) * length) fresh ??= await startUnderTraffic(service, "fresh");
    if (busy.length % CHECKS_PER_RENEWAL === 0) await session.renew();
    if (busy.length % CHECKS_PER_MEMORY_SAMPLE === 0) memory.push(await old.memory.collected());
    await loader.pause();
    if (!(await checkTotals(service, old.client, session.tokens()))) wrong += 1;
    loader.resume();
    busy.push({ from: paused, to: performance.now() });
    const left = Math.max(0, Math.round((to - performance.now()) / 1000));
    console.error(
      `soak: ${old.traffic.answers.length} responses, ${busy.length} checkpoints, ${left} s left`,
    );
  }
  await Promise.all([old.traffic.end(), fresh?.traffic.end()]);
  await loader.end();
  memory.push(await old.memory.collected());
  await Promise.all([old.stop(), fresh?.stop()]);
  const [oldAnswers, freshAnswers] = [old.traffic.answers, fresh?.traffic.answers ?? []];
  return {
    answers: [...oldAnswers, ...freshAnswers],
    times: timesOf(oldAnswers, freshAnswers, { from, to }, busy),
    rows: rowsOfObjects(old.storage),
    renewals: session.renewals(),
    written: loader.rows(),
    checks: busy.length,
    wrong,
    memory,
  };
};

export const soak: Drill = {
  name: "soak",
  findings:
    "No defects in the service. The drill itself had four, which are fixed. It counted bytes of the local runtime's write-ahead logs, which shrink when an object sleeps: now it counts rows. One user without limits filled a counter: now a hundred users read, under the limits of a deployment. It counted garbage as memory: now it collects garbage first. It compared the p99 of an early and a late third, which on a noisy machine differ by more than a tenth (19 % up in one run, 23 % down in another): now it compares with a service started later, under the same traffic.",
  async *run(service, { minutes }) {
    const { answers, times, rows, renewals, written, checks, wrong, memory } = await underTraffic(
      service,
      minutes,
    );
    const most = Math.max(...rows);
    const drift = (times.last / times.fresh - 1) * 100;
    // A run of one minute ends before a fresh service is warm.
    const comparison =
      times.fresh > 0
        ? `, compared with ${times.fresh.toFixed(0)} ms of a newly started service (${drift.toFixed(0)} %)`
        : "";
    const outcome = [
      tally(answers.map(({ status }) => status)),
      `${renewals} renewals`,
      `${written} rows written`,
      `${checks} checkpoints, ${wrong} with a wrong total`,
      `p99 ${times.first.toFixed(0)} ms in the first third, ${times.second.toFixed(0)} ms in the second, ${times.last.toFixed(0)} ms in the last${comparison}`,
      `after garbage collections: Worker heap ${course(memory, "worker", MEMORY_EVERY_MINUTES)}, process ${course(memory, "process", MEMORY_EVERY_MINUTES)}`,
      `${rows.length} objects store ${rows.reduce((sum, one) => sum + one, 0)} rows, at most ${most} each`,
    ];
    yield {
      action: `${minutes} minutes of mixed traffic at ${PER_SECOND} requests/s, while a loader writes`,
      outcome: outcome.join("; "),
      failed: failedOf({
        "only 200, 400 and 404": answers.every(({ status }) => [200, 400, 404].includes(status)),
        "every total equals independent SQL": wrong === 0,
        "the loader wrote": written > 0,
        "the storage of objects is bounded": rows.length > 0 && most <= MAX_ROWS,
        // The p99 of a few minutes is too noisy to show drift.
        "p99 drift under 10 %": minutes < 10 || drift < 10,
      }),
    };
  },
};
