// The figures of the panel by plain SQL over the tables, and their texts. Neither uses the code of the panel.
import { count, money, percent, plain, shifted } from "./panel.ts";
import { brasilia, daysBetween, endOf, lastOfMonth, monthsBefore, type Range } from "./views.ts";
import { db } from "./warehouse.ts";

const cents = (reais: number) => Math.round(100 * reais);

/** The change of a figure as the panel says it, with what it was before. */
export const delta = (
  now: number | null,
  before: number | null | undefined,
  format?: (value: number) => string,
  isFair = true,
): string => {
  if (before === undefined) return "";
  const earlier = format && before !== null ? `antes ${format(before)}` : "";
  if (!isFair || now === null || before === null || before <= 0) return earlier || "—";
  const change = percent((cents(now) - cents(before)) / cents(before), "exceptZero");
  const [arrow, word] = change.startsWith("+")
    ? ["↑", " a mais"]
    : change.startsWith("-")
      ? ["↓", " a menos"]
      : ["=", ""];
  return plain(`${arrow} ${change.replace(/^[+-]/, "")}${word} ${earlier}`);
};

/** The change of an amount as the cells of a table: in per cent, in reais, and what it was before. */
export const changeCells = (now: number, before: number): string[] => {
  const difference = (cents(now) - cents(before)) / 100;
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
  return [delta(now, before), sign + money(Math.abs(difference)), money(before)];
};

export const share = (part: number, whole: number) => (whole === 0 ? "—" : percent(part / whole));
export const counted = (value: number, one: string, many: string) =>
  `${count(value)} ${value === 1 ? one : many}`;
export const roundMoney = (reais: number) =>
  plain(reais.toLocaleString("pt-BR", { style: "currency", currency: "BRL", maximumFractionDigits: 0 }));
export const dateOf = (day: string) => day.slice(0, 10).split("-").reverse().join("/");

export interface Revenue {
  key: string;
  total: number;
  services: number;
  products: number;
  visits: number;
  ticket: number | null;
}
const NOTHING = { total: 0, services: 0, products: 0, visits: 0, ticket: null };

/** The rows of a range, which are those of `range`, of one unit or of all. */
export const IN_RANGE = `data_hora >= $1 and data_hora <= $2 and ($3 = '' or estabelecimento_id = $3)`;
/** What customers paid: visits, and lines of products that no professional took. */
const PAID = `
  select estabelecimento_id, 'salao' as origem, data_hora, 1 as visits, total as value, 0 as product
  from transacoes
  union all
  select estabelecimento_id, origem, data_hora, 0,
    case when taken and origem = 'salao' then -valor_total when taken then 0 when origem = 'loja' then valor_total
      else 0 end,
    case when taken then 0 else valor_total end
  from (
    select estabelecimento_id, origem, data_hora, coalesce(valor_total, 0) as valor_total,
      coalesce(forma_pagamento = 'Descontar do Profissional', false) as taken
    from vendas_produto
    where valor_total is distinct from 'NaN'
  ) as lines`;
const DAY = `(data_hora at time zone 'America/Sao_Paulo')::date::text`;

export const SERVICES = `services as (
  select estabelecimento_id, transacoes.id as visit,
    nullif(s ->> 'idProfissionalQueRealizouServico', '') as professional,
    case when jsonb_typeof(s -> 'nome') = 'string' then s ->> 'nome' end as name,
    case when jsonb_typeof(s -> 'valor') = 'number' then (s -> 'valor')::numeric else 0 end as value,
    coalesce(s -> 'cortesia' = 'true', false) as free
  from transacoes,
    jsonb_array_elements(case when jsonb_typeof(servicos) = 'array' then servicos else '[]' end) s
  where jsonb_typeof(s) = 'object' and ${IN_RANGE})`;
