import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { childrenNamed, residentMiB } from "../local/processes.ts";
import { bundle, startRuntime } from "../local/runtime.ts";
import { type Answer, type Client, createClient, type Tokens } from "./client.ts";
import { brokenOf, type Drill, quantile, tally } from "./drill.ts";
import { startLoader } from "./loader.ts";
import type { Service } from "./service.ts";

const PER_SECOND = 20;
const CHECK_EVERY_MS = 15_000;
/** A session renews once in so many checkpoints: well within the limit of its kind. */
const CHECKS_A_RENEWAL = 4;
/** What `wrangler.toml` gives a deployment. */
const LIMITS = { RATE_LIMIT_GLOBAL: "500", RATE_LIMIT_AUTH: "20" };
/** The ring of a counter, and room for the sessions of a user. */
const MOST_ROWS = 1024 + 100;
/** Readers get new tokens before the old ones end. */
const NEW_TOKENS_EVERY_MS = 600_000;

const PATHS = [
  "/v1/transacoes?per_page=20",
  "/v1/transacoes?estabelecimento_id=103&page=7",
  "/v1/transacoes?data_inicio=2026-01-01T00:00:00-03:00&data_fim=2026-06-30T23:59:59-03:00",
  "/v1/lancamentos?after_id=0&per_page=100",
  "/v1/lancamentos?sent_to_salon=false",
  "/v1/pagamentos-erp?situacao=1&per_page=10",
  "/v1/vendas-produto?origem=loja",
  "/v1/produtos?nome=shampoo",
  "/v1/profissionais",
  "/v1/jobs-log?status=failed",
  "/v1/relatorios/resumo",
  "/v1/relatorios/transacoes-por-profissional",
  "/v1/relatorios/transacoes-por-forma-pagamento?estabelecimento_id=102",
  "/v1/transacoes/T77",
  "/v1/lancamentos/none",
  "/v1/transacoes?per_page=0",
  "/auth/me",
  "/health",
  "/llms.txt",
];

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

/** The service on storage of its own and with the limits of a deployment. */
const startLimited = async ({ folder, databaseUrl, kept }: Service) => {
  const runs = join(folder, "soak");
  bundle(runs);
  const bindings = { ...LIMITS, DATABASE_URL: databaseUrl };
  const { runtime, url } = await startRuntime(runs, bindings, (line) => kept.said.push(line));
  const pid = childrenNamed("workerd").at(-1) ?? 0;
  return {
    client: createClient((path, init) => fetch(url.origin + path, init), kept),
    memoryMiB: () => residentMiB(pid),
    storage: join(runs, "storage"),
    stop: () => runtime.dispose(),
  };
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

/** The slowest hundredth of each minute: one of them alone tells more of the machine than of the service. */
const p99ByMinute = (answers: Answer[]): number[] => {
  const perMinute = PER_SECOND * 60;
  return Array.from({ length: Math.max(1, Math.floor(answers.length / perMinute)) }, (_, minute) =>
    quantile(
      answers.slice(minute * perMinute, (minute + 1) * perMinute).map(({ ms }) => ms),
      0.99,
    ),
  );
};

export const soak: Drill = {
  name: "soak",
  found:
    "Nothing to mend in the service. The drill itself counted the bytes of the local runtime's write-ahead logs, which are worked off when an object sleeps, and let one user without limits fill a counter: it reads as a hundred managers under the limits of a deployment, and counts rows.",
  async *run(service, { minutes }) {
    const { client, memoryMiB, storage, stop } = await startLimited(service);
    const loader = await startLoader(service.ownerUrl);
    let session: Tokens = await client.signIn();
    let readers = await service.readers();
    let readersSince = performance.now();
    const answers: Answer[] = [];
    const memory: number[] = [];
    let checks = 0;
    let wrong = 0;
    let renewals = 0;
    let n = 0;
    const ends = performance.now() + minutes * 60_000;
    const pending = new Set<Promise<unknown>>();
    const timer = setInterval(() => {
      const path = PATHS[n % PATHS.length] ?? "/health";
      const Authorization = readers[n % readers.length] ?? "";
      n += 1;
      const asking = client.ask(path, { headers: { Authorization } }).then((answer) => answers.push(answer));
      pending.add(asking);
      asking.finally(() => pending.delete(asking));
    }, 1000 / PER_SECOND);
    while (performance.now() < ends) {
      await wait(Math.min(CHECK_EVERY_MS, ends - performance.now()));
      if (checks % CHECKS_A_RENEWAL === 0) {
        session = await client.refresh(session);
        renewals += 1;
        if (renewals % 4 === 0) {
          answers.push(await client.logout(session));
          session = await client.signIn();
        }
      }
      if (performance.now() - readersSince > NEW_TOKENS_EVERY_MS) {
        readers = await service.readers();
        readersSince = performance.now();
      }
      await loader.pause();
      checks += 1;
      if (!(await checkTotals(service, client, session))) wrong += 1;
      loader.resume();
      memory.push(memoryMiB());
      console.error(
        `soak: ${answers.length} answers, ${checks} checkpoints, ${Math.max(0, Math.round((ends - performance.now()) / 1000))} s to go`,
      );
    }
    clearInterval(timer);
    await Promise.all(pending);
    await loader.end();
    await stop();
    const rows = rowsOfObjects(storage);
    const most = Math.max(...rows);
    const minuteP99s = p99ByMinute(answers);
    const third = Math.ceil(minuteP99s.length / 3);
    const [early, late] = [minuteP99s.slice(0, third), minuteP99s.slice(-third)].map((part) =>
      quantile(part, 0.5),
    );
    const drift = (((late ?? 0) - (early ?? 0)) / (early || 1)) * 100;
    yield {
      did: `${minutes} minutes of mixed traffic at ${PER_SECOND} requests/s, a loader writing beside it`,
      counted: `${tally(answers.map(({ status }) => status))}; ${renewals} renewals; ${loader.rows()} rows written; ${checks} checkpoints, ${wrong} with a wrong total; p99 of a minute ${early?.toFixed(0)} ms in the first third, ${late?.toFixed(0)} in the last (${drift.toFixed(0)} %); memory ${memory.at(0)?.toFixed(0)} to ${memory.at(-1)?.toFixed(0)} MiB, slope ${((slope(memory) * 60_000) / CHECK_EVERY_MS).toFixed(2)} MiB a minute; ${rows.length} objects keep ${rows.reduce((sum, one) => sum + one, 0)} rows, none more than ${most}`,
      broken: brokenOf({
        "no 5xx and no lost answer": answers.every(({ status }) => status > 0 && status < 500),
        "every total equal to independent SQL": wrong === 0,
        "the loader wrote": loader.rows() > 0,
        "storage of objects bounded": rows.length > 0 && most <= MOST_ROWS,
        // A few minutes are too noisy to tell a drift.
        "p99 drift under 10 %": minutes < 10 || drift < 10,
      }),
    };
  },
};
