import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { connected, temporaryDatabase } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { atLeast, atMost, elapsed, type Figure, inTurn, median, plain } from "./figures.ts";

/** Shows what the triggers cost writers: with each group of triggers, beside none. */

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
  /** Minimum ratio of the write rate with these triggers to the rate without them, both with those before them. */
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

/** Measures a method without triggers, then with one group after the other in addition. */
const costs = async (db: pg.Client, name: string, method: LoadMethod): Promise<Figure[]> => {
  const { bars, rows, times, load } = method;
  const write = load(db);
  const work = async () => {
    for (let i = 0; i < times; i += 1) await write();
  };
  await work();
  const groups = Object.keys(TRIGGERS) as Maintained[];
  const measures = [undefined, ...groups].map((last, n) => [
    last ?? "none",
    async () => {
      await enableOnly(db, groups.slice(0, n));
      return elapsed(work);
    },
  ]);
  const taken = await inTurn(5, Object.fromEntries(measures) as Record<string, () => Promise<number>>);
  const ms = (group = "none") => median(taken[group] ?? []);
  const rates = (one: number, other: number) =>
    [one, other].map((each) => `${Math.round((times * rows * 1000) / each)} rows/s`).join(" / ");
  const figures = groups.map((what, n) => {
    const [withIt, without] = [ms(what), ms(groups[n - 1])];
    const measure = `${name}: with the ${what} / without${n > 0 ? `, both with the ${groups.slice(0, n).join(" and the ")}` : ""}`;
    return atLeast(measure, without / withIt, bars[what], rates(withIt, without));
  });
  const [all, none] = [ms(groups.at(-1)), ms()];
  return [
    ...figures,
    plain(`${name}: with all triggers / with none`, (none / all).toFixed(2), rates(all, none)),
  ];
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

/** @param server connection string of a server on which a temporary database is created */
export const measureLoaders = async (server: string, progress: (line: string) => void): Promise<Figure[]> => {
  const { url, close } = await temporaryDatabase(server, "bench_loaders");
  await migrateWarehouse(url);
  const figures: Figure[] = [];
  await connected(url, async (db) => {
    progress("Loaders: two batches of 20,000");
    figures.push(await secondBatch(db));
    for (const [name, method] of Object.entries(LOAD_METHODS)) {
      progress(`Loaders: ${name}`);
      figures.push(...(await costs(db, name, method)));
    }
  });
  await close();
  return figures;
};
