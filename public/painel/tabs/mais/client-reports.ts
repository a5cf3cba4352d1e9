// The reports about clients: their paths, and what a row of each has.
import { rangeOf, rangeOfDays } from "../../ranges.ts";
import { type OfUnit, type Report, reportPath, rowsPath } from "../../reports.ts";
import { monthsBefore } from "../../series.ts";
import { addDays, type Days, dayCount, dayOf, type View } from "../../view.ts";
import type { OfClient } from "./client-name.ts";

export type Counts = { clientes: number; clientes_novos: number };
export type MonthCounts = Report<{ mes: string }, Counts>;

const firstOfMonth = (day: string) => `${day.slice(0, 8)}01`;

/** The month of today and the eleven before it. */
export const twelveMonths = ({ clock: { today } }: Pick<View, "clock">): Days => ({
  from: monthsBefore(firstOfMonth(today), 11),
  to: today,
});

/** The last twelve months that the data has passed: those that readers without personal data may ask for (R24). */
export const finishedMonths = (dataUntil: number): Days => {
  const running = firstOfMonth(dayOf(dataUntil));
  return { from: monthsBefore(running, 12), to: addDays(running, -1) };
};

/** Clients of each month, and the new ones among them. */
export const monthCountsPath = (view: View, days: Days): string =>
  rowsPath("visitas", { ...rangeOfDays(days, view.unit), por: "mes", medidas: "clientes,clientes_novos" });

/** The counts of the period. */
export const countsPath = (view: View): string =>
  reportPath("visitas", { ...rangeOf(view), medidas: "clientes,clientes_novos" });

export type NewReturn = Report<{ mes: string }, { visitas: number; decididas: number; voltaram: number }>;

/** How many months may show how many of their new clients came back. */
const RETURN_MONTHS = 6;
/** Within how many days. */
export const RETURN_DAYS = [30, 60, 90] as const;

/** The first visits of each month, and how many were followed by another one within some days (R26). */
export const newReturnPath = (view: View, days: number): string => {
  const { today } = view.clock;
  const from = monthsBefore(firstOfMonth(today), RETURN_MONTHS - 1);
  return rowsPath("visitas", {
    ...rangeOfDays({ from, to: today }, view.unit),
    por: "mes",
    novos: "true",
    medidas: "visitas,decididas,voltaram",
    retorno_dias: String(days),
  });
};

/** A regular came in so many of the last twelve months, and is lost after so many days without a visit (R25). */
export const REGULAR_MONTHS = 5;
export const LOST_DAYS = 60;

const regulars = (view: View) => ({
  ...rangeOfDays(twelveMonths(view), view.unit),
  meses_min: String(REGULAR_MONTHS),
});

const lost = (view: View) => {
  const since = addDays(view.clock.today, 1 - LOST_DAYS);
  return { ...regulars(view), sem_visita_desde: rangeOfDays({ from: since, to: since }).data_inicio };
};

export type Regulars = Report<OfUnit, { clientes: number }>;
export const regularsPath = (view: View): string =>
  rowsPath("clientes", { ...regulars(view), por: "unidade", medidas: "clientes" });

export type LostByUnit = Report<OfUnit, { clientes: number; valor_total: number }>;
export const lostByUnitPath = (view: View): string =>
  rowsPath("clientes", {
    ...lost(view),
    por: "unidade",
    medidas: "clientes,valor_total",
    ordem: "-clientes",
  });

export type LostClients = Report<
  OfUnit & OfClient,
  { visitas: number; valor_total: number; ultima_visita: string | null }
>;
/** Each with the unit of their newest visit. */
export const lostClientsPath = (view: View): string =>
  rowsPath("clientes", {
    ...lost(view),
    por: "unidade,cliente",
    medidas: "visitas,valor_total,ultima_visita",
    ordem: "-valor_total",
  });

/** The days from one to another: of yesterday 1. */
export const daysSince = (at: string, today: string): number =>
  dayCount({ from: dayOf(Date.parse(at)), to: today }) - 1;
