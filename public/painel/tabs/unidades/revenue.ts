// The two reports of this tab: revenue by unit, and its course. What Início has already loaded is not asked again.
import type { Answer } from "../../answers.ts";
import { useAnswer, usePanel } from "../../context.ts";
import { comparedRangeOf, panelPath, rangeOf, rowStepOf, stepOf } from "../../ranges.ts";
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
import { isMonth, wholeOf } from "../../series.ts";
import { dayCount, elapsedDays, type View } from "../../view.ts";

type Value = { valor_total: number };
type OfStep = Step & { hora?: number };
export type RevenueReport = Report<OfUnit, Revenue>;
export type UnitRow = RevenueReport["data"][number];
export type CourseReport = Report<OfUnit & OfStep, Value>;
export type Goals = PanelBody["metas_por_unidade"];
export type UnitCourse = Report<OfStep, Value>;

const FIELDS = ["data", "totais"];

/** Início's answer for the view, where it was loaded; undefined where it must not be asked. */
const useInicio = (view: View): Answer<PanelBody> | undefined => {
  const { answers } = usePanel();
  const path = panelPath(view);
  const isKnown = answers.answer(path).body !== undefined;
  const answer = useAnswer<PanelBody>(isKnown ? path : undefined, PANEL_FIELDS);
  return isKnown ? answer : undefined;
};

/** An answer about a part of the body. */
const partOf = <Body, Part>(answer: Answer<Body>, part: (body: Body) => Part): Answer<Part> => ({
  ...answer,
  body: answer.body && part(answer.body),
});

/** The finest step by which so many units fit into one answer. */
export const courseStep = (view: View, units: number): "hora" | "dia" | "mes" | undefined => {
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

/** The goals of units for the month of the view, where it is of one. */
const useGoals = (view: View, inicio: Answer<PanelBody> | undefined): Goals["data"] => {
  const whole = wholeOf(view);
  const hasGoals = whole !== undefined && isMonth(whole);
  const path = rowsPath("faturamento", { ...rangeOf(view), por: "mes,unidade", medidas: "meta" });
  const asked = useAnswer<Goals>(hasGoals && !inicio ? path : undefined, FIELDS).body;
  const goals = inicio ? inicio.body?.metas_por_unidade : asked;
  return (hasGoals && goals?.data) || [];
};

/** Revenue by unit, its goals, and revenue by unit and step; without the steps if they are too many for an answer. */
export const useUnits = (view: View) => {
  const { units } = usePanel();
  const inicio = useInicio(view);
  const revenue = useRevenue(view, inicio);
  const step = units && courseStep(view, Math.max(1, units.length));
  const isShared = inicio !== undefined && step === rowStepOf(view);
  const path =
    step === undefined || isShared
      ? undefined
      : rowsPath("faturamento", { ...rangeOf(view), por: `${step},unidade`, medidas: "valor_total" });
  const asked = useAnswer<CourseReport>(path, FIELDS).body;
  const course = isShared ? inicio.body?.faturamento_por_unidade_e_periodo : asked;
  const goals = useGoals(view, inicio);
  return {
    revenue,
    goals,
    step,
    course: course && course.data.length > 0 && isWhole(course) ? course : undefined,
  };
};

/** Revenue of the chosen unit, and its course, both compared. */
export const useUnit = (view: View): { revenue: Answer<RevenueReport>; course: Answer<UnitCourse> } => {
  const inicio = useInicio(view);
  const revenue = useRevenue(view, inicio);
  const isHourly = stepOf(view) === "hora";
  const por = isHourly ? "hora" : rowStepOf(view);
  const isShared = inicio !== undefined && !isHourly;
  const path = rowsPath("faturamento", { ...comparedRangeOf(view), por, medidas: "valor_total" });
  const asked = useAnswer<UnitCourse>(isShared ? undefined : path, FIELDS);
  return {
    revenue,
    course: isShared ? partOf(inicio, (body) => body.faturamento_por_periodo) : asked,
  };
};
