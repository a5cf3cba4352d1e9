// The tables of Unidades, Equipe and Financeiro by plain SQL, as the texts of their cells. The views are compared.
import { changeCells, dateOf, type Figures, share } from "./figures.ts";
import { count, money, plain, shifted, today } from "./panel.ts";
import type { Range } from "./views.ts";

/** A view: its range, and the one that it is compared with. */
export interface Ranges {
  now: Range;
  earlier: Range;
}
export type Table = string[][];
export interface Valued {
  value: number;
}

export const sum = (rows: Valued[]) =>
  Math.round(rows.reduce((total, { value }) => total + 100 * value, 0)) / 100;

/** The rows of both ranges by the amount of the first, and then by their key. */
export const both = <Row extends Valued>(
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

/** Orders rows by their amount, then by their text as the database orders it, null last. */
export const inOrder = async <Row>(
  { all }: Figures,
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

/** The first three units of more than four. */
export const namedUnits = (names: string[]) =>
  names.length > 4 ? `${names.slice(0, 3).join(", ")} e mais ${names.length - 3} unidades` : names.join(", ");

export const openTables = (figures: Figures) => {
  const { all, revenueOfBoth, people } = figures;

  /** Of last month, which has goals. */
  const unidades = async ({ now, earlier }: Ranges): Promise<Table> => {
    const { nameOf } = await figures.units();
    const goals = await all(
      "select estabelecimento_id as key, valor::float as goal from metas where mes = $1 and valor > 0",
      [now.from.slice(0, 10)],
    );
    const goalOf = (unit: string) => goals.find(({ key }) => key === unit)?.goal ?? 0;
    return (await revenueOfBoth(now, earlier, "estabelecimento_id"))
      .sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1))
      .map(({ key, total, services, products, visits, ticket, before }) => {
        const isStore = visits + services + (before?.visits ?? 0) + (before?.services ?? 0) === 0;
        const average = ticket === null ? "—" : money(ticket);
        return [
          nameOf(key),
          money(total),
          ...changeCells(total, before?.total ?? 0),
          share(total, goalOf(key)),
          isStore ? "" : money(services),
          money(products),
          isStore ? "" : count(visits),
          isStore ? "" : average,
        ];
      });
  };

  const equipe = async ({ now, earlier }: Ranges): Promise<Table> => {
    const { nameOf } = await figures.units();
    const keyOf = (row: { professional: string | null }) => row.professional ?? "~";
    const [rows, past] = [await people(now), await people(earlier)];
    const ordered = both(rows, past, keyOf, { services: 0, visits: 0, free: 0 }).sort(
      (a, b) => b.value - a.value || (keyOf(a) < keyOf(b) ? -1 : 1),
    );
    const working = ordered.filter(({ services }) => services > 0);
    const [known, unknown] = [true, false].map((is) =>
      working.filter(({ professional }) => (professional !== null) === is),
    );
    return [...(known ?? []), ...(unknown ?? []), ...ordered.filter(({ services }) => services === 0)].map(
      (row) => [
        plain(row.name) +
          [
            ...(now.unit ? [] : [namedUnits(row.units.map(nameOf))]),
            ...(row.services ? [] : ["sem serviços neste período"]),
          ].join(" · "),
        money(row.value),
        ...changeCells(row.value, row.before),
        row.visits ? money(Math.round((100 * row.value) / row.visits) / 100) : "—",
        count(row.services),
        row.free ? count(row.free) : "",
        share(row.value, sum(rows)),
      ],
    );
  };

  const taxas = async ({ now, earlier }: Ranges): Promise<Table> => {
    const [{ rows }, { rows: past }] = [await figures.fees(now), await figures.fees(earlier)];
    const gone = past.filter(({ form, fees }) => fees > 0 && !rows.some((row) => row.form === form));
    const lost = gone.map(({ form }) => ({ form, fees: 0, value: 0, visits: 0 }));
    const byFees = await inOrder(
      figures,
      [...rows, ...lost],
      ({ fees }) => fees,
      ({ form }) => form,
    );
    const feesBefore = (form: string | null) => past.find((row) => row.form === form)?.fees ?? 0;
    return byFees.map((row) => [
      plain(row.form ?? "") || "Não informada",
      money(row.fees),
      ...changeCells(row.fees, feesBefore(row.form)),
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

  /** Ledger entries that are not sent, by unit. */
  const lancamentos = async ({ now }: Ranges): Promise<Table> => {
    const { nameOf } = await figures.units();
    const rows = await all(
      `select estabelecimento_id as unit, count(*)::int as entries,
         coalesce(sum((raw_data ->> 'ValorBruto')::numeric), 0)::float as value
       from lancamentos where not sent_to_salon and ($1 = '' or estabelecimento_id = $1) group by 1 order by 3 desc, 1`,
      [now.unit],
    );
    return rows.map(({ unit, entries: of, value }) => [nameOf(unit), count(of), money(value)]);
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
        figures,
        rows,
        ({ value }) => value,
        ({ person }) => person,
      )
    ).map((row) => [
      plain(row.person ?? "") || "Pessoa não informada",
      money(row.value),
      ...changeCells(row.value, row.before),
      count(row.entries),
      count(row.unsent),
      money(row.pending),
    ]);
  };

  return { unidades, equipe, taxas, envio, lancamentos, contas, comissoes };
};
