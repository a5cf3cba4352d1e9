import type pg from "pg";
import { monthRange } from "../../src/core/periods.ts";
import type { Rights } from "../../src/core/rights.ts";
import { closeMonth } from "../../tools/warehouse/closings.ts";
import { drawEpoch, pruneRemovals } from "../../tools/warehouse/feeds.ts";
import { assertEqual } from "./assert.ts";
import type { LimitedReader } from "./general/compare-general.ts";
import { generalReaders } from "./general/compare-general.ts";
import { expectedRows, type Range } from "./general/expected-rows.ts";
import { inUnits, type PlainSource } from "./general/plain-source.ts";
import { SOURCES } from "./general/sources.ts";
import { formatInstant, type Instant } from "./instants.ts";
import { SESSIONS, type Service } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";
import type { Warehouse } from "./warehouse.ts";

/** The lists with markers, and their tables. */
const LISTS = {
  transacoes: "transacoes",
  "vendas-produto": "vendas_produto",
  lancamentos: "lancamentos",
  "pagamentos-erp": "pagamentos_erp",
};
const TABLES = Object.values(LISTS);

type Figures = Record<string, number>;

/**
 * Logs the ids that loaders write, for each row, so also what a rolled back transaction did not write. `touched` has the
 * tables as far as they are logged, `signed` has them as they were at the closing.
 */
const prepareLog = async (db: pg.Client): Promise<void> => {
  const { rows } = await db.query("select to_regclass('written') is not null as is_there");
  if (rows[0].is_there) return;
  await db.query(`
    create table written (list text, id bigint);
    create function log_written() returns trigger language plpgsql security definer set search_path = public as $$
      begin
        insert into written select tg_table_name, one from unnest(case tg_op
          when 'INSERT' then array[new.id] when 'DELETE' then array[old.id]
          when 'UPDATE' then array[old.id, new.id] else array[null::bigint] end) as one;
        return null;
      end $$;
    create schema touched;
    create schema signed`);
  for (const table of TABLES)
    await db.query(`
      create trigger log_written after insert or update or delete on ${table} for each row execute function log_written();
      create trigger log_truncated after truncate on ${table} for each statement execute function log_written();
      create view touched.${table} as
        select * from public.${table} where id in (select id from public.written where list = '${table}')`);
};

const copyTables = async (db: pg.Client): Promise<void> => {
  await db.query("delete from written");
  for (const table of TABLES)
    await db.query(
      `drop table if exists signed.${table}; create table signed.${table} as table public.${table}`,
    );
};

/** Runs plain SQL over the tables of a schema. */
const within = async <T>(db: pg.Client, schema: string, work: () => Promise<T>): Promise<T> => {
  await db.query(`set search_path to ${schema}, public`);
  return work().finally(() => db.query("reset search_path"));
};

const instantOf = (text: string): Instant =>
  BigInt(Date.parse(`${text.slice(0, 19)}Z`)) * 1000n + BigInt(text.slice(20, 26));

const rangeOf = (mes: string): { from: Instant; to: Instant } => {
  const range = monthRange(mes);
  if (range === undefined) throw new Error(`${mes} is no month`);
  return { from: instantOf(range.data_inicio), to: instantOf(range.data_fim) };
};

const plainRows = (
  db: pg.Client,
  source: string,
  { rights, range }: { rights: Rights; range: Range },
  asks: { por: string[]; medidas: string[]; data?: string },
) =>
  expectedRows(db, {
    source: SOURCES[source] as PlainSource,
    question: { ...asks, filters: {} } as unknown as Parameters<typeof expectedRows>[1]["question"],
    rights,
    range,
  });

const UNIT_FIGURES = [
  "faturamento",
  "visitas",
  "valor_servicos",
  "valor_produtos",
  "lancamentos",
  "valor_lancamentos",
];
const DUE = { data: "vencimento" };

/** The figures of each unit, by plain SQL over the tables in the search path. */
const plainUnits = async (db: pg.Client, of: { rights: Rights; range: Range }) => {
  const medidas = ["valor_total", "visitas", "valor_servicos", "valor_produtos"];
  const revenue = await plainRows(db, "faturamento", of, { por: ["unidade"], medidas });
  const entries = await plainRows(db, "lancamentos", of, {
    ...DUE,
    por: ["unidade"],
    medidas: ["lancamentos", "valor_total"],
  });
  const figures = new Map<string, Figures>();
  const add = (id: unknown, more: Figures) =>
    figures.set(String(id), { ...figures.get(String(id)), ...more });
  for (const { estabelecimento_id: id, valor_total, visitas, valor_servicos, valor_produtos } of revenue)
    add(id, { faturamento: valor_total, visitas, valor_servicos, valor_produtos } as Figures);
  for (const { estabelecimento_id: id, lancamentos, valor_total } of entries)
    add(id, { lancamentos, valor_lancamentos: valor_total } as Figures);
  return figures;
};

