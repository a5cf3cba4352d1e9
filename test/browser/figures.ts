// The figures of the panel by plain SQL over the tables, and their texts. Neither uses the code of the panel.
import { dataInstant } from "../oracle/comparison.ts";
import { EVERYTHING } from "../oracle/general/compare-general.ts";
import { expectedRows } from "../oracle/general/expected-rows.ts";
import type { PlainSource } from "../oracle/general/plain-source.ts";
import { SOURCES } from "../oracle/general/sources.ts";
import type { Instant } from "../oracle/instants.ts";
import { count, money, percent, plain, shifted } from "./panel.ts";
import { brasilia, daysBetween, endOf, lastOfMonth, monthsBefore, type Range, type Ranges } from "./views.ts";
import { all, db, type Row } from "./warehouse.ts";

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
    : change.startsWith("−")
      ? ["↓", " a menos"]
      : ["=", ""];
  return plain(`${arrow} ${change.replace(/^[+−]/, "")}${word} ${earlier}`);
};

/** The change of an amount as the cells of a table: in per cent, in reais, and what it was before. */
export const changeCells = (now: number, before: number): string[] => {
  const difference = (cents(now) - cents(before)) / 100;
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
  return [delta(now, before), sign + money(Math.abs(difference)), money(before)];
};

export const share = (part: number, whole: number) => (whole === 0 ? "—" : percent(part / whole));
export const sumOf = (rows: Row[], key: string) =>
  rows.reduce((total, row) => total + cents(row[key]), 0) / 100;
export const counted = (value: number, one: string, many: string) =>
  `${count(value)} ${value === 1 ? one : many}`;
export const roundMoney = (reais: number) =>
  plain(
    reais.toLocaleString("pt-BR", { style: "currency", currency: "BRL", maximumFractionDigits: 0 }),
  ).replace("-", "−");
export const dateOf = (day: string) => day.slice(0, 10).split("-").reverse().join("/");

export const instantsOf = ({ from, to }: Range) => {
  const instant = (at: string): Instant =>
    BigInt(Date.parse(at)) * 1000n + (at.includes(".999999") ? 999n : 0n);
  return { from: instant(from), to: instant(to) };
};

export const ofUnit = ({ unit }: Range): Record<string, string> => (unit ? { estabelecimento_id: unit } : {});

interface Asked {
  medidas?: string[];
  ordem?: string;
  filters?: Record<string, string>;
  /** Without a range. */
  isOfAllTime?: boolean;
}

/** The rows of a general report, as the oracle expects them. Those that are compared have their earlier measures. */
export const rowsOfReport = async (
  report: string,
  por: string[],
  { now, earlier }: Ranges,
  { medidas, ordem, filters = {}, isOfAllTime = false }: Asked = {},
): Promise<Row[]> => {
  const reached = await dataInstant(db, Date.now());
  return expectedRows(db, {
    source: SOURCES[report] as PlainSource,
    question: { por, medidas, ordem, filters: { ...ofUnit(now), ...filters }, isCsv: false },
    rights: EVERYTHING,
    range: isOfAllTime ? {} : instantsOf(now),
    earlier: earlier && instantsOf(earlier),
    reached,
  });
};

export const revenueBy = (por: string[], ranges: Ranges) => rowsOfReport("faturamento", por, ranges);

/** The revenue of everything, as one row. */
export const revenueOf = async (ranges: Ranges): Promise<Row> => (await revenueBy([], ranges))[0];

/** Whether the data begin before the first days, or months, of a range are over. */
export const beginsLate = async ({ from, to, unit }: Range) => {
  const [first, last] = [brasilia(from).slice(0, 10), brasilia(to).slice(0, 10)];
  const end = daysBetween(first, last) > 731 ? lastOfMonth(monthsBefore(first, -6)) : shifted(first, 6);
  const until = endOf([end, last].sort()[0] ?? last);
  const rows = await revenueBy(["dia"], { now: { from, to: until, unit } });
  return rows.every(({ valor_total }) => valor_total === 0);
};

/** The clients of a range, and the new ones among them. */
export const clients = async (ranges: Ranges): Promise<Row> =>
  (await rowsOfReport("visitas", [], ranges, { medidas: ["clientes", "clientes_novos"] }))[0];

/** Fees by payment method, the highest first. Their sum is rounded once. */
export const fees = async (ranges: Ranges) => {
  const medidas = ["visitas", "valor_total", "taxas"];
  const [totals] = await rowsOfReport("visitas", [], ranges, { medidas });
  const rows = await rowsOfReport("visitas", ["forma_pagamento"], ranges, { medidas, ordem: "-taxas" });
  return { rows, total: totals.taxas as number };
};

export const personName = ({ profissional, profissional_salon_id: id }: Row): string =>
  plain(profissional ?? "") ||
  (id === null ? "Profissional não identificado" : `Profissional não cadastrado (cód. ${id})`);

/** What each professional did, the highest amount first, with the units where they did most services. */
export const people = async (ranges: Ranges): Promise<Row[]> => {
  const medidas = ["servicos", "cortesias", "valor_total", "visitas"];
  const rows = await rowsOfReport("servicos", ["profissional"], ranges, { medidas, ordem: "-valor_total" });
  const places = await rowsOfReport("servicos", ["unidade", "profissional"], ranges, {
    medidas: ["servicos"],
  });
  return rows.map((row) => {
    const own = places.filter(({ profissional_salon_id: id }) => id === row.profissional_salon_id);
    const working = own.filter(({ servicos }) => servicos > 0);
    const at = working.length > 0 ? working : own;
    const name = personName((at.length === 1 && at[0]) || row);
    return { ...row, name, units: at.map(({ estabelecimento_id: unit }) => unit as string) };
  });
};

/** Pending payments of a unit's cost centre, or of all, between two days. */
export const due = async (unit: string, from: string, to: string) => {
  const [sums] = await all(
    `select count(*)::int as count, coalesce(sum(valor), 0)::float as value, min(data_vencimento)::text as oldest
     from pagamentos_erp
     where situacao = 1 and data_vencimento between $1 and $2 and ($3 = '' or id_centro_custo =
       (select erp_centro_custo_id::text from estabelecimentos where salon_id = $3))`,
    [from, to, unit],
  );
  return sums as { count: number; value: number; oldest: string | null };
};

export const units = async () => {
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

/** The first unit, and the number of the others. */
export const namedUnits = (names: string[]) =>
  names.length > 1 ? `${names[0]} e mais ${names.length - 1}` : names.join();
