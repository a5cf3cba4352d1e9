import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { connected, temporaryDatabase } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { atLeast, atMost, elapsed, type Figure, inTurn, median, plain } from "./figures.ts";

const COLUMNS =
  "salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, forma_pagamento_principal, servicos, raw_data";
const FORMS = ["Pix", "Dinheiro", "Cartão de Débito", "Cartão de Crédito"];
const SERVICES = ["Corte feminino", "Corte masculino", "Escova", "Luzes", "Manicure", "Pedicure"];
const FILLER = "x".repeat(900);

let next = 0;
/** A recent visit with one to three services, as the salon system's loader writes it. */
const visit = (): string[] => {
  next += 1;
  const servicos = JSON.stringify(
    Array.from({ length: 1 + (next % 3) }, (_, n) => ({
      idProfissionalQueRealizouServico: 5001 + ((next * 7 + n * 13) % 120),
      nome: SERVICES[(next + n) % SERVICES.length],
      valor: 100,
      cortesia: next % 50 === 0,
    })),
  );
  return [
    `B${next}`,
    String(101 + (next % 6)),
    ((next % 50_000) / 100).toFixed(2),
    new Date(Date.now() - ((next * 7919) % 200_000_000)).toISOString(),
    `C${(next * 7919) % 160_000}`,
    FORMS[next % FORMS.length] ?? "Pix",
    servicos,
    JSON.stringify({ id: next, servicos, observacao: FILLER }),
  ];
};

/** Builds one multi-row INSERT with a parameter per value. */
const insert = (db: pg.Client, rows: number) => {
  const width = COLUMNS.split(",").length;
  const tuples = Array.from(
    { length: rows },
    (_, row) => `(${Array.from({ length: width }, (_, column) => `$${row * width + column + 1}`).join()})`,
  );
  const text = `insert into transacoes (${COLUMNS}) values ${tuples.join()}`;
  return () => db.query({ name: `insert ${rows}`, text, values: Array.from({ length: rows }, visit).flat() });
};

