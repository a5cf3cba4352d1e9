// The tables of the tabs by plain SQL, as the texts of their cells. The views are compared.
import { BY_NAME } from "../support/by-name.ts";
import {
  dateOf,
  daysBetween,
  delta,
  type Figures,
  IN_RANGE,
  PROFESSIONAL,
  type Range,
  SERVICES,
  share,
} from "./figures.ts";
import { count, money, plain, shifted, today } from "./panel.ts";

/** A view: its range, and the one that it is compared with. */
export interface Ranges {
  now: Range;
  earlier: Range;
}
type Table = string[][];
interface Valued {
  value: number;
}

const sum = (rows: Valued[]) => Math.round(rows.reduce((total, { value }) => total + 100 * value, 0)) / 100;

/** The rows of both ranges by the amount of the first, and then by their key. */
const both = <Row extends Valued>(
  now: Row[],
  past: Row[],
  keyOf: (row: Row) => string,
  none: Partial<Row>,
) => {
  const keys = now.map(keyOf);
  const gone = past.filter((row) => !keys.includes(keyOf(row))).map((row) => ({ ...row, ...none, value: 0 }));
  return [...now, ...gone].map((row) => ({
    ...row,
    before: past.find((each) => keyOf(each) === keyOf(row))?.value ?? 0,
  }));
};

