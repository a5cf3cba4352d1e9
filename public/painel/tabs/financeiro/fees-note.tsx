import { money } from "../../format.ts";
import { sumOf } from "../../series.ts";

/** What the fees are of. */
export const FeesOf = () => (
  <p class="more">
    Taxas dos atendimentos nos salões. As das vendas das lojas são contadas à parte, em Financeiro › Taxas.
  </p>
);

interface FeesNoteProps {
  rows: readonly { taxas: number }[];
  total: number;
}

/** Why the fees of the rows do not add up to the total, if they do not. */
export const FeesNote = ({ rows, total }: FeesNoteProps) => {
  const difference = sumOf([total, -sumOf(rows, ({ taxas }) => taxas)], Number);
  return difference === 0 ? null : (
    <p class="more">
      O total é arredondado uma vez: a soma das linhas difere dele em {money(Math.abs(difference))}.
    </p>
  );
};
