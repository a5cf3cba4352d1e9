import {
  createDrizzleSemanticLayer,
  defineCube,
  type Measure,
  type SemanticQuery,
} from "drizzle-cube/server";
import { getTableColumns, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type pg from "pg";
import {
  lancamentosFacts as l,
  pagamentosFacts as p,
  servicosFacts as s,
  visitasFacts as v,
  vendasFacts as vp,
} from "../../src/api/v1/facts/table.ts";
import { connected } from "../warehouse/databases.ts";
import { atMost, type Figure, inTurn, median } from "./figures.ts";
import { startCpu } from "./load.ts";
import { reports } from "./reports.ts";
import { YEAR } from "./routes.ts";
import { answer, assertSame, statementOf } from "./timed.ts";

/** Shows what the reports cost Postgres beside drizzle-cube, a semantic layer that reads the facts: it has no rollups. */

type Measures = Record<string, Omit<Measure, "name">>;

const named = <T extends object>(members: Record<string, T>) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, { name, ...member }]));

// drizzle-cube converts no time zone, so months are of `day` or `due`, in Brasília.
const DATES = ["day", "due"];
const TIMES = [...DATES, "at"];

/** A cube with each column of a table as a dimension. */
const cubeOf = (name: keyof typeof reports, from: PgTable, measures: Measures) => {
  const dimensions = Object.entries(getTableColumns(from)).map(([key, column]) => {
    const type = TIMES.includes(key) ? ("time" as const) : ("string" as const);
    return [key, { type, sql: column }] as const;
  });
  return defineCube(name, {
    sql: () => ({ from }),
    dimensions: named(Object.fromEntries(dimensions)),
    measures: named(measures),
  });
};

const measuresOf = (count: string, value: PgColumn): Measures => ({
  [count]: { type: "count", sql: sql`*` },
  valor_total: { type: "sum", sql: value },
});

const CUBES = [
  cubeOf("visitas", v, measuresOf("visitas", v.total)),
  cubeOf("servicos", s, {
    ...measuresOf("servicos", s.valor),
    visitas: { type: "countDistinct", sql: s.id },
  }),
  cubeOf("vendas", vp, measuresOf("linhas", vp.valor_total)),
  cubeOf("lancamentos", l, measuresOf("lancamentos", l.valor)),
  cubeOf("pagamentos", p, measuresOf("pagamentos", p.valor)),
];

const RANGES = { "all time": {} as Partial<typeof YEAR>, "a year": YEAR };

/** @param by the column of the facts for each dimension */
const question = (
  source: keyof typeof reports,
  range: keyof typeof RANGES,
  by: Record<string, string>,
  ...measures: string[]
) => ({ source, range, por: Object.keys(by), columns: Object.values(by), measures });

type CubeQuestion = ReturnType<typeof question>;

const UNIT = { mes: "day", unidade: "estabelecimento_id" };
const ACCOUNT = { conta: "nome_conta_classificacao", situacao: "situacao" };

const QUESTIONS = [
  question("visitas", "a year", UNIT, "visitas", "valor_total"),
  question("visitas", "all time", { forma_pagamento: "forma_pagamento" }, "visitas", "valor_total"),
  question("servicos", "a year", { profissional: "profissional" }, "servicos", "valor_total", "visitas"),
  question("vendas", "a year", { mes: "day", produto: "produto_id" }, "linhas", "valor_total"),
  question("lancamentos", "all time", { ...UNIT, mes: "due" }, "lancamentos", "valor_total"),
  question("pagamentos", "all time", ACCOUNT, "pagamentos", "valor_total"),
];

/** The same question for drizzle-cube, with the order and the limit of a general report. */
const queryOf = ({ source, columns, measures, range }: CubeQuestion): SemanticQuery => {
  const of = (name: string) => `${source}.${name}`;
  const { data_inicio = "", data_fim = "" } = RANGES[range];
  const dateRange = [data_inicio, data_fim];
  const months = columns.filter((column) => DATES.includes(column)).map(of);
  return {
    measures: measures.map(of),
    dimensions: columns.filter((column) => !DATES.includes(column)).map(of),
    timeDimensions: months.map((dimension) => ({ dimension, granularity: "month" })),
    filters: data_inicio
      ? [{ member: of("at"), operator: "inDateRange", values: [], dateRange }]
      : // Rows without a date have no month. With an empty list of values, drizzle-cube ignores `set`.
        months.map((member) => ({ member, operator: "set", values: [""] })),
    order: {
      ...(months.length === 0 && { [of(measures[0] as string)]: "desc" }),
      ...Object.fromEntries(columns.map((column) => [of(column), "asc"])),
    },
    limit: 100,
  };
};

/** The columns that have another name in our answer. */
const OURS: Record<string, string> = { day: "mes", due: "mes", profissional: "profissional_salon_id" };

const valuesOf = (
  rows: Record<string, unknown>[],
  { columns, measures }: CubeQuestion,
  nameOf: (column: string) => string,
) =>
  rows.map((row) =>
    [...columns, ...measures].map((column) => {
      const value = row[nameOf(column)];
      return value instanceof Date ? value.toLocaleDateString("sv") : value;
    }),
  );

/** CPU milliseconds of one call, from as many calls as half a second allows. */
const cpuOf = async (pid: number, call: () => Promise<unknown>): Promise<number> => {
  const used = await startCpu(async () => [pid]);
  const until = performance.now() + 500;
  let calls = 0;
  do {
    await call();
    calls += 1;
  } while (performance.now() < until);
  return ((await used()) / calls) * 1000;
};

const compareCube = async (db: pg.Client, pid: number, asked: CubeQuestion): Promise<Figure> => {
  const { source, por, measures, range } = asked;
  const name = `${source} by ${por.join()}: ${measures.join()}, ${range}`;
  const ask = { por, medidas: measures, ...RANGES[range] };
  const us = { on: db, statement: await statementOf((to, request) => reports[source](to, request, ask)) };
  // Its types name postgres-js only, but it reads the `rows` of node-postgres, too.
  const layer = createDrizzleSemanticLayer({ drizzle: drizzle(db) as never });
  for (const cube of CUBES) layer.registerCube(cube);
  const them = () => layer.execute(queryOf(asked), {});
  const { data } = JSON.parse((await answer(us)).rows[0].body);
  const ours = valuesOf(data, asked, (column) => OURS[column] ?? column);
  if (ours.length === 0) throw new Error(`${name}: no rows to compare`);
  const theirs = valuesOf((await them()).data, asked, (column) => `${source}.${column}`);
  assertSame(ours, theirs, name);
  const cpu = await inTurn(3, { us: () => cpuOf(pid, () => answer(us)), them: () => cpuOf(pid, them) });
  const [of, cube] = [median(cpu.us), median(cpu.them)];
  const detail = `${of.toFixed(1)} / ${cube.toFixed(1)} ms`;
  return atMost(`${name}, Postgres CPU: ours / drizzle-cube`, of / cube, 1 / 2, detail);
};

export const measureCube = (url: string): Promise<Figure[]> =>
  connected(url, async (db) => {
    await db.query("set timezone = 'UTC'; set jit = off; set max_parallel_workers_per_gather = 0");
    const { rows } = await db.query("select pg_backend_pid() as pid");
    const figures: Figure[] = [];
    for (const asked of QUESTIONS) figures.push(await compareCube(db, rows[0].pid, asked));
    return figures;
  });
