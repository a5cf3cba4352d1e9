import { number } from "../../format.ts";

/** Names the total of a table that is cut; undefined if it is whole. */
export const cutTotal = (shown: number, all: number | undefined): { totalName?: string } =>
  all !== undefined && all > shown ? { totalName: `Total de ${number(all)} (aqui ${number(shown)})` } : {};

/** The service sends at most so many rows: the total is of all. */
export const CutNote = ({ shown, all }: { shown: number; all: number | undefined }) =>
  all !== undefined && all > shown ? (
    <p class="more">
      Exibindo as {number(shown)} linhas de maior valor, de {number(all)}. O total é de todas.
    </p>
  ) : null;
