// The reports of this tab: the services of each professional, and in which units.
import { comparedRangeOf } from "../../ranges.ts";
import { type Professional, type Report, rowsPath, type Services } from "../../reports.ts";
import type { View } from "../../view.ts";

export type TeamReport = Report<Professional, Services & { visitas: number }>;
export type TeamRow = TeamReport["data"][number];

/** One row a person. In one unit, their names are those of the unit. */
export const teamPath = (view: View): string =>
  rowsPath("servicos", {
    ...comparedRangeOf(view),
    por: view.unit ? "unidade,profissional" : "profissional",
    medidas: "servicos,cortesias,valor_total,visitas",
    ordem: "-valor_total",
  });

/** In which units they worked. */
export const placesPath = (view: View): string =>
  rowsPath("servicos", { ...comparedRangeOf(view), por: "unidade,profissional", medidas: "servicos" });

export const keyOf = ({ profissional_salon_id: id }: TeamRow): string => JSON.stringify(id);

/** How many professionals have services. */
export const countOf = (rows: readonly TeamRow[], measures: (row: TeamRow) => Services | undefined): number =>
  rows.filter((row) => row.profissional_salon_id !== null && (measures(row)?.servicos ?? 0) > 0).length;
