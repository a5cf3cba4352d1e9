// The two reports of this tab: revenue by unit, and its course. What Início has already loaded is not asked again.
import { type Answer, isPending } from "../../answers.ts";
import { useAnswer, usePanel } from "../../context.ts";
import { goalsOf, monthOf } from "../../pace.ts";
import {
  comparedRangeOf,
  panelPath,
  type RowStep,
  rangeOf,
  rangeOfDays,
  rowStepOf,
  weeksBack,
} from "../../ranges.ts";
import {
  isWhole,
  MAX_ROWS,
  type OfUnit,
  PANEL_FIELDS,
  type PanelBody,
  type Report,
  type Revenue,
  rowsPath,
  type Step,
} from "../../reports.ts";
import { addDays, dayCount, elapsedDays, type View } from "../../view.ts";

type Value = { valor_total: number };
export type RevenueReport = Report<OfUnit, Revenue>;
export type UnitRow = RevenueReport["data"][number];
export type CourseReport = Report<OfUnit & Step, Value>;
export type UnitCourse = Report<Step, Value>;

const FIELDS = ["data", "totais"];

/** Início's answer: of a month, whose goals and pace it has, and where it was loaded; undefined elsewhere. */
export const useInicio = (view: View): Answer<PanelBody> | undefined => {
  const { answers } = usePanel();
  const path = panelPath(view);
  const isKnown = monthOf(view) !== undefined || answers.answer(path).body !== undefined;
  const answer = useAnswer<PanelBody>(isKnown ? path : undefined, PANEL_FIELDS);
  return isKnown ? answer : undefined;
};

/** An answer about a part of the body. */
const partOf = <Body, Part>(answer: Answer<Body>, part: (body: Body) => Part): Answer<Part> => ({
  ...answer,
  body: answer.body && part(answer.body),
});

/** The finest step by which so many units fit into one answer. */
export const courseStep = (view: View, units: number): RowStep | undefined => {
  const days = dayCount(elapsedDays(view));
  if (days === 1) return 24 * units <= MAX_ROWS ? "hora" : undefined;
  if (rowStepOf(view) === "dia" && days * units <= MAX_ROWS) return "dia";
  return (days / 28 + 2) * units <= MAX_ROWS ? "mes" : undefined;
};

/** Revenue by unit, compared. */
const useRevenue = (view: View, inicio: Answer<PanelBody> | undefined): Answer<RevenueReport> => {
  const path = rowsPath("faturamento", { ...comparedRangeOf(view), por: "unidade" });
  const asked = useAnswer<RevenueReport>(inicio ? undefined : path, FIELDS);
  return inicio ? partOf(inicio, (body) => body.faturamento_por_unidade) : asked;
};

/**
 * Revenue by unit, its goals, and, to compare two units, revenue by unit and step; without the steps if they are too many
 * for an answer.
 */
export const useUnits = (view: View, isPair: boolean) => {
  const { units } = usePanel();
  const inicio = useInicio(view);
  const revenue = useRevenue(view, inicio);
  const step = units && courseStep(view, Math.max(1, units.length));
  const isShared = inicio !== undefined && step === rowStepOf(view);
  const path =
    !isPair || step === undefined || isShared
      ? undefined
      : rowsPath("faturamento", { ...rangeOf(view), por: `${step},unidade`, medidas: "valor_total" });
  const asked = useAnswer<CourseReport>(path, FIELDS);
  const course = isShared ? inicio.body?.faturamento_por_unidade_e_periodo : asked.body;
  return {
    revenue,
    goals: inicio?.body ? goalsOf(inicio.body, view) : [],
    step,
    course: course && course.data.length > 0 && isWhole(course) ? course : undefined,
    isBusy: isPending(asked),
  };
};

/** Revenue of the chosen unit, and its course, both compared; and its days some weeks before, for `weeksBack`. */
export const useUnit = (view: View) => {
  const inicio = useInicio(view);
  const revenue = useRevenue(view, inicio);
  const asks = { por: rowStepOf(view), medidas: "valor_total" };
  const path = rowsPath("faturamento", { ...comparedRangeOf(view), ...asks });
  const asked = useAnswer<UnitCourse>(inicio ? undefined : path, FIELDS);
  // Of other days, the page would ask a fourth report.
  const weeks = monthOf(view) === undefined ? undefined : weeksBack(view);
  const { from, to } = elapsedDays(view);
  const before = weeks ? { from: addDays(from, -7 * weeks), to: addDays(to, -7 * weeks) } : undefined;
  const weekdays = useAnswer<UnitCourse>(
    before && rowsPath("faturamento", { ...rangeOfDays(before, view.unit), ...asks }),
    FIELDS,
  );
  return {
    revenue,
    course: inicio ? partOf(inicio, (body) => body.faturamento_por_periodo) : asked,
    weekdays,
  };
};
