import { and, type SQL, sql } from "drizzle-orm";
import { boolean, date, integer as integerColumn, numeric, pgTable, text } from "drizzle-orm/pg-core";
import { instantColumn } from "../../../../platform/db/columns.ts";
import { joinWithCommas, whereClause } from "../../../../platform/db/conditions.ts";
import { inRange, monthOf } from "../../../../platform/db/range-sums.ts";
import { decimal, integer, oneOf } from "../../../../platform/http/params.ts";
import { vendasFacts as l, servicosFacts as s, visitasFacts as v } from "../../facts/table.ts";
import { day, string } from "../../fields.ts";
import { unit } from "../../parameters.ts";
import { transacoes as t } from "../../transacoes/table.ts";
import { isTaken } from "../../vendas-produto/table.ts";
import { byBytes, firstVisit, hasNoVisitSince, isVisitOfRange, novos, semVisitaDesde } from "../clients.ts";
import {
  atLeast,
  average,
  cliente,
  counted,
  countOf,
  extreme,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Dimension, RangeContext, Source } from "../source.ts";

/** Not a table: the columns of what `clients` selects, one row for each client with a visit of the range. */
const f = pgTable("clientes", {
  cliente_salon_id: text(),
  /** That of the newest of these visits. */
  estabelecimento_id: text(),
  visitas: integerColumn(),
  /** Different calendar months with one of these visits. */
  meses: integerColumn(),
  valor: numeric(),
  primeira: instantColumn(),
  ultima: instantColumn(),
  /** The month of the client's first visit of all time. */
  coorte: date({ mode: "string" }),
  /** Whether that visit lies in the range. */
  novo: boolean(),
  so_produtos: boolean(),
});

const ofClient = sql`over (partition by cliente_salon_id order by at desc, id desc)`;

const isNewest = sql`lag(id) ${ofClient} is null`; // mistake: unit-of-oldest

/** The columns that are aggregates of the visits. A sort in an aggregate would run for each client. */
const AGGREGATES: Record<string, SQL> = {
  estabelecimento_id: sql`max(estabelecimento_id) filter (where is_newest)`,
  visitas: sql`count(*)`,
  meses: sql`count(*) filter (where isfinite(day) and is_first_of_month)`,
  valor: sql`sum(total)`,
  primeira: sql`min(at) filter (where isfinite(at))`,
  ultima: sql`max(at) filter (where isfinite(at))`,
};

const cohortOf = (at: SQL, day: SQL) => sql`case when isfinite(${at}) then ${monthOf(day)} end`;

/** The columns that are of the client's first visit of all time. */
const ofFirstVisit = ({ range }: RangeContext): Record<string, SQL> => ({
  coorte: cohortOf(sql`first.at`, sql`first.day`),
  novo: sql`(${and(...inRange({ range }, sql`first.at`))})`,
});

/** The same without a range: the first of these visits is that of all time. */
const ofFirstOfThese: Record<string, SQL> = { coorte: cohortOf(sql`min(at)`, sql`min(day)`) };

/** Whether the client bought in a visit, and had no service in any. Few have no service, so each is looked up. */
const boughtOnly = (context: RangeContext): SQL => {
  const isOwn = sql`${byBytes(v.cliente_salon_id)} = visits.cliente_salon_id`;
  const isSold = sql`${l.origem} = 'salao' and not ${isTaken(l.forma_pagamento)}`; // mistake: taken-is-bought
  const isSame = sql`${l.transacao} = 'salao' || ${t.salon_id} and ${l.estabelecimento_id} = ${t.estabelecimento_id}`;
  const lines = sql`
      select
      from (select id from ${v} ${whereClause(isOwn, isVisitOfRange(context))}) as own
        join ${t} on ${t.id} = own.id
        join ${l} on ${isSame}
      ${whereClause(isSold)}`;
  return sql`case when served.client is null then exists (${lines}) else false end as so_produtos`;
};

const servedClients = (context: RangeContext): SQL => sql`
      select ${byBytes(s.cliente_salon_id)} as client
      from ${s}
      ${whereClause(isVisitOfRange(context, s.at), sql`cliente_salon_id is not null`)}
      group by client`;

const clients = (context: RangeContext, columns: string[]): SQL => {
  const chosen = (all: Record<string, SQL>) =>
    Object.entries(all).flatMap(([name, value]) =>
      columns.includes(name) ? [sql`${value} as ${sql.identifier(name)}`] : [],
    );
  const { range } = context;
  const hasRange = range.data_inicio !== undefined || range.data_fim !== undefined;
  const eachClient = sql`group by cliente_salon_id`; // mistake: client-of-each-unit
  const own = chosen({ ...AGGREGATES, ...(hasRange ? {} : ofFirstOfThese) });
  const visits = sql`
      select ${joinWithCommas([sql`cliente_salon_id`, ...own])}
      from (
        select *, ${isNewest} as is_newest,
          coalesce(lead(day) ${ofClient} < ${monthOf(sql`day`)}, true) as is_first_of_month
        from (
          select id, ${byBytes(v.cliente_salon_id)} as cliente_salon_id, estabelecimento_id, at, day, total
          from ${v}
          ${whereClause(isVisitOfRange(context), sql`cliente_salon_id is not null`)}
        ) as unordered
      ) as ordered
      ${eachClient}`;
  const first = hasRange ? chosen(ofFirstVisit(context)) : [];
  const bought = columns.includes("so_produtos");
  const client = sql`visits.cliente_salon_id`;
  const served = sql` left join (${servedClients(context)}) as served on served.client = ${client}`;
  return sql`
    select ${joinWithCommas([sql`visits.*`, ...first, ...(bought ? [boughtOnly(context)] : [])])}
    from (${visits}) as visits${
      first.length > 0
        ? sql` cross join lateral (${firstVisit(sql`at, day`, client, context)}) as first`
        : sql``
    }${bought ? served : sql``}`;
};

