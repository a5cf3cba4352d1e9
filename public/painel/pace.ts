// Goals of units, and the pace to the end of this month. Sums are of whole centavos.
import { centavos } from "./format.ts";
import { isWhole, type PanelBody } from "./reports.ts";
import { isMonth, sumOf, wholeOf } from "./series.ts";
import { addDays, type Days, dayCount, type View, weekday } from "./view.ts";

/** A pace of fewer days would say little. */
const FIRST_DAY = 5;
/** A mean is of as many days: the last eight Mondays, Tuesdays, … */
const WEEKS = 8;

/** The whole month that a view is of; undefined if it is of other days. Only months have goals. */
export const monthOf = (view: View): Days | undefined => {
  const whole = wholeOf(view);
  return whole && isMonth(whole) ? whole : undefined;
};

/** Whether the view is of a month that is over. */
export const isMonthOver = (view: View): boolean => {
  const month = monthOf(view);
  return month !== undefined && view.clock.today > month.to;
};

type PaceParts = Pick<PanelBody, "faturamento_por_unidade" | "faturamento_hoje" | "faturamento_semanas">;

type OfUnits = readonly { estabelecimento_id: string; valor_total: number }[];

const centsByUnit = (rows: OfUnits) =>
  new Map(rows.map(({ estabelecimento_id: id, valor_total }) => [id, centavos(valor_total)]));

/** What each unit will have at the end of this month (B1); undefined before the fifth day, and in other months. */
export const pacesOf = (body: PaceParts, view: View): Map<string, number> | undefined => {
  const { faturamento_por_unidade: revenue, faturamento_hoje: now, faturamento_semanas: weeks } = body;
  const { today } = view.clock;
  const month = monthOf(view);
  if (month === undefined || today < month.from || today > month.to) return undefined;
  if (Number(today.slice(8)) < FIRST_DAY || ![revenue, now, weeks].every(isWhole)) return undefined;
  const [sums, todays] = [centsByUnit(revenue.data), centsByUnit(now.data)];
  const usual = new Map(
    weeks.data.map((row) => [`${row.estabelecimento_id} ${row.dia_semana}`, centavos(row.valor_total)]),
  );
  const left = Array.from({ length: dayCount({ from: today, to: month.to }) - 1 }, (_, index) =>
    weekday(addDays(today, index + 1)),
  );
  const ids = new Set([...sums.keys(), ...weeks.data.map(({ estabelecimento_id: id }) => id)]);
  return new Map(
    [...ids].map((id) => {
      const ofWeeks = (day: number) => usual.get(`${id} ${day}`) ?? 0;
      const ofToday = todays.get(id) ?? 0;
      // In eighths, which are exact.
      const before = WEEKS * ((sums.get(id) ?? 0) - ofToday);
      const todayAndLeft = Math.max(WEEKS * ofToday, ofWeeks(weekday(today)));
      const eighths = left.reduce((sum, day) => sum + ofWeeks(day), before + todayAndLeft);
      return [id, Math.round(eighths / WEEKS) / 100];
    }),
  );
};

/** What a day like today brings: the mean of the last eight same weekdays, in reais. Undefined if rows are left out. */
export const usualDay = (
  { faturamento_semanas: weeks }: Pick<PaceParts, "faturamento_semanas">,
  { clock: { today } }: View,
): number | undefined => {
  const same = weeks.data.filter(({ dia_semana }) => dia_semana === weekday(today));
  const cents = same.reduce((sum, { valor_total }) => sum + centavos(valor_total), 0);
  return isWhole(weeks) ? cents / WEEKS / 100 : undefined;
};

/** A goal, what counts towards it so far, and what will if the pace goes on. */
export interface Goal {
  goal: number;
  done: number;
  /** Undefined where there is no pace. */
  pace: number | undefined;
}
export type UnitGoal = Goal & { id: string };

/** What the goal is measured by: the pace, or what came in. */
const expected = ({ done, pace = done }: Goal) => pace;

/** The goals of units for the month of the view, the furthest from its goal first. */
export const goalsOf = (body: PaceParts & Pick<PanelBody, "metas_por_unidade">, view: View): UnitGoal[] => {
  const { metas_por_unidade: goals, faturamento_por_unidade: revenue } = body;
  if (monthOf(view) === undefined || !isWhole(goals) || !isWhole(revenue)) return [];
  const done = new Map(revenue.data.map((row) => [row.estabelecimento_id, row.valor_total]));
  const paces = pacesOf(body, view);
  return goals.data
    .flatMap(({ estabelecimento_id: id, meta }) =>
      meta === null || meta <= 0
        ? []
        : [{ id, goal: meta, done: done.get(id) ?? 0, pace: paces && (paces.get(id) ?? 0) }],
    )
    .toSorted((a, b) => expected(a) / a.goal - expected(b) / b.goal);
};

/** The goal of all of them; undefined without any. */
export const goalOfAll = (goals: readonly UnitGoal[]): Goal | undefined =>
  goals.length === 0
    ? undefined
    : {
        goal: sumOf(goals, ({ goal }) => goal),
        done: sumOf(goals, ({ done }) => done),
        pace: goals.some(({ pace }) => pace === undefined) ? undefined : sumOf(goals, ({ pace = 0 }) => pace),
      };

/** The units that will miss their goal at their pace, or missed it, and what they lack in all. */
export const missedGoals = (goals: readonly UnitGoal[], view: View): { units: UnitGoal[]; value: number } => {
  const isOver = isMonthOver(view);
  const units = goals.filter((unit) => (isOver || unit.pace !== undefined) && expected(unit) < unit.goal);
  return {
    units,
    value: sumOf(
      units.flatMap((unit) => [unit.goal, -expected(unit)]),
      Number,
    ),
  };
};
