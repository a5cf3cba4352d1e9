// What is to be paid: sums of payments by when they are due.
import { date } from "../../format.ts";
import { listSearch } from "../../links.ts";
import { dueDays, dueRange } from "../../ranges.ts";
import { type Band, type Due, type Report, rowsPath } from "../../reports.ts";
import { sumOf } from "../../series.ts";
import { addDays, isDay, type View } from "../../view.ts";

export type Bands = Report<{ id_centro_custo: string | null; faixa: Band }, Due>;
export type DueDays = Report<{ dia: string }, Pick<Due, "pendentes" | "valor_pendente">>;

/** The pending payments of all time. Início has the same. */
export const bandsPath = rowsPath("pagamentos", {
  situacao: "1",
  por: "centro_custo,faixa",
  medidas: "pendentes,valor_pendente,vencimento_mais_antigo",
});

/** The chart begins a year ago. */
const DAYS_BACK = 365;
const firstDay = ({ clock: { today } }: View) => addDays(today, -DAYS_BACK);

export const dueDaysPath = (view: View, costCentre: string | undefined): string =>
  rowsPath("pagamentos", {
    situacao: "1",
    por: "dia",
    medidas: "pendentes,valor_pendente",
    id_centro_custo: costCentre,
    ...dueRange({ from: firstDay(view), to: dueDays(view).month.to }),
  });

export interface Sum {
  count: number;
  value: number;
  oldest: string | undefined;
}

/** The payments of some bands: of a cost centre, or of all. */
export const sumIn = ({ data }: Bands, bands: readonly Band[], costCentre: string | undefined): Sum => {
  const rows = data.filter(
    ({ faixa, id_centro_custo: centre }) =>
      bands.includes(faixa) && (costCentre === undefined || centre === costCentre),
  );
  return {
    count: rows.reduce((sum, { pendentes }) => sum + pendentes, 0),
    value: sumOf(rows, ({ valor_pendente }) => valor_pendente),
    oldest: rows.flatMap(({ vencimento_mais_antigo: oldest }) => oldest ?? []).sort()[0],
  };
};

/** A line of the table: a due day, or what is due before or after the days, or has no date. */
export interface DueRow {
  day?: string;
  name?: string;
  status: "Vencido" | "A vencer" | "Sem data";
  count: number;
  value: number;
  to?: string;
}

/** Due days with payments, and what is due on no day of them, so that the lines add up to all that is pending. */
export const dueRows = (
  bands: Bands,
  days: DueDays,
  view: View,
  costCentre: string | undefined,
): DueRow[] => {
  const { today } = view.clock;
  const search = (due: { from?: string; to?: string }) => listSearch(view, { name: "vencimento", ...due });
  const rows = days.data.filter(({ pendentes }) => pendentes > 0);
  const past = rows.filter(({ dia }) => dia < today);
  const overdue = sumIn(bands, ["vencida"], costCentre);
  const [later, undated] = [sumIn(bands, ["depois"], costCentre), sumIn(bands, ["sem-data"], costCentre)];
  const { from, to } = { from: firstDay(view), to: dueDays(view).month.to };
  const older = {
    name: `Antes de ${date(from)}`,
    status: "Vencido" as const,
    count: overdue.count - past.reduce((sum, { pendentes }) => sum + pendentes, 0),
    value: sumOf([overdue.value, -sumOf(past, ({ valor_pendente }) => valor_pendente)], Number),
    to: search({ to: addDays(from, -1) }),
  };
  return [
    older,
    ...rows.map(({ dia, pendentes, valor_pendente }) => ({
      day: dia,
      status: dia < today ? ("Vencido" as const) : ("A vencer" as const),
      count: pendentes,
      value: valor_pendente,
      ...(isDay(dia) && { to: search({ from: dia, to: dia }) }),
    })),
    {
      ...later,
      name: `Depois de ${date(to)}`,
      status: "A vencer" as const,
      to: search({ from: addDays(to, 1) }),
    },
    { ...undated, name: "Sem data de vencimento", status: "Sem data" as const },
  ].filter(({ count }) => count > 0);
};
