import { money } from "../format.ts";
import { Delta } from "./delta.tsx";

interface HeadlineProps {
  now: number;
  /** Undefined if nothing is compared. */
  before: number | undefined;
  isUnfair?: boolean;
}

/** The one large amount of a page, with its change. */
export const Headline = ({ now, before, isUnfair = false }: HeadlineProps) => {
  const [reais, cents] = money(now).split(",");
  return (
    <div>
      <p class="figure headline">
        {reais}
        <span class="cents">,{cents}</span>
      </p>
      {before !== undefined && (
        <p>
          <Delta now={now} before={before} format={money} isUnfair={isUnfair} />
        </p>
      )}
    </div>
  );
};
