import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { checked } from "../bench/figures.ts";
import { startService } from "../bench/service.ts";
import { VARS } from "../local/runtime.ts";
import { tokens } from "../local/tokens.ts";
import { quantile } from "../results.ts";
import { connected } from "../warehouse/databases.ts";
import { type Answer, askSteadily, type Drill, tally } from "./drill.ts";
import { growthOf, type Memory, memoryAfterCollection } from "./memory.ts";

/** Shows what only time shows: memory that leaks, Durable Objects that keep rows, answers that become slower. */

/** Memory is read before and after each part. Readers get new tokens in each, before the old ones expire. */
const PARTS = 6;
/** The ring buffer of a counter, plus the sessions of a user. */
const MAX_ROWS = 1024 + 100;
/** Half of what a leak of 320 bytes per request adds to the heap in a minute. */
const LEAK_MIB = 0.18;

const PATHS = [
  "/v1/transacoes?per_page=20",
  "/v1/transacoes?estabelecimento_id=103&page=7",
  "/v1/transacoes?data_inicio=2026-01-01T00:00:00-03:00&data_fim=2026-06-30T23:59:59-03:00",
  "/v1/lancamentos?after_id=0&per_page=100",
  "/v1/pagamentos-erp?situacao=1&per_page=10",
  "/v1/vendas-produto?origem=loja",
  "/v1/produtos?nome=shampoo",
  "/v1/relatorios/resumo",
  "/v1/relatorios/transacoes-por-profissional",
  "/v1/transacoes/T77",
  "/v1/lancamentos/none",
  "/v1/transacoes?per_page=0",
  "/auth/me",
  "/health",
  "/llms.txt",
];

/** Writes visits as the salon system's loader does, until `isOver`. @returns the number of rows */
const load = (databaseUrl: string, isOver: () => boolean): Promise<number> =>
  connected(databaseUrl, async (db) => {
    let rows = 0;
    while (!isOver()) {
      const at = Date.now();
      await db.query(
        `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, servicos, raw_data)
         select 'S' || $1::bigint || '-' || i, (101 + i % 6)::text, i + 0.37, now() - random() * interval '400 days',
           (array['Pix', 'Dinheiro', null])[1 + i % 3],
           jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', 5001 + i % 40)), '{}'
         from generate_series(1, 20) i`,
        [at],
      );
      await db.query(
        `update transacoes set sent_to_erp = not sent_to_erp
         where id in (select id from transacoes order by random() limit 10)`,
      );
      await db.query("delete from transacoes where salon_id like 'S%' and id % 7 = $1", [at % 7]);
      rows += 30;
      await wait(500);
    }
    return rows;
  });

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

const p99 = (answers: Answer[]): string =>
  quantile(
    answers.map(({ ms }) => ms),
    0.99,
  ).toFixed(0);

const course = (samples: Memory[], kind: keyof Memory): string =>
  samples.map((one) => one[kind].toFixed(1)).join(", ");

export const soak: Drill = async function* (databaseUrl, { short, minutes }) {
  // The short run shares the machine with other steps: a rate that it cannot serve would only grow a queue.
  const perSecond = short ? 5 : 20;
  // The limits of a deployment: a counter stores no more than its quota.
  const { RATE_LIMIT_GLOBAL, RATE_LIMIT_AUTH } = VARS;
  const limits = { RATE_LIMIT_GLOBAL: `${RATE_LIMIT_GLOBAL}`, RATE_LIMIT_AUTH: `${RATE_LIMIT_AUTH}` };
  const service = await startService(databaseUrl, { settings: limits, hasInspector: true });
  let isOver = false;
  const loading = load(databaseUrl, () => isOver);
  let readers = await tokens(100);
  const { answers, end } = askSteadily(perSecond, (n) => [
    service.url + PATHS[n % PATHS.length],
    readers[n % readers.length] ?? "",
  ]);
  const memory: Memory[] = [];
  const rows: number[] = [];
  const sample = async () => memory.push(await memoryAfterCollection(service.inspector, service.pid));
  try {
    for (let part = 0; part < PARTS; part += 1) {
      await sample();
      readers = await tokens(100);
      console.error(`soak: part ${part + 1} of ${PARTS}, ${answers.length} responses`);
      await wait((minutes * 60_000) / PARTS);
    }
    await sample();
  } finally {
    await end();
    isOver = true;
    await loading;
    await service.stop((storage) => rows.push(...rowsOfObjects(storage)));
  }
  const third = Math.floor(answers.length / 3);
  const growth = (growthOf(memory, "worker") * PARTS) / minutes;
  const outcome = [
    tally(answers.map(({ status }) => status)),
    `${await loading} rows written`,
    `p99 ${p99(answers.slice(0, third))} ms in the first third, ${p99(answers.slice(-third))} ms in the last`,
    `Worker heap ${course(memory, "worker")} MiB, process ${course(memory, "process")} MiB`,
    `${rows.length} objects store at most ${Math.max(...rows)} rows each`,
  ];
  yield checked(
    `${minutes} minutes of mixed traffic at ${perSecond} requests/s, while a loader writes`,
    {
      "only 200, 400 and 404": answers.every(({ status }) => [200, 400, 404].includes(status)),
      "the loader wrote": (await loading) > 0,
      "the storage of objects is bounded": rows.length > 0 && Math.max(...rows) <= MAX_ROWS,
      // Until its first window of 15 minutes is over, a counter grows.
      "the Worker's heap does not leak": minutes < 30 || growth < LEAK_MIB,
    },
    outcome.join("; "),
  );
};
