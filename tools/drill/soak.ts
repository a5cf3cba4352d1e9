import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { Client, Tokens } from "./client.ts";
import { brokenOf, type Drill, tally } from "./drill.ts";
import { startLoader } from "./loader.ts";
import { type Service, serve } from "./service.ts";
import { drifted, PER_SECOND, startSession, startTraffic } from "./traffic.ts";

const CHECK_EVERY_MS = 15_000;
/** A session renews once in so many checkpoints: well within the limit of its kind. */
const CHECKS_A_RENEWAL = 4;
/** What `wrangler.toml` gives a deployment. */
const LIMITS = { RATE_LIMIT_GLOBAL: "500", RATE_LIMIT_AUTH: "20" };
/** The ring of a counter, and room for the sessions of a user. */
const MOST_ROWS = 1024 + 100;

/** Totals of the API against independent SQL on the rows themselves, while nobody writes. */
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

/** How many rows each object keeps. The log of a stopped one is worked into its database first. */
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

/** Least squares slope of equally spaced values. */
const slope = (values: number[]): number => {
  const mid = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [above, below] = values.reduce(
    ([a, b], value, i) => [a + (i - mid) * (value - mean), b + (i - mid) ** 2],
    [0, 0],
  );
  return below === 0 ? 0 : above / below;
};

export const soak: Drill = {
  name: "soak",
  found:
    "Nothing to mend in the service. The drill itself counted the bytes of the local runtime's write-ahead logs, which are worked off when an object sleeps, and let one user without limits fill a counter: it reads as a hundred managers under the limits of a deployment, and counts rows.",
  async *run(service, { minutes }) {
    const { folder, databaseUrl, kept } = service;
    const { client, memoryMiB, storage, stop } = await serve(
      join(folder, "soak"),
      { ...LIMITS, DATABASE_URL: databaseUrl },
      kept,
    );
    const loader = await startLoader(service.ownerUrl);
    const session = await startSession(client);
    const traffic = await startTraffic(client, service);
    const memory: number[] = [];
    let wrong = 0;
    const ends = performance.now() + minutes * 60_000;
    while (performance.now() < ends) {
      await wait(Math.min(CHECK_EVERY_MS, ends - performance.now()));
      if (memory.length % CHECKS_A_RENEWAL === 0) await session.renew();
      await loader.pause();
      if (!(await checkTotals(service, client, session.tokens()))) wrong += 1;
      loader.resume();
      memory.push(memoryMiB());
      const left = Math.max(0, Math.round((ends - performance.now()) / 1000));
      console.error(`soak: ${traffic.answers.length} answers, ${memory.length} checkpoints, ${left} s to go`);
    }
    await traffic.end();
    await loader.end();
    await stop();
    const { answers } = traffic;
    const rows = rowsOfObjects(storage);
    const most = Math.max(...rows);
    const p99 = drifted(answers);
    const counted = [
      tally(answers.map(({ status }) => status)),
      `${session.renewals()} renewals`,
      `${loader.rows()} rows written`,
      `${memory.length} checkpoints, ${wrong} with a wrong total`,
      `p99 of a minute ${p99.early.toFixed(0)} ms in the first third, ${p99.late.toFixed(0)} in the last (${p99.percent.toFixed(0)} %)`,
      `memory ${memory.at(0)?.toFixed(0)} to ${memory.at(-1)?.toFixed(0)} MiB, slope ${((slope(memory) * 60_000) / CHECK_EVERY_MS).toFixed(2)} MiB a minute`,
      `${rows.length} objects keep ${rows.reduce((sum, one) => sum + one, 0)} rows, none more than ${most}`,
    ];
    yield {
      did: `${minutes} minutes of mixed traffic at ${PER_SECOND} requests/s, a loader writing beside it`,
      counted: counted.join("; "),
      broken: brokenOf({
        "no 5xx and no lost answer": answers.every(({ status }) => status > 0 && status < 500),
        "every total equal to independent SQL": wrong === 0,
        "the loader wrote": loader.rows() > 0,
        "storage of objects bounded": rows.length > 0 && most <= MOST_ROWS,
        // A few minutes are too noisy to tell a drift.
        "p99 drift under 10 %": minutes < 10 || p99.percent < 10,
      }),
    };
  },
};
