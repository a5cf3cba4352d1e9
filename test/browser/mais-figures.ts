// The tables of Mais by plain SQL, as the texts of their cells. The views are compared.
import { BY_NAME } from "../support/by-name.ts";
import { changeCells, dateOf, type Figures, IN_RANGE, PROFESSIONAL, SERVICES, share } from "./figures.ts";
import { count, DAYS, money, plain, shifted, today } from "./panel.ts";
import { both, inOrder, type Ranges, sum, type Table, type Valued } from "./tab-figures.ts";
import { daysBetween, type Range } from "./views.ts";

/** The cells that the tables of services and products share. */
const valued = ({ value, before }: Valued & { before: number }, all: number) => [
  money(value),
  ...changeCells(value, before),
  share(value, all),
];

export const openMoreTables = (figures: Figures) => {
  const { all, inRange } = figures;

  const services = async (range: Range) =>
    inRange(
      `with ${SERVICES}
       select name, count(*)::int as services, (count(*) filter (where free))::int as free,
         round(sum(value), 2)::float as value
       from services group by 1 order by 4 desc, 1`,
      range,
    );
  const servicos = async ({ now, earlier }: Ranges): Promise<Table> => {
    const rows = await services(now);
    const known = both(rows, await services(earlier), ({ name }) => String(name), { services: 0, free: 0 });
    return (
      await inOrder(
        figures,
        known,
        ({ value }) => value,
        ({ name }) => name,
      )
    ).map((row) => [
      plain(row.name ?? "") || "Serviço sem nome",
      ...valued(row, sum(rows)),
      count(row.services),
      count(row.free),
    ]);
  };

  /** One row for each id, with the name of its newest line; without an id, for each name (R20). */
  const products = (range: Range) =>
    inRange(
      `select produto_id as id, produto_nome as name,
         coalesce(sum(quantidade) filter (where not taken), 0)::float as sold,
         coalesce(sum(valor_total) filter (where not taken), 0)::float as value,
         coalesce(sum(quantidade) filter (where taken), 0)::float as taken,
         coalesce(sum(valor_total) filter (where taken), 0)::float as kept
       from (
         select produto_id, case when produto_id is null then produto_nome else (
             select newest.produto_nome from vendas_produto as newest
             where newest.produto_id = sales.produto_id
             order by newest.data_hora desc nulls last, newest.id desc limit 1) end as produto_nome,
           coalesce(forma_pagamento = 'Descontar do Profissional', false) as taken,
           case when abs(quantidade) < 'Infinity' then quantidade end as quantidade,
           case when abs(valor_total) < 'Infinity' then valor_total end as valor_total
         from vendas_produto as sales where ${IN_RANGE}) as lines
       group by 1, 2 order by value desc, 1, 2`,
      range,
    );
  const produtos = async ({ now, earlier }: Ranges): Promise<Table> => {
    const rows = await products(now);
    const ordered = both(rows, await products(earlier), ({ id, name }) => `${id} ${name}`, {
      sold: 0,
      taken: 0,
      kept: 0,
    });
    return ordered
      .sort((a, b) => b.value - a.value || (`${a.id}` < `${b.id}` ? -1 : 1))
      .map((row) => [
        plain(row.name ?? "") || (row.id ? `Produto sem nome (cód. ${row.id})` : "Produto não identificado"),
        ...valued(row, sum(rows)),
        count(row.sold),
        row.taken ? count(row.taken) : "",
        row.kept ? money(row.kept) : "",
      ]);
  };

  /** The average of each weekday, and of each of its hours. */
  const horarios = async ({ now }: Ranges): Promise<Table> => {
    const rows = await inRange(
      `select extract(isodow from at)::int as day, extract(hour from at)::int as hour, count(*)::int as visits
       from (select data_hora at time zone 'America/Sao_Paulo' as at from transacoes where ${IN_RANGE}) as visits
       group by 1, 2 order by 2`,
      now,
    );
    const dates = Array.from(
      { length: daysBetween(now.from.slice(0, 10), now.to.slice(0, 10)) },
      (_, index) => new Date(shifted(now.from.slice(0, 10), index)).getUTCDay(),
    );
    const average = (day: number, hour?: number) => {
      const own = rows.filter((row) => row.day === day && (hour === undefined || row.hour === hour));
      const visits = own.reduce((total, row) => total + row.visits, 0);
      return count(Math.round((10 * visits) / dates.filter((each) => (each || 7) === day).length) / 10);
    };
    const hours = Array.from(
      { length: (rows.at(-1)?.hour ?? 0) - (rows[0]?.hour ?? 0) + 1 },
      (_, index) => (rows[0]?.hour ?? 0) + index,
    );
    const week = [1, 2, 3, 4, 5, 6, 7];
    return [
      ["dia", ...week.map((day) => average(day))],
      ...hours.map((hour) => [`${hour}h`, ...week.map((day) => average(day, hour))]),
    ];
  };

  const clientes = async ({ now }: Ranges): Promise<Table> => {
    const rows = await inRange(
      `select cliente_salon_id as id, (select cliente_nome from transacoes newest
           where newest.cliente_salon_id = visits.cliente_salon_id order by data_hora desc, id desc limit 1) as name,
         count(*)::int as visits, sum(total)::float as value,
         (min(data_hora) at time zone 'America/Sao_Paulo')::date::text as first
       from transacoes as visits
       where ${IN_RANGE} and not exists (
         select from transacoes before
         where before.cliente_salon_id = visits.cliente_salon_id and before.data_hora < $1
           and ($3 = '' or before.estabelecimento_id = $3))
       group by 1 having cliente_salon_id is not null order by visits desc, 1`,
      now,
    );
    return rows.map(({ id, name, visits, value, first }) => [
      plain(name ?? "") || `Cliente sem nome (cód. ${id})`,
      count(visits),
      money(value),
      dateOf(first),
    ]);
  };

  /** Clients with two visits in 400 days, and none in the last ones. */
  const ausentes = async ({ now }: Ranges, days: number): Promise<Table> => {
    const rows = await all(
      `select cliente_salon_id as id, max(cliente_nome) as name, count(*)::int as visits, sum(total)::float as value,
         (max(data_hora) at time zone 'America/Sao_Paulo')::date::text as last
       from transacoes
       where data_hora >= $1 and ($3 = '' or estabelecimento_id = $3) and cliente_salon_id not in (
         select cliente_salon_id from transacoes where data_hora >= $2 and cliente_salon_id is not null)
       group by 1 having count(*) >= 2 order by 4 desc, 1 limit 1100`,
      [`${shifted(today, -399)}T00:00:00-03:00`, `${shifted(today, 1 - days)}T00:00:00-03:00`, now.unit],
    );
    return rows.map(({ id, name, visits, value, last }) => [
      plain(name ?? "") || `Cliente sem nome (cód. ${id})`,
      money(value),
      count(visits),
      dateOf(last),
      String(daysBetween(last, today) - 1),
    ]);
  };

  const semCentro = async ({ now }: Ranges): Promise<Table> => {
    const { nameOf } = await figures.units();
    const rows = await inRange(
      `select ${PROFESSIONAL} as name, estabelecimento_id as unit, value::float, visits from (
         select estabelecimento_id, professional, sum(total) as value, count(*)::int as visits
         from (
           select distinct t.id, t.estabelecimento_id, total,
             nullif(s ->> 'idProfissionalQueRealizouServico', '') as professional
           from transacoes t left join lateral jsonb_array_elements(
             case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s
             on nullif(s ->> 'idProfissionalQueRealizouServico', '') is not null
           where ${IN_RANGE}) as took_part
         group by 1, 2) as rows
       where ${PROFESSIONAL.replace(/nullif\(trim\(p\.nome\), ''\)/, "p.erp_centro_custo_id").replace(/,\s+'Profissional.*$/s, ")")} is null
       order by rows.value desc, estabelecimento_id, professional`,
      now,
    );
    return rows.map(({ name, unit, value, visits }) => [
      plain(name),
      money(value),
      nameOf(unit),
      count(visits),
    ]);
  };

  const unmappedUnits = async ({ now }: Ranges): Promise<string[]> => {
    const rows = await all(
      `select nome from estabelecimentos where ativo and erp_centro_custo_id is null
         and ($1 = '' or salon_id = $1) order by ${BY_NAME}`,
      [now.unit],
    );
    return rows.map(({ nome }) => plain(nome));
  };

  return { servicos, produtos, horarios, clientes, ausentes, semCentro, unmappedUnits };
};

