// The report of this tab: the services of each professional, by unit.
import { comparedRangeOf } from "../../ranges.ts";
import { MAX_DAYS, type Professional, type Report, rowsPath, type Services } from "../../reports.ts";
import { dayCount, elapsedDays, type View } from "../../view.ts";
import { professionalName } from "../../words.ts";

/** `visitas` is not asked over more days than the service counts visits in. */
type Team = Services & { visitas?: number };
export type TeamReport = Report<Professional, Team>;
export type TeamRow = TeamReport["data"][number];

export const teamPath = (view: View): string => {
  const isCounted = dayCount(elapsedDays(view)) <= MAX_DAYS;
  return rowsPath("servicos", {
    ...comparedRangeOf(view),
    por: "unidade,profissional",
    medidas: `servicos,cortesias,valor_total${isCounted ? ",visitas" : ""}`,
    ordem: "-valor_total",
  });
};

export const keyOf = (row: TeamRow): string =>
  JSON.stringify([row.estabelecimento_id, row.profissional_salon_id, row.profissional]);

/** How many professionals have services. Who works in two units counts once. */
export const countOf = (rows: readonly TeamRow[], measures: (row: TeamRow) => Services | undefined): number =>
  new Set(
    rows
      .filter((row) => row.profissional_salon_id !== null && (measures(row)?.servicos ?? 0) > 0)
      .map((row) => JSON.stringify([row.profissional_salon_id, professionalName(row)])),
  ).size;

/** Who has no services in the period comes last. */
export const ranked = (rows: readonly TeamRow[]): TeamRow[] => [
  ...rows.filter(({ servicos }) => servicos > 0),
  ...rows.filter(({ servicos }) => servicos === 0),
];
