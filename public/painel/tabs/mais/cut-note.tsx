/** The service sends at most so many rows: the total is of all. */
export const CutNote = ({ shown, all }: { shown: number; all: number | undefined }) =>
  all !== undefined && all > shown ? (
    <p class="more">
      Exibindo as {shown} linhas de maior valor, de {all}. O total é de todas.
    </p>
  ) : null;
