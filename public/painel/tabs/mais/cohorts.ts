// Cohorts: of the clients who first came in a month, how many came in each month after it.
import { rangeOfDays } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { monthsBefore } from "../../series.ts";
import { lastOfMonth, type View } from "../../view.ts";

export type CohortReport = Report<{ coorte: string | null }, { clientes: number }>;

export interface Cohort {
  /** The first day of the month in which its clients came for the first time. */
  month: string;
  newClients: number;
  /** How many of them came in each later month, until today's. */
  returned: number[];
}

/** Three reports give five months: the running one, and two pairs of a month and the one before it. */
const MONTHS = 5;

/** The first days of the months, the newest first. */
const monthsOf = ({ clock: { today } }: View) =>
  Array.from({ length: MONTHS }, (_, index) => monthsBefore(`${today.slice(0, 8)}01`, index));

const pathOf = (view: View, month: string, comparar?: string) =>
  rowsPath("clientes", {
    // A running month ends today, so that the range stays the same for a day.
    ...rangeOfDays({ from: month, to: [lastOfMonth(month), view.clock.today].sort()[0] ?? month }, view.unit),
    por: "coorte",
    medidas: "clientes",
    comparar,
  });

/** Of today's month alone: an earlier range would end where the data does. */
export const cohortPaths = (view: View): [running: string, last: string, third: string] => {
  const [now = "", last = "", , third = ""] = monthsOf(view);
  return [pathOf(view, now), pathOf(view, last, "mes-anterior"), pathOf(view, third, "mes-anterior")];
};

type Count = (cohort: string) => number;

const countsIn = ({ data }: CohortReport): [now: Count, before: Count] => {
  const rows = new Map(data.map((row) => [row.coorte, row]));
  return [(cohort) => rows.get(cohort)?.clientes ?? 0, (cohort) => rows.get(cohort)?.anterior?.clientes ?? 0];
};

/** The oldest first. */
export const cohortsOf = (view: View, [running, last, third]: readonly CohortReport[]): Cohort[] => {
  if (!running || !last || !third) return [];
  const counts = [...countsIn(running).slice(0, 1), ...countsIn(last), ...countsIn(third)];
  return monthsOf(view)
    .map((month, age) => {
      // Its own month is the last of these.
      const [newClients = 0, ...returned] = counts
        .slice(0, age + 1)
        .map((countOf) => countOf(month))
        .toReversed();
      return { month, newClients, returned };
    })
    .toReversed();
};