const plainPayments = async (db: pg.Client, of: { rights: Rights; range: Range }) => {
  const asks = { ...DUE, por: ["conta", "situacao"], medidas: ["pagamentos", "valor_total"] };
  const rows = await plainRows(db, "pagamentos", of, asks);
  return new Map(
    rows.map(({ nome_conta_classificacao: conta, situacao, pagamentos, valor_total }) => [
      JSON.stringify([conta, situacao]),
      { pagamentos, valor: valor_total } as Figures,
    ]),
  );
};

/** From here on, a number of JavaScript has no cents. Some ledger entries are of 1e300 reais. */
const TOO_LARGE = 1e13;
const cents = (value = 0) => Math.round(value * 100);

type Threefold = Record<"assinado" | "atual" | "diferenca", Figures>;

/** The three objects of a row, in whole cents. */
const inCents = ({ assinado, atual, diferenca }: Threefold) =>
  Object.fromEntries(
    Object.entries({ assinado, atual, diferenca }).map(([side, figures]) => [
      side,
      Object.fromEntries(
        Object.entries(figures).map(([name, value]) => {
          const isLarge = [assinado[name], atual[name]].some((one = 0) => Math.abs(one) >= TOO_LARGE);
          return [name, isLarge ? "large" : cents(value)];
        }),
      ),
    ]),
  );

/** What a row must have, of plain figures. */
const threefold = (names: string[], signed: Figures = {}, present: Figures = {}) => {
  const of = (value: (name: string) => number) =>
    Object.fromEntries(names.map((name) => [name, value(name)]));
  return inCents({
    assinado: of((name) => signed[name] ?? 0),
    atual: of((name) => present[name] ?? 0),
    diferenca: of((name) => (cents(present[name]) - cents(signed[name])) / 100),
  });
};

const compared = (names: string[], signed: Map<string, Figures>, present: Map<string, Figures>) =>
  [...new Set([...signed.keys(), ...present.keys()])]
    .sort()
    .map((key) => [key, threefold(names, signed.get(key), present.get(key))]);

/** What was written since the closing, by list. The numbers are null for a list whose marker is no longer valid. */
const plainChanges = async (
  db: pg.Client,
  { rights, range }: { rights: Rights; range: Range },
  lost: Set<string>,
) => {
  const ends = `between '${formatInstant(range.from as Instant)}' and '${formatInstant(range.to as Instant)}'`;
  const changes: unknown[] = [];
  for (const [list, table] of Object.entries(LISTS)) {
    if (table === "pagamentos_erp" && !rights.payments) continue;
    const [{ truncated, removidos }] = (
      await db.query(`
        select bool_or(id is null) as truncated, count(distinct id) filter (where not exists (
          select from public.${table} as record where record.id = written.id))::int as removidos
        from written where list = '${table}'`)
    ).rows;
    const gravados = await within(db, "touched", async () => {
      if (table === "lancamentos" || table === "pagamentos_erp") {
        const source = table === "lancamentos" ? "lancamentos" : "pagamentos";
        const rows = await plainRows(db, source, { rights, range }, { ...DUE, por: [], medidas: [source] });
        return rows[0]?.[source] ?? 0;
      }
      const { rows } = await db.query(
        `select count(*)::int as n from ${table} where data_hora ${ends} and ${inUnits(rights.units, "estabelecimento_id")}`,
      );
      return rows[0].n;
    });
    changes.push(
      truncated || lost.has(list)
        ? [list, false, null, null]
        : [list, true, gravados, rights.units === null ? removidos : null],
    );
  }
  return changes;
};

interface Body {
  totais: Threefold;
  unidades: ({ estabelecimento_id: string } & Threefold)[];
  pagamentos: ({ nome_conta_classificacao: string | null; situacao: number } & Threefold)[] | null;
  alteracoes: { lista: string; desde: string | null; gravados: number | null; removidos: number | null }[];
}

const byKey = (rows: [string, unknown][]) => rows.sort(([a], [b]) => (a < b ? -1 : 1));

