import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { connected, temporaryDatabase } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { atLeast, elapsed, type Figure, inTurn, median, plain } from "./figures.ts";

const COLUMNS =
  "salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, servicos, raw_data";
const FORMS = ["Pix", "Dinheiro", "Cartão de Débito", "Cartão de Crédito"];
const FILLER = "x".repeat(900);

let next = 0;
/** A visit as the salon system's loader writes it: of the last days, with one to three services. */
const visit = (): string[] => {
  next += 1;
  const servicos = JSON.stringify(
    Array.from({ length: 1 + (next % 3) }, (_, n) => ({
      idProfissionalQueRealizouServico: 5001 + ((next * 7 + n * 13) % 120),
      nome: "Corte feminino",
      valor: 100,
    })),
  );
  return [
    `B${next}`,
    String(101 + (next % 6)),
    ((next % 50_000) / 100).toFixed(2),
    new Date(Date.now() - ((next * 7919) % 200_000_000)).toISOString(),
    FORMS[next % FORMS.length] ?? "Pix",
    servicos,
    JSON.stringify({ id: next, servicos, observacao: FILLER }),
  ];
};

/** One statement per so many rows, with as many parameters as it needs. */
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

const WAYS: Record<
  string,
  { bar: number; rows: number; times: number; load: (db: pg.Client) => () => Promise<unknown> }
> = {
  "batches of 500": { bar: 0.45, rows: 500, times: 20, load: (db) => insert(db, 500) },
  COPY: { bar: 0.45, rows: 2000, times: 6, load: (db) => copy(db, 2000) },
  "single rows": { bar: 0.5, rows: 1, times: 1200, load: (db) => insert(db, 1) },
};

const loaders = async (url: string, count: number) => {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map((client) => client.connect()));
  return clients;
};

/** How long something takes, with the sums kept and without, in turn, in ms. */
const withAndWithout = async (db: pg.Client, rounds: number, work: () => Promise<unknown>) => {
  const measure = (triggers: "enable" | "disable") => async () => {
    await db.query(`alter table transacoes ${triggers} trigger user`);
    return elapsed(work);
  };
  const taken = await inTurn(rounds, { kept: measure("enable"), bare: measure("disable") });
  return { kept: median(taken.kept), bare: median(taken.bare) };
};

/** Two statements in a transaction of 20 ms, on days in random order: what hot rows and deadlocks would show in. */
const crowd = async (db: pg.Client, url: string): Promise<Figure> => {
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
  const { kept, bare } = await withAndWithout(db, 3, work);
  await Promise.all(clients.map((client) => client.end()));
  const rate = (ms: number) => `${Math.round((8 * 60 * 1000) / ms)} tx/s`;
  return atLeast(
    `8 loaders, two statements a transaction in random order, ${deadlocks} deadlocks`,
    deadlocks === 0 ? bare / kept : 0,
    0.5,
    `${rate(kept)} / ${rate(bare)}`,
  );
};

/**
 * What keeping the sums costs those who write.
 * @param server connection string of a server on which a database is made for the time being
 */
export const measureLoaders = async (server: string, progress: (line: string) => void): Promise<Figure[]> => {
  const { url, close } = await temporaryDatabase(server, "bench_loaders");
  await migrateWarehouse(url);
  const figures: Figure[] = [];
  await connected(url, async (db) => {
    for (const [name, { bar, rows, times, load }] of Object.entries(WAYS)) {
      for (const count of [1, 4]) {
        progress(`Loaders: ${name}, ${count} at once`);
        const clients = await loaders(url, count);
        const loads = clients.map(load);
        const work = () =>
          Promise.all(
            loads.map(async (write) => {
              for (let i = 0; i < times / count; i += 1) await write();
            }),
          );
        const { kept, bare } = await withAndWithout(db, 5, work);
        const rate = (ms: number) =>
          `${Math.round((Math.ceil(times / count) * count * rows * 1000) / ms)} rows/s`;
        const measure = `${name}, ${count} at once: with the sums / without`;
        figures.push(
          count === 1
            ? atLeast(measure, bare / kept, bar, `${rate(kept)} / ${rate(bare)}`)
            : plain(measure, (bare / kept).toFixed(2), `${rate(kept)} / ${rate(bare)}`),
        );
        await Promise.all(clients.map((client) => client.end()));
      }
    }
    progress("Loaders: 8 at once");
    figures.push(await crowd(db, url));
  });
  await close();
  return figures;
};
