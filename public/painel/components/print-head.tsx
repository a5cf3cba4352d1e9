import { serviceNow } from "../../service-clock.ts";
import { usePanel } from "../context.ts";
import { days, instant } from "../format.ts";
import { ageOf } from "../jobs.ts";
import { BRAND } from "../messages.ts";
import type { Freshness } from "../reports.ts";
import { elapsedDays } from "../view.ts";

/** Only on paper: of which unit and days the page is, and when its data are from. What is compared says so itself. */
export const PrintHead = ({ title, freshness }: { title: string; freshness: Freshness | undefined }) => {
  const { place, unitName } = usePanel();
  return (
    <div class="print-head">
      <p class="more">{BRAND}</p>
      <h2>
        {title} · {unitName(place.view.unit)}
      </h2>
      <p>{days(elapsedDays(place.view))}</p>
      <p class="more">
        {freshness ? `${ageOf(freshness, 0).text}. ` : ""}
        Impresso em {instant(new Date(serviceNow()))}. Só esta tela: as outras partes e as listas não estão
        aqui.
      </p>
    </div>
  );
};