/** Compares a closed month with plain SQL over the copy and over the present tables. */
const compareClosing = async (
  db: pg.Client,
  { rights, read }: LimitedReader,
  { mes, lost }: { mes: string; lost: Set<string> },
): Promise<void> => {
  const of = { rights, range: rangeOf(mes) };
  const bothOf = async (plain: typeof plainUnits) =>
    [await within(db, "signed", () => plain(db, of)), await plain(db, of)] as const;
  const [signed, present] = await bothOf(plainUnits);
  const sumOf = (all: Map<string, Figures>) =>
    Object.fromEntries(
      UNIT_FIGURES.map((name) => [
        name,
        [...all.values()].reduce((sum, one) => sum + cents(one[name]), 0) / 100,
      ]),
    );
  const { status, body } = await read.request(`fechamentos/${mes}`);
  const what = `fechamentos/${mes} ${JSON.stringify(rights)}`;
  assertEqual(`${what}: status`, status, 200);
  const answer: Body = JSON.parse(body);
  assertEqual(
    `${what}: totais`,
    inCents(answer.totais),
    threefold(UNIT_FIGURES, sumOf(signed), sumOf(present)),
  );
  assertEqual(
    `${what}: unidades`,
    byKey(answer.unidades.map((row) => [row.estabelecimento_id, inCents(row)])),
    compared(UNIT_FIGURES, signed, present),
  );
  assertEqual(
    `${what}: pagamentos`,
    answer.pagamentos &&
      byKey(
        answer.pagamentos.map((row) => [
          JSON.stringify([row.nome_conta_classificacao, row.situacao]),
          inCents(row),
        ]),
      ),
    rights.payments ? compared(["pagamentos", "valor"], ...(await bothOf(plainPayments))) : null,
  );
  assertEqual(
    `${what}: alteracoes`,
    answer.alteracoes.map(({ lista, desde, gravados, removidos }) => [
      lista,
      desde !== null,
      gravados,
      removidos,
    ]),
    await plainChanges(db, of, lost),
  );
};

/** A finished month with many visits. The last one if loaders have deleted all visits. */
const someMonth = async (db: pg.Client, n: number): Promise<string> => {
  const { rows } = await db.query(`
    with newest as (select date_trunc('month', now() - interval '3 hours') - interval '1 day' as at)
    select to_char(at at time zone 'America/Sao_Paulo', 'YYYY-MM') as mes
    from (select at from newest union all
      select data_hora from transacoes, newest where data_hora between '1900-02-01' and at) as visits
    group by 1 order by count(*) desc, 1 limit 5`);
  return rows[n % rows.length].mes;
};

/** Deletes what the smallest unit of a month sold in it, and its entries: random writes seldom empty a unit. */
const emptyUnit = async (db: pg.Client, mes: string): Promise<void> => {
  const { from, to } = rangeOf(mes);
  const isIn = `data_hora between '${formatInstant(from)}' and '${formatInstant(to)}'`;
  const { rows } = await db.query(`
    select estabelecimento_id as unit
    from (select estabelecimento_id from transacoes where ${isIn}
      union all select estabelecimento_id from vendas_produto where ${isIn}) as sold
    group by 1 order by count(*), 1 limit 1`);
  for (const [table, where] of [
    ["transacoes", isIn],
    ["vendas_produto", isIn],
    ["lancamentos", "true"],
  ])
    await db.query(`delete from ${table} where estabelecimento_id = $1 and ${where}`, [rows[0]?.unit]);
};

interface Rounds {
  seed: number;
  rounds: number;
  hasCopy: boolean;
}

/**
 * Closes random months, lets loaders write, empties a unit, then compares every reader's answer (F2). At the end, it
 * prunes removals and draws new epochs.
 */
export const compareClosings = async (
  { url, db, connect }: Pick<Warehouse, "url" | "db" | "connect">,
  service: Service,
  { seed, rounds, hasCopy }: Rounds,
): Promise<void> => {
  await prepareLog(db);
  const readers = await generalReaders(service);
  const loaders = await Promise.all(Array.from({ length: SESSIONS }, connect));
  const lost = new Set<string>();
  const compare = async (mes: string) => {
    for (const reader of readers) await compareClosing(db, reader, { mes, lost });
  };
  for (let round = 0; round < rounds; round += 1) {
    await db.query(
      "insert into jobs_log (queue, job_name, status, created_at) values ('sync', 'sync-transacoes', 'completed', now())",
    );
    const mes = await someMonth(db, seed + round);
    await copyTables(db);
    await closeMonth(db, mes);
    await compare(mes);
    await runRandomLoaders(loaders, seed + 31 * round, hasCopy ? 3 : 6, hasCopy, {
      truncates: round % 3 === 2,
    });
    await emptyUnit(db, mes);
    await compare(mes);
    if (round < rounds - 1) continue;
    for (const [list, table] of Object.entries(LISTS)) {
      const { rows } = await db.query(
        `select from written where list = $1 and id not in (select id from ${table})`,
        [table],
      );
      if (rows.length > 0) lost.add(list);
    }
    await pruneRemovals(url, 0, () => undefined);
    await compare(mes);
    await drawEpoch(url);
    for (const list of Object.keys(LISTS)) lost.add(list);
    await compare(mes);
  }
  await Promise.all(loaders.map((loader) => loader.end()));
};
