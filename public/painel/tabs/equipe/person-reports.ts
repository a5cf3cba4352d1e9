// The reports of a professional's page: the period, two years by month, and what to compare their return with.
import { money, monthName, shortMonth } from "../../format.ts";
import { comparedRangeOf, rangeOfDays } from "../../ranges.ts";
import {
  type OfUnit,
  type Professional,
  type Report,
  reportPath,
  rowsPath,
  type Services,
} from "../../reports.ts";
import { type Point, sumOf } from "../../series.ts";
import type { View } from "../../view.ts";

type Keys = OfUnit & Professional & { servico: string | null };
export type PersonReport = Report<Keys, Services>;
/** Rows that were added up: only the keys that they share are of all of them. */
export type Group = Keys & Services;
/** The measures of return are only for readers of personal data (R24). */
export type Return = { decididas: number; voltaram: number };
export type Months = Report<
  Professional & { mes: string },
  { servicos: number; valor_total: number } & Partial<Return>
>;

/** Each service of the period in each unit. */
export const personPath = (view: View, id: string): string =>
  rowsPath("servicos", {
    ...comparedRangeOf(view),
    profissional_salon_id: id,
    por: "unidade,servico,profissional",
    medidas: "servicos,cortesias,valor_total",
    ordem: "-valor_total",
  });

const thisYear = ({ clock: { today } }: View) => today.slice(0, 4);
const yearRange = (view: View, first: string) =>
  rangeOfDays({ from: `${first}-01-01`, to: view.clock.today }, view.unit);

/** This year and the last one by month. A visit is in one month, so its return may be added up. */
export const personMonthsPath = (view: View, id: string, hasReturn: boolean): string =>
  rowsPath("servicos", {
    ...yearRange(view, String(Number(thisYear(view)) - 1)),
    profissional_salon_id: id,
    por: "mes,profissional",
    medidas: `servicos,valor_total${hasReturn ? ",decididas,voltaram" : ""}`,
  });

/** The return of everybody's clients this year. */
export const returnPath = (view: View): string =>
  reportPath("servicos", { ...yearRange(view, thisYear(view)), medidas: "decididas,voltaram" });

const ofYear = ({ data }: Pick<Months, "data">, year: string) =>
  data.filter(({ mes }) => mes.startsWith(year));

/** What this year brought, and whose clients came back. */
export const yearTotals = (months: Months, view: View): Return & { valor_total: number } => {
  const rows = ofYear(months, thisYear(view));
  return {
    valor_total: sumOf(rows, (row) => row.valor_total),
    decididas: rows.reduce((sum, { decididas = 0 }) => sum + decididas, 0),
    voltaram: rows.reduce((sum, { voltaram = 0 }) => sum + voltaram, 0),
  };
};

const firstDay = (year: string, index: number) => `${year}-${String(index + 1).padStart(2, "0")}-01`;

/** The twelve months of this year, beside those of the last one. */
export const monthPoints = (months: Months, view: View): Point[] => {
  const { today } = view.clock;
  const year = thisYear(view);
  const last = String(Number(year) - 1);
  return Array.from({ length: 12 }, (_, index) => {
    const day = firstDay(year, index);
    const producedIn = (month: string) =>
      sumOf(
        months.data.filter(({ mes }) => mes === month),
        (row) => row.valor_total,
      );
    return {
      name: monthName(day, today) + (day.slice(0, 7) === today.slice(0, 7) ? ", até hoje" : ""),
      tick: shortMonth(day).replace(".", ""),
      value: day > today ? undefined : producedIn(day),
      earlier: producedIn(firstDay(last, index)),
    };
  });
};

/** novembro: R$ 120,00, em 2025 R$ 100,00. */
export const monthText = ({ name, value, earlier = 0 }: Point, view: View): string => {
  const before = `em ${Number(thisYear(view)) - 1} ${money(earlier)}`;
  return `${name}: ${value === undefined ? before : `${money(value)}, ${before}`}`;
};

/** Adds up rows with the same key. */
export const groupedBy = (rows: PersonReport["data"], key: "servico" | "estabelecimento_id"): Group[] => {
  const working = rows.filter(({ servicos }) => servicos > 0);
  const groups = new Map<string | null, Group[]>();
  for (const row of working) groups.set(row[key], [...(groups.get(row[key]) ?? []), row]);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      const countOf = (measure: "servicos" | "cortesias") =>
        group.reduce((sum, row) => sum + row[measure], 0);
      const totals = { servicos: countOf("servicos"), cortesias: countOf("cortesias") };
      return first ? [{ ...first, ...totals, valor_total: sumOf(group, (row) => row.valor_total) }] : [];
    })
    .sort((a, b) => b.valor_total - a.valor_total);
};
