import { usePanel } from "../context.ts";
import { days, instant } from "../format.ts";
import { ageOf } from "../jobs.ts";
import { comparisonOf } from "../ranges.ts";
import type { Freshness } from "../reports.ts";
import { elapsedDays } from "../view.ts";

const COMPARED = {
  anterior: "o período anterior",
  "semana-anterior": "o mesmo dia da semana anterior",
  "mes-anterior": "o mês anterior",
  "ano-anterior": "o ano anterior",
};

/** Only on paper: of which unit and days the page is, what it is compared with, and when its data are from. */
export const PrintHead = ({ title, freshness }: { title: string; freshness: Freshness | undefined }) => {
  const { place, unitName } = usePanel();
  const compared = comparisonOf(place.view);
  return (
    <div class="print-head">
      <h2>
        {title} · {unitName(place.view.unit)}
      </h2>
      <p>{days(elapsedDays(place.view))}</p>
      <p class="more">
        {compared ? `Comparado com ${COMPARED[compared]}. ` : ""}
        {freshness ? `${ageOf(freshness.data, 0).text}. ` : ""}
        Impresso em {instant(new Date())}.
      </p>
    </div>
  );
};