const [FROM = "", TO = ""] = DAYS["mes-passado"] ?? [];
const inBrasilia = (day: string, time: string) => `${day}T${time}-03:00`;
/** Visits at both ends of the month, and services that lack a name, a number or a professional. */
const VISITS: [unit: string, total: number, at: string, client: string | null, services: unknown][] = [
  ["103", 90, inBrasilia(FROM, "00:00:00"), null, [{ nome: "Corte", valor: 50.05 }, { cortesia: true }]],
  [
    "103",
    10.1,
    inBrasilia(TO, "23:59:59.999999"),
    "tab-client",
    [
      { nome: "", valor: "7", idProfissionalQueRealizouServico: "5006" },
      7,
      { nome: "Corte", valor: 10.1, cortesia: true, idProfissionalQueRealizouServico: "tab-unknown" },
      { nome: "Corte", valor: 0.1, idProfissionalQueRealizouServico: 5006 },
    ],
  ],
  ["103", 1000, inBrasilia(shifted(TO, 1), "00:00:00"), "tab-client", [{ nome: "Corte", valor: 1000 }]],
  ["101", 5, inBrasilia(shifted(FROM, 3), "12:00:00"), "tab-other", null],
  // A client of another salon: new in 103 only.
  ["101", 5, inBrasilia(shifted(FROM, -1), "23:59:59.999999"), "tab-client", [{ nome: "Corte", valor: 5 }]],
];
/** Payments at both ends of the ranges of due dates. */
const PAYMENTS: [centre: string | null, situacao: number, valor: number | null, due: string | null][] = [
  [null, 1, 10.1, shifted(today, -1)],
  ["tab-centre", 1, 20, today],
  ["7003", 1, 30.3, shifted(today, 29)],
  ["7003", 1, 999, shifted(today, 30)],
  ["7003", 2, 999, shifted(today, -1)],
  ["7003", 1, null, shifted(today, -365)],
  ["7003", 1, 7.7, null],
];

/** Rows at the ends of ranges, and odd ones. */
export const addOddRows = async ({ all }: Figures) => {
  for (const [index, [unit, total, at, client, services]] of VISITS.entries())
    await all(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, servicos, raw_data)
       values ($1, $2, $3, $4, $5, $6, '{}')`,
      [`tab-${index}`, unit, total, at, client, JSON.stringify(services)],
    );
  for (const [index, payment] of PAYMENTS.entries())
    await all(
      `insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, data_vencimento, descricao, raw_data)
       values ($1, $2, $3, $4, $5, 'tab', '{}')`,
      [880_000 + index, ...payment],
    );
};
export const removeOddRows = async ({ all }: Figures) => {
  await all("delete from transacoes where salon_id like 'tab-%'");
  await all("delete from pagamentos_erp where descricao = 'tab'");
};