export const openTables = (figures: Figures) => {
  const { all, inRange, revenueOfBoth, production } = figures;

  /** Orders rows by their amount, then by their text as the database orders it, null last. */
  const inOrder = async <Row>(
    rows: Row[],
    amountOf: (row: Row) => number,
    textOf: (row: Row) => string | null,
  ) => {
    const texts = await all("select text from unnest($1::text[]) as text order by text nulls last", [
      rows.map(textOf),
    ]);
    const rankOf = (row: Row) => texts.findIndex(({ text }) => text === textOf(row));
    return rows.sort((a, b) => amountOf(b) - amountOf(a) || rankOf(a) - rankOf(b));
  };

  const unidades = async ({ now, earlier }: Ranges): Promise<Table> => {
    const { nameOf } = await figures.units();
    return (await revenueOfBoth(now, earlier, "estabelecimento_id"))
      .sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1))
      .map(({ key, total, services, products, visits, ticket, before }) => {
        const isStore = visits + services + (before?.visits ?? 0) + (before?.services ?? 0) === 0;
        const average = ticket === null ? "—" : money(ticket);
        return [
          nameOf(key),
          money(total),
          delta(total, before?.total),
          money(before?.total ?? 0),
          isStore ? "" : money(services),
          money(products),
          isStore ? "" : count(visits),
          isStore ? "" : average,
        ];
      });
  };

  const equipe = async ({ now, earlier }: Ranges): Promise<Table> => {
    const { nameOf } = await figures.units();
    const keyOf = (row: { unit: string; professional: string | null }) =>
      `${row.unit} ${row.professional ?? "~"}`;
    const [rows, past] = [await production(now), await production(earlier)];
    const ordered = both(rows, past, keyOf, { services: 0, visits: 0, free: 0 }).sort(
      (a, b) => b.value - a.value || (keyOf(a) < keyOf(b) ? -1 : 1),
    );
    const working = ordered.filter(({ services }) => services > 0);
    return [...working, ...ordered.filter(({ services }) => services === 0)].map((row) => [
      plain(row.name) +
        [
          ...(now.unit ? [] : [nameOf(row.unit)]),
          ...(row.services ? [] : ["sem serviços neste período"]),
        ].join(" · "),
      money(row.value),
      delta(row.value, row.before),
      money(row.before),
      row.visits ? money(Math.round((100 * row.value) / row.visits) / 100) : "—",
      count(row.services),
      row.free ? count(row.free) : "",
      share(row.value, sum(rows)).replace("%", ""),
    ]);
  };

  const taxas = async ({ now, earlier }: Ranges): Promise<Table> => {
    const [{ rows }, { rows: past }] = [await figures.fees(now), await figures.fees(earlier)];
    const gone = past.filter(({ form, fees }) => fees > 0 && !rows.some((row) => row.form === form));
    const lost = gone.map(({ form }) => ({ form, fees: 0, value: 0, visits: 0 }));
    const byFees = await inOrder(
      [...rows, ...lost],
      ({ fees }) => fees,
      ({ form }) => form,
    );
    return byFees.map((row) => [
      plain(row.form ?? "") || "Não informada",
      money(row.fees),
      delta(row.fees, past.find(({ form }) => form === row.form)?.fees || undefined, money),
      share(row.fees, row.value),
      money(row.value),
      count(row.visits),
    ]);
  };

  /** What is not sent, by month, the newest first. */
  const envio = async ({ now }: Ranges): Promise<Table> => {
    const rows = await all(
      `select to_char(data_hora at time zone 'America/Sao_Paulo', 'YYYY-MM') as month, count(*)::int as visits,
         sum(total)::float as value
       from transacoes
       where not sent_to_erp and ($1 = '' or estabelecimento_id = $1)
       group by 1 order by 1 desc`,
      [now.unit],
    );
    return rows.map(({ month, visits, value }) => [
      new Date(`${month}-15`).toLocaleDateString("pt-BR", { month: "long", year: "numeric" }),
      count(visits),
      money(value),
    ]);
  };

  /** Pending payments by day from a year ago to 29 days ahead, and what is due before, after or never. */
  const contas = async ({ now }: Ranges): Promise<Table> => {
    const [first, last] = [shifted(today, -365), shifted(today, 29)];
    const rows = await all(
      `select case when data_vencimento < $1 then 'Antes de' when data_vencimento > $2 then 'Depois de'
           else coalesce(data_vencimento::text, 'Sem data de vencimento') end as due,
         count(*)::int as payments, coalesce(sum(valor), 0)::float as value
       from pagamentos_erp
       where situacao = 1 and ($3 = '' or id_centro_custo =
         (select erp_centro_custo_id::text from estabelecimentos where salon_id = $3))
       group by 1 order by min(data_vencimento) nulls last`,
      [first, last, now.unit],
    );
    const nameOf = (due: string) => {
      if (due === "Antes de") return `${due} ${dateOf(first)}`;
      if (due === "Depois de") return `${due} ${dateOf(last)}`;
      if (due.startsWith("Sem")) return due;
      const weekday = new Date(due).toLocaleDateString("pt-BR", { weekday: "short", timeZone: "UTC" });
      return `${weekday}, ${dateOf(due)}`;
    };
    const statusOf = (due: string) => {
      if (due.startsWith("Sem")) return "Sem data";
      return due === "Antes de" || (due < today && due !== "Depois de") ? "Vencido" : "A vencer";
    };
    return rows.map(({ due, payments, value }) => [
      nameOf(due),
      statusOf(due),
      count(payments),
      money(value),
    ]);
  };

  const entries = ({ from, to, unit }: Range) =>
    all(
      `select raw_data ->> 'Pessoa' as person, count(*)::int as entries,
         coalesce(sum((raw_data ->> 'ValorBruto')::numeric), 0)::float as value,
         (count(*) filter (where not sent_to_salon))::int as unsent,
         coalesce(sum((raw_data ->> 'ValorBruto')::numeric) filter (where not sent_to_salon), 0)::float as pending
       from lancamentos
       where left(raw_data ->> 'DataVencimento', 10) between $1 and $2 and ($3 = '' or estabelecimento_id = $3)
       group by 1 order by 3 desc, 1`,
      [from.slice(0, 10), to.slice(0, 10), unit],
    );
  const comissoes = async ({ now, earlier }: Ranges): Promise<Table> => {
    const rows = both(await entries(now), await entries(earlier), (row) => String(row.person), {
      entries: 0,
      unsent: 0,
      pending: 0,
    });
    return (
      await inOrder(
        rows,
        ({ value }) => value,
        ({ person }) => person,
      )
    ).map((row) => [
      plain(row.person ?? "") || "Pessoa não informada",
      money(row.value),
      delta(row.value, row.before || undefined, money),
      count(row.entries),
      count(row.unsent),
      money(row.pending),
    ]);
  };

  /** The cells that the tables of services and products share. */
  const valued = ({ value, before }: Valued & { before: number }, all: number) => [
    money(value),
    delta(value, before),
    money(before),
    share(value, all),
  ];

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

  const products = (range: Range) =>
    inRange(
      `select produto_id as id, produto_nome as name,
         coalesce(sum(quantidade) filter (where not taken), 0)::float as sold,
         coalesce(sum(valor_total) filter (where not taken), 0)::float as value,
         coalesce(sum(quantidade) filter (where taken), 0)::float as taken,
         coalesce(sum(valor_total) filter (where taken), 0)::float as kept
       from (
         select produto_id, produto_nome, coalesce(forma_pagamento = 'Descontar do Profissional', false) as taken,
           case when abs(quantidade) < 'Infinity' then quantidade end as quantidade,
           case when abs(valor_total) < 'Infinity' then valor_total end as valor_total
         from vendas_produto where ${IN_RANGE}) as lines
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

  return {
    unidades,
    equipe,
    taxas,
    envio,
    contas,
    comissoes,
    servicos,
    produtos,
    horarios,
    clientes,
    ausentes,
    semCentro,
    unmappedUnits,
  };
};
