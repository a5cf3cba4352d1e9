import { number } from "../../format.ts";

/** Names the total of a table that is cut; undefined if it is whole. */
export const cutTotal = (shown: number, all: number | undefined): { totalName?: string } =>
  all !== undefined && all > shown ? { totalName: `Total de ${number(all)} (aqui ${number(shown)})` } : {};

interface CutNoteProps {
  shown: number;
  all: number | undefined;
  /** What the rows are: masculine, in the plural. */
  of: string;
  /** Whether they are those of the highest value, above a row of totals. */
  isRanked?: boolean;
}

/** Above a table: the service sends at most so many rows, and the file has no more. */
export const CutNote = ({ shown, all = shown, of, isRanked = true }: CutNoteProps) =>
  all > shown ? (
    <p class="more">
      Exibindo {number(shown)} de {number(all)} {of}
      {isRanked && ", os de maior valor"}. O arquivo também tem só esses {number(shown)}
      {isRanked && `; o total inclui todos os ${number(all)}`}.
    </p>
  ) : null;
