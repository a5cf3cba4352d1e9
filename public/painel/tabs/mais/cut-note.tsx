import type { CutRows } from "../../components/data-table.tsx";
import { number } from "../../format.ts";
import { isWhole, type Report } from "../../reports.ts";
import { loadRows } from "../../whole.ts";

/** For the table of a report that is cut; undefined if it is whole. @param rowsOf the rows of the table */
export const cutOf = <Row,>(
  path: string,
  report: Report<object, object> & { data: readonly Row[] },
  rowsOf: (all: readonly Row[]) => readonly Row[] = (all) => all,
): CutRows<Row> | undefined => {
  const { linhas = 0 } = report;
  if (isWhole(report)) return undefined;
  return {
    totalName: `Total de ${number(linhas)} (aqui ${number(report.data.length)})`,
    load: async ({ answers }, signal) => rowsOf(await loadRows<Row>(answers.service, path, report, signal)),
  };
};

interface CutNoteProps {
  shown: number;
  all: number | undefined;
  /** What the rows are: masculine, in the plural. */
  of: string;
  /** Whether they are those of the highest value, above a row of totals. */
  isRanked?: boolean;
}

/** Above a table: the service sends at most so many rows. */
export const CutNote = ({ shown, all = shown, of, isRanked = true }: CutNoteProps) =>
  all > shown ? (
    <p class="more">
      Exibindo {number(shown)} de {number(all)} {of}
      {isRanked && ", os de maior valor"}. {isRanked ? "O total e o arquivo incluem" : "O arquivo inclui"}{" "}
      todos os {number(all)}.
    </p>
  ) : null;
