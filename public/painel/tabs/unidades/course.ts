// The points of this tab's charts.

import { barName, centavos, dayMonth, shortMonth } from "../../format.ts";
import { type RowStep, stepOf } from "../../ranges.ts";
import type { EarlierRange } from "../../reports.ts";
import type { Point } from "../../series.ts";
import { barPoints, isMonth } from "../../series.ts";
import { addDays, dayCount, elapsedDays, type View } from "../../view.ts";
import type { CourseReport, UnitCourse } from "./revenue.ts";

const hourTick = (hour: number, index: number) => (index % 3 === 0 ? `${hour}h` : "");

/** One bar a step of the chosen unit: an hour of one day, otherwise as in Início. */
export const unitPoints = (
  view: View,
  { data }: UnitCourse,
  earlier: EarlierRange | undefined,
  weekdays: UnitCourse | undefined,
): Point[] =>
  stepOf(view) === "hora"
    ? data.map(({ hora = 0, valor_total, anterior }, index) => ({
        name: barName({ ...elapsedDays(view), hour: hora }, "hora"),
        tick: hourTick(hora, index),
        value: valor_total,
        ...(anterior && { earlier: anterior.valor_total }),
      }))
    : barPoints(view, data, earlier, weekdays?.data);

const keyOf = ({ dia, mes, hora }: CourseReport["data"][number]) =>
  dia ?? mes ?? String(hora ?? 0).padStart(2, "0");

const stepsOf = (view: View, step: RowStep, { data }: CourseReport): string[] => {
  const days = elapsedDays(view);
  return step === "dia"
    ? Array.from({ length: dayCount(days) }, (_, index) => addDays(days.from, index))
    : [...new Set(data.map(keyOf))].sort();
};

const nameOfStep = (key: string, step: RowStep) =>
  step === "hora"
    ? barName({ from: "", to: "", hour: Number(key) }, "hora")
    : barName({ from: key, to: key.slice(0, 7) }, step);

const tickOfStep = (key: string, step: RowStep, view: View) => {
  if (step === "hora") return `${Number(key)}h`;
  if (step === "mes") return shortMonth(key).replace(".", "");
  return isMonth(view) ? String(Number(key.slice(8))) : dayMonth(key);
};

/** The running totals of two units: `value` is of the first, `earlier` of the second. */
export const pairPoints = (
  view: View,
  step: RowStep,
  course: CourseReport,
  [first, second]: readonly [string, string],
): Point[] => {
  const sums = new Map([first, second].map((id) => [id, 0]));
  const rows = new Map<string, CourseReport["data"]>();
  for (const row of course.data) rows.set(keyOf(row), [...(rows.get(keyOf(row)) ?? []), row]);
  const steps = stepsOf(view, step, course);
  const every = Math.ceil(steps.length / 6);
  return steps.map((key, index) => {
    for (const { estabelecimento_id: id, valor_total } of rows.get(key) ?? [])
      if (sums.has(id)) sums.set(id, (sums.get(id) ?? 0) + centavos(valor_total));
    return {
      name: nameOfStep(key, step),
      tick: index % every === 0 ? tickOfStep(key, step, view) : "",
      value: (sums.get(first) ?? 0) / 100,
      earlier: (sums.get(second) ?? 0) / 100,
    };
  });
};
