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
  const text = money(now);
  const [reais, cents] = text.split(",");
  return (
    <div class="headline">
      <p class="figure" style={{ "--chars": text.length }}>
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