const FREQUENCIES = ["1", "2", "3-5", "6-11", "12+"];

const frequencia: Dimension = {
  description: `visits: ${FREQUENCIES.join(", ")}`,
  keys: {
    frequencia: {
      field: string("3-5", `How many of these visits the clients have: ${FREQUENCIES.join(", ")}`),
      sql: sql`case
          when ${f.visitas} <= 2 then ${f.visitas}::text
          when ${f.visitas} <= 5 then '3-5'
          when ${f.visitas} <= 11 then '6-11'
          else '12+'
        end`,
    },
  },
  order: (key) =>
    sql`array_position(array[${sql.raw(FREQUENCIES.map((one) => `'${one}'`).join(", "))}], ${key})`,
};

const number = (description: string, example: number) =>
  integer({ min: 1, max: 100_000, example, description }).optional();

/** With the earlier range, the time moves like a start (R25). */
const stayAwaySince = (value: SQL, { scope, range }: RangeContext): SQL => {
  const since = sql`${value}::timestamptz`;
  // mistake: same-time-for-both
  const moved = "shift" in range ? sql`first_instant(brasilia_clock(${since}) - ${range.shift})` : since;
  return hasNoVisitSince(f.cliente_salon_id, moved, scope);
};

export const clientes: Source<"clientes"> = {
  name: "clientes",
  summary: "Clients, by what you choose",
  description:
    "Counts clients with a visit in the range, and adds up these visits: each row of the source is a client. For " +
    "visits by day or form, use `GET /v1/relatorios/visitas`. The unit of a client is that of their newest of these " +
    "visits, so rows add up, except averages and times. `coorte` is the month of the first visit of all time.",
  row: "A client with at least one visit in the range and the unit, with these visits together.",
  range: "`data_hora`",
  facts: f,
  dates: { data_hora: [{ facts: f, at: v.at, day: v.day, rollups: [], rows: clients }] },
  unitParameter: unit("visits to", [t.estabelecimento_id]),
  dimensions: {
    unidade: unidade(f.estabelecimento_id),
    coorte: simple(
      "month of the first visit",
      f.coorte,
      day("2026-03-01").nullable().openapi({
        description:
          "Month of the client's first visit of all time, as its first day; `null` for one without a date",
      }),
    ),
    frequencia,
    cliente: cliente({ key: f.cliente_salon_id, row: "visit", table: t, at: sql`data_hora` }),
  },
  measures: {
    clientes: counted("Number of clients with one of these visits", 80),
    visitas: countOf("Number of their visits in the range", 100, f.visitas),
    valor_total: summed("Sum of `total` of these visits, in reais", 12340.5, f.valor),
    ticket_medio: average("`valor_total` / `visitas`", 123.41, f.valor, sql`${f.visitas}`),
    valor_por_cliente: average("`valor_total` / `clientes`", 154.26, f.valor, sql`records`),
    visitas_por_cliente: average("`visitas` / `clientes`", 1.25, f.visitas, sql`records`),
    primeira_visita: extreme("Time of the first of these visits", "min", f.primeira),
    ultima_visita: extreme("Time of the last of these visits", "max", f.ultima),
  },
  filters: {
    visitas_min: atLeast(number("Only clients with at least this number of these visits.", 3), f.visitas),
    visitas_max: {
      parameter: number("Only clients with at most this number of these visits.", 1),
      condition: (value) => sql`${f.visitas} <= ${value}`,
    },
    meses_min: atLeast(
      number("Only clients with one of these visits in at least this number of calendar months.", 5),
      f.meses,
    ),
    valor_min: {
      parameter: decimal({
        example: 500,
        description: "Only clients whose visits add up to at least this value, in reais.",
      }).optional(),
      condition: (value) => sql`${f.valor} >= ${value}::numeric`,
    },
    sem_visita_desde: { parameter: semVisitaDesde(), condition: stayAwaySince },
    novos: {
      ...novos("clients whose first visit of all time is in the range", () => sql`${f.novo}`),
      needsRange: true,
    },
    so_produtos: {
      parameter: oneOf(
        ["true"],
        "Only clients who bought products in these visits, and had no service.",
      ).optional(),
      condition: () => sql`${f.so_produtos}`,
    },
  },
  needs: "personalData",
};