/** The professional of a row: of the same unit first, then active ones, then the first. */
export const PROFESSIONAL = `coalesce(
  (select nullif(trim(p.nome), '')
   from profissionais p
   where p.salon_id = professional
   order by p.salon_estabelecimento_id is not distinct from estabelecimento_id desc, p.ativo desc, p.id
   limit 1),
  'Profissional não cadastrado (cód. ' || professional || ')', 'Profissional não identificado')`;

/** 24 hours before the data instant. */
const A_DAY_OLD = "(data_instant(now()) - interval '24 hours')";

const openFigures = () => {
  // biome-ignore lint/suspicious/noExplicitAny: rows of SQL
  const all = async (sql: string, values: unknown[] = []): Promise<any[]> =>
    (await db.query(sql, values)).rows;
  const inRange = (sql: string, { from, to, unit }: Range) => all(sql, [from, to, unit]);

  const revenueBy = (range: Range, key: string): Promise<Revenue[]> =>
    inRange(
      `select ${key} as key, sum(value)::float as total, sum(product)::float as products,
         (sum(value) - sum(product))::float as services, sum(visits)::int as visits,
         (round(sum(value) filter (where origem = 'salao') / nullif(sum(visits), 0), 2))::float as ticket
       from (${PAID}) as paid
       where ${IN_RANGE}
       group by 1
       order by 2 desc, 1`,
      range,
    );

  /** The rows of both ranges: each with its earlier one, those without one in the range last. */
  const revenueOfBoth = async (range: Range, earlier: Range | undefined, key: string) => {
    const [now, past] = [await revenueBy(range, key), earlier ? await revenueBy(earlier, key) : []];
    const gone = past.filter((row) => !now.some((each) => each.key === row.key));
    return [...now, ...gone.map(({ key: of }) => ({ ...NOTHING, key: of }))].map((row) => ({
      ...row,
      before: earlier && { ...NOTHING, ...past.find((each) => each.key === row.key) },
    }));
  };

  /** Whether the data begin before the first days, or months, of a range are over. */
  const beginsLate = async ({ from, to, unit }: Range) => {
    const [first, last] = [brasilia(from).slice(0, 10), brasilia(to).slice(0, 10)];
    const end = daysBetween(first, last) > 731 ? lastOfMonth(monthsBefore(first, -6)) : shifted(first, 6);
    const rows = await revenueBy({ from, to: endOf([end, last].sort()[0] ?? last), unit }, DAY);
    return rows.every(({ total }) => total === 0);
  };

  const clients = async (range: Range) => {
    const [sums] = await inRange(
      `select count(distinct cliente_salon_id)::int as all,
         count(distinct cliente_salon_id) filter (where not exists (
           select from transacoes before
           where before.cliente_salon_id = visits.cliente_salon_id and before.data_hora < $1
             and ($3 = '' or before.estabelecimento_id = $3)))::int as new
       from transacoes as visits
       where ${IN_RANGE}`,
      range,
    );
    return sums as { all: number; new: number };
  };

  /** Fees by payment method, the highest first. Their sum is rounded once. */
  const fees = async (range: Range) => {
    const rows = await inRange(
      `select forma_pagamento_principal as form, count(*)::int as visits, sum(total)::float as value,
         round(sum(total * coalesce(taxa_cobrada_profissional, 0)), 2)::float as fees,
         (round(sum(sum(total * coalesce(taxa_cobrada_profissional, 0))) over (), 2))::float as all
       from transacoes left join taxas_cartao on forma_pagamento = forma_pagamento_principal
       where ${IN_RANGE}
       group by 1
       order by 4 desc, 1`,
      range,
    );
    return { rows, total: (rows[0]?.all ?? 0) as number };
  };

  /** What each professional did, over all units. */
  const people = (range: Range) =>
    inRange(
      `with ${SERVICES}
       select professional, ${PROFESSIONAL.replace("from estabelecimento_id", "from unit")} as name, units, services, free, visits,
         value::float as value
       from (
         select professional, count(*)::int as services, (count(*) filter (where free))::int as free,
           count(distinct visit)::int as visits, round(sum(value), 2) as value,
           case when count(distinct estabelecimento_id) = 1 then min(estabelecimento_id) end as unit,
           (select array_agg(estabelecimento_id order by n desc, estabelecimento_id) from (
             select estabelecimento_id, count(*) as n from services as own
             where own.professional is not distinct from services.professional group by 1) as of) as units
         from services
         group by 1) as rows
       order by value desc, 1 nulls last`,
      range,
    );

  /** What each professional did in each unit. */
  const production = (range: Range) =>
    inRange(
      `with ${SERVICES}
       select estabelecimento_id as unit, professional, ${PROFESSIONAL} as name, services, free, visits,
         value::float as value
       from (
         select estabelecimento_id, professional, count(*)::int as services, (count(*) filter (where free))::int as free,
           count(distinct visit)::int as visits, round(sum(value), 2) as value
         from services
         group by 1, 2) as rows
       order by value desc, 1, 2 nulls last`,
      range,
    );

  /** Pending payments of a cost centre, or of all, between two days. */
  const due = async (unit: string, from: string, to: string) => {
    const [sums] = await all(
      `select count(*)::int as count, coalesce(sum(valor), 0)::float as value, min(data_vencimento)::text as oldest
       from pagamentos_erp
       where situacao = 1 and data_vencimento between $1 and $2 and ($3 = '' or id_centro_custo =
         (select erp_centro_custo_id::text from estabelecimentos where salon_id = $3))`,
      [from, to, unit],
    );
    return sums as { count: number; value: number; oldest: string | null };
  };

  const unsent = async (unit: string) => {
    const [sums] = await all(
      `select count(*)::int as all, (count(*) filter (where is_old))::int as count,
         coalesce(sum(total) filter (where is_old), 0)::float as value,
         (min(data_hora) filter (where is_old) at time zone 'America/Sao_Paulo')::date::text as oldest
       from (select *, data_hora <= ${A_DAY_OLD} as is_old from transacoes) as visits
       where not sent_to_erp and ($1 = '' or estabelecimento_id = $1)`,
      [unit],
    );
    return sums as { all: number; count: number; value: number; oldest: string | null };
  };

  /** Ledger entries that are not in the salon system: all, and those due by a day before the data instant. */
  const unsentEntries = async (unit: string) => {
    const [sums] = await all(
      `select count(*)::int as all, (count(*) filter (where is_old))::int as count,
         coalesce(sum(value) filter (where is_old), 0)::float as value,
         (${A_DAY_OLD} at time zone 'America/Sao_Paulo')::date::text as until
       from (
         select *, due <= (${A_DAY_OLD} at time zone 'America/Sao_Paulo')::date::text as is_old,
           (raw_data ->> 'ValorBruto')::numeric as value
         from (select *, left(raw_data ->> 'DataVencimento', 10) as due from lancamentos) as entries) as entries
       where not sent_to_salon and ($1 = '' or estabelecimento_id = $1)`,
      [unit],
    );
    return sums as { all: number; count: number; value: number; until: string };
  };

  const units = async () => {
    const rows = await all("select salon_id, nome, ativo from estabelecimentos where salon_id is not null");
    const byId = new Map(rows.map(({ salon_id, nome, ativo }) => [salon_id as string, { nome, ativo }]));
    return {
      ids: [...byId.keys()],
      isOpen: (id: string) => byId.get(id)?.ativo === true,
      nameOf: (id: string) =>
        plain(
          `${byId.get(id)?.nome?.trim() || `Unidade ${id}`}${byId.get(id)?.ativo === false ? " (inativa)" : ""}`,
        ),
    };
  };

  return {
    all,
    inRange,
    revenueBy,
    revenueOfBoth,
    beginsLate,
    clients,
    fees,
    production,
    people,
    due,
    unsent,
    unsentEntries,
    units,
  };
};

export const figures = openFigures();
export type Figures = typeof figures;