const copy = (db: pg.Client, rows: number) => () =>
  pipeline(
    Array.from(
      { length: rows },
      () =>
        `${visit()
          .map((cell) => `"${cell.replaceAll('"', '""')}"`)
          .join()}\n`,
    ),
    db.query(copyFrom(`copy transacoes (${COLUMNS}) from stdin with (format csv)`)),
  );

/** Updates existing visits as when they are sent to the ERP, a different range on each call. */
const update = (db: pg.Client, rows: number) => () => {
  next += 1;
  return db.query(
    `update transacoes set sent_to_erp = not sent_to_erp, sent_at = now() where id in (
       select id from transacoes where id > (select min(id) + ${(next * 7919) % 20_000} from transacoes) order by id limit ${rows} for update)`,
  );
};

/** The triggers that a load of visits fires, by what they maintain, as name prefixes. */
const TRIGGERS = {
  sums: ["transacoes_rollup_", "transacoes_profissional_rollup_", "transacoes_cliente_rollup_"],
  facts: ["visitas_facts_", "transacoes_forma_rollup_", "transacoes_horario_rollup_"],
  services: ["servicos_facts_", "servicos_profissional_rollup_", "servicos_nome_rollup_"],
  feed: ["transacoes_changes_", "transacoes_lock_change"],
};
type Maintained = keyof typeof TRIGGERS;

interface LoadMethod {
  /** Minimum ratio of the write rate with these triggers to the rate without them, other triggers being equal. */
  bars: Record<Maintained, number>;
  rows: number;
  times: number;
  load: (db: pg.Client) => () => Promise<unknown>;
}

const LOAD_METHODS: Record<string, LoadMethod> = {
  "batches of 500": {
    bars: { sums: 0.45, facts: 0.8, services: 0.8, feed: 0.8 },
    rows: 500,
    times: 20,
    load: (db) => insert(db, 500),
  },
  COPY: {
    bars: { sums: 0.45, facts: 0.8, services: 0.8, feed: 0.8 },
    rows: 2000,
    times: 6,
    load: (db) => copy(db, 2000),
  },
  "single rows": {
    bars: { sums: 0.5, facts: 0.8, services: 0.8, feed: 0.8 },
    rows: 1,
    times: 1200,
    load: (db) => insert(db, 1),
  },
  "updates of 500": {
    bars: { sums: 0.45, facts: 0.6, services: 0.6, feed: 0.65 },
    rows: 500,
    times: 20,
    load: (db) => update(db, 500),
  },
};

const loaders = async (url: string, count: number) => {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  return clients;
};

/** Enables these triggers and disables all others. */
const enableOnly = async (db: pg.Client, enabled: Maintained[]): Promise<void> => {
  const { rows } = await db.query(
    `select tgrelid::regclass as "table", tgname as name from pg_trigger
     where tgrelid in ('transacoes'::regclass, 'visitas_facts'::regclass, 'servicos_facts'::regclass) and not tgisinternal`,
  );
  const prefixes = enabled.flatMap((what) => TRIGGERS[what]);
  const statements = rows.map(
    ({ table, name }) =>
      `alter table ${table} ${prefixes.some((prefix) => name.startsWith(prefix)) ? "enable" : "disable"} trigger ${name}`,
  );
  await db.query(statements.join(";"));
};

/** Milliseconds of some work with and without a group of triggers. @param always enabled in both cases */
const withAndWithout = async (
  db: pg.Client,
  rounds: number,
  what: Maintained,
  always: Maintained[],
  work: () => Promise<unknown>,
) => {
  const measure = (enabled: Maintained[]) => async () => {
    await enableOnly(db, enabled);
    return elapsed(work);
  };
  const times = await inTurn(rounds, { withIt: measure([...always, what]), without: measure(always) });
  return { withIt: median(times.withIt), without: median(times.without) };
};

/** Two statements per 20 ms transaction, on days in random order. This exposes hot rows and deadlocks. */
const concurrentLoaders = async (db: pg.Client, url: string): Promise<Figure> => {
  const clients = await loaders(url, 8);
  let deadlocks = 0;
  const work = () =>
    Promise.all(
      clients.map(async (client, i) => {
        for (let n = 0; n < 60; n += 1) {
          const day = (k: number) => `now() - interval '${(n * 7 + i * 13 + k * 5) % 9} days'`;
          const one = (k: number) =>
            `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
             values ('C' || gen_random_uuid(), '10${1 + ((n + i + k) % 3)}', 10, ${day(k)}, '{}')`;
          try {
            await client.query("begin");
            await client.query(one(0));
            await client.query("select pg_sleep(0.02)");
            await client.query(one(1));
            await client.query("commit");
          } catch (error) {
            if ((error as pg.DatabaseError).code !== "40P01") throw error;
            deadlocks += 1;
            await client.query("rollback");
          }
        }
      }),
    );
  const { withIt, without } = await withAndWithout(db, 3, "sums", [], work);
  await enableOnly(db, Object.keys(TRIGGERS) as Maintained[]);
  await Promise.all(clients.map((client) => client.end()));
  const rate = (ms: number) => `${Math.round((8 * 60 * 1000) / ms)} tx/s`;
  return atLeast(
    `8 loaders, two statements per transaction in random order, ${deadlocks} deadlocks: with the sums / without`,
    deadlocks === 0 ? without / withIt : 0,
    0.5,
    `${rate(withIt)} / ${rate(without)}`,
  );
};

const loaderCount = (count: number) => (count === 1 ? "1 loader" : `${count} loaders`);

/** Measures the write cost of each group of triggers, in addition to those before it. */
const costs = async (db: pg.Client, url: string, name: string, count: number): Promise<Figure[]> => {
  const { bars, rows, times, load } = LOAD_METHODS[name] as LoadMethod;
  const clients = await loaders(url, count);
  const loads = clients.map(load);
  const work = () =>
    Promise.all(
      loads.map(async (write) => {
        for (let i = 0; i < times / count; i += 1) await write();
      }),
    );
  await work();
  const rate = (ms: number) => `${Math.round((Math.ceil(times / count) * count * rows * 1000) / ms)} rows/s`;
  const figures: Figure[] = [];
  for (const [n, what] of (Object.keys(TRIGGERS) as Maintained[]).entries()) {
    const always = (Object.keys(TRIGGERS) as Maintained[]).slice(0, n);
    const { withIt, without } = await withAndWithout(db, 5, what, always, work);
    const measure = `${name}, ${loaderCount(count)}: with the ${what} / without${always.length > 0 ? `, both with the ${always.join(" and the ")}` : ""}`;
    const rates = `${rate(withIt)} / ${rate(without)}`;
    figures.push(
      count === 1
        ? atLeast(measure, without / withIt, bars[what], rates)
        : plain(measure, (without / withIt).toFixed(2), rates),
    );
  }
  await Promise.all(clients.map((client) => client.end()));
  return figures;
};

/** A plan that a trigger made while its tables were empty would make the second batch read all of the first (R20). */
const secondBatch = async (db: pg.Client): Promise<Figure> => {
  const batch = copy(db, 20_000);
  const [first, second] = [await elapsed(batch), await elapsed(batch)];
  return atMost(
    "20,000 visits into an empty table: the second batch of a session / the first",
    second / first,
    2,
    `${second.toFixed(0)} / ${first.toFixed(0)} ms`,
  );
};

/**
 * Measures what maintaining sums, facts and the feed costs writers.
 * @param server connection string of a server on which a temporary database is created
 */
export const measureLoaders = async (server: string, progress: (line: string) => void): Promise<Figure[]> => {
  const { url, close } = await temporaryDatabase(server, "bench_loaders");
  await migrateWarehouse(url);
  const figures: Figure[] = [];
  await connected(url, async (db) => {
    progress("Loaders: two batches of 20,000");
    figures.push(await secondBatch(db));
    for (const name of Object.keys(LOAD_METHODS)) {
      for (const count of name.startsWith("updates") ? [1] : [1, 4]) {
        progress(`Loaders: ${name}, ${loaderCount(count)}`);
        figures.push(...(await costs(db, url, name, count)));
      }
    }
    progress("Loaders: 8 loaders at once");
    figures.push(await concurrentLoaders(db, url));
  });
  await close();
  return figures;
};
