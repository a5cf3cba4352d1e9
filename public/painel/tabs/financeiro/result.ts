// What is left: the reports behind it, their order, and the lists of their bills.
import { listSearch } from "../../links.ts";
import { comparedRangeOf, rangeOf, rangeOfDays } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { type Days, dayOf, elapsedDays, lastOfMonth, type View } from "../../view.ts";

/** Bills that are not known are null (R27). */
export type Result = {
  faturamento: number;
  despesas: number | null;
  resultado: number | null;
  margem: number | null;
};
/** Without an id: the bills of no unit. */
type OfAnyUnit = { estabelecimento_id: string | null };
export type UnitResults = Report<OfAnyUnit, Result>;
export type MonthResults = Report<{ mes: string }, Result>;
export type Margins = Report<OfAnyUnit & { mes: string }, Pick<Result, "margem">>;
export type UnitResult = UnitResults["data"][number];
export type MonthResult = MonthResults["data"][number];

/** The service compares only what is over in the data (R27). */
const isOver = (view: View, dataUntil: number | undefined) =>
  elapsedDays(view).to < (dataUntil === undefined ? view.clock.today : dayOf(dataUntil));

export const unitsPath = (view: View, dataUntil: number | undefined): string =>
  rowsPath("resultado", {
    ...(isOver(view, dataUntil) ? comparedRangeOf(view) : rangeOf(view)),
    por: "unidade",
  });

/** The year of the period, until today. */
export const yearOf = (view: View): Days => {
  const year = elapsedDays(view).to.slice(0, 4);
  const last = `${year}-12-31`;
  return { from: `${year}-01-01`, to: last < view.clock.today ? last : view.clock.today };
};

export const monthsPath = (view: View): string =>
  rowsPath("resultado", { ...rangeOfDays(yearOf(view), view.unit), por: "mes" });

/** The months of the table of margins. */
const MONTHS_SHOWN = 5;

export const marginsPath = (view: View): string =>
  rowsPath("resultado", { ...rangeOfDays(yearOf(view), view.unit), por: "mes,unidade", medidas: "margem" });

/** The days of a month until today. */
const daysOfMonth = (mes: string, { clock: { today } }: View): Days => {
  const last = lastOfMonth(mes);
  return { from: mes, to: last < today ? last : today };
};

/** The list of the bills of some days: of a unit, of no unit (null), or of all (""). */
export const billsOf = (view: View, days: Days, unit: string | null = ""): string =>
  unit === null
    ? listSearch(view, { name: "contas-sem-unidade", ...days })
    : listSearch(view, { name: "contas", unit, ...days });

export const billsOfMonth = (view: View, { mes }: MonthResult): string =>
  billsOf(view, daysOfMonth(mes, view));

/** The highest margin first, then who has none by revenue, and the bills of no unit last. */
export const byMargin = (rows: readonly UnitResult[]): UnitResult[] =>
  rows.toSorted(
    (a, b) =>
      Number(a.estabelecimento_id === null) - Number(b.estabelecimento_id === null) ||
      (b.margem ?? Number.NEGATIVE_INFINITY) - (a.margem ?? Number.NEGATIVE_INFINITY) ||
      b.faturamento - a.faturamento,
  );

/** A unit with its margin in each month; null without one. */
interface MarginRow {
  unit: string;
  margins: (number | null)[];
}

/** The margins of the last months, by unit, in the order of the last one. Who never has one has no row. */
export const marginRows = ({ data }: Margins): { months: string[]; rows: MarginRow[] } => {
  const months = [...new Set(data.map(({ mes }) => mes))].sort().slice(-MONTHS_SHOWN);
  const units = new Map<string, (number | null)[]>();
  for (const { estabelecimento_id: unit, mes, margem } of data) {
    const at = months.indexOf(mes);
    if (unit === null || at < 0 || margem === null) continue;
    const margins = units.get(unit) ?? months.map(() => null);
    margins[at] = margem;
    units.set(unit, margins);
  }
  const rows = [...units].map(([unit, margins]) => ({ unit, margins }));
  const last = ({ margins }: MarginRow) => margins.at(-1) ?? Number.NEGATIVE_INFINITY;
  return { months, rows: rows.toSorted((a, b) => (last(b) === last(a) ? 0 : last(b) - last(a))) };
};
