import { serviceNow } from "../../../service-clock.ts";
import { isNothing } from "../../comparison.ts";
import { Answered } from "../../components/card.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { days, instant } from "../../format.ts";
import { ageOf } from "../../jobs.ts";
import { BRAND } from "../../messages.ts";
import { goalsOf } from "../../pace.ts";
import type { Places } from "../../people.ts";
import { earlierName } from "../../period-names.ts";
import { panelPath } from "../../ranges.ts";
import { PANEL_FIELDS, type PanelBody } from "../../reports.ts";
import { elapsedDays, type View } from "../../view.ts";
import { placesPath, type TeamReport, teamPath } from "../equipe/report.ts";
import { AttentionCard } from "../inicio/attention-card.tsx";
import { Figures } from "../inicio/figures.tsx";
import { RevenueCard } from "../inicio/revenue-card.tsx";
import { Goals } from "../unidades/goals.tsx";
import { FeesCard, TeamCard, UnitsCard } from "./report-tables.tsx";

/** What the report is of: on its first page. */
const Head = ({ body, view, at }: { body: PanelBody; view: View; at: number }) => {
  const { unitName } = usePanel();
  const { anterior } = body.faturamento;
  const elapsed = (serviceNow() - at) / 1000;
  return (
    <header class="report-head">
      <p class="more">{BRAND}</p>
      <h2>{unitName(view.unit)}</h2>
      <p>{days(elapsedDays(view))}</p>
      <p class="more">
        {anterior && !isNothing(anterior) ? `Comparado com ${earlierName(anterior, view)}. ` : ""}
        {ageOf(body.frescor, elapsed).text}. Gerado em {instant(new Date(serviceNow()))}.
      </p>
      <p class="tools">
        <button type="button" class="primary" onClick={() => print()}>
          Salvar em PDF
        </button>
        <span class="more">Na janela que abrir, escolha “Salvar como PDF”.</span>
      </p>
    </header>
  );
};

/** The figures of the view, all units, the whole team and the fees, to print. */
export const ReportPart = () => {
  const { view } = usePanel().place;
  const painel = useAnswer<PanelBody>(panelPath(view), PANEL_FIELDS);
  const team = useAnswer<TeamReport>(teamPath(view), ["data", "totais"]);
  const places = useAnswer<Places>(placesPath(view), ["data"]);
  return (
    <Answered answer={painel}>
      {(body) => (
        <article class="report">
          <Head body={body} view={view} at={painel.at} />
          <RevenueCard body={body} view={view} />
          <Goals goals={goalsOf(body, view)} view={view} />
          <Figures body={body} view={view} />
          <AttentionCard body={body} view={view} at={painel.at} />
          {!view.unit && <UnitsCard body={body} view={view} />}
          <FeesCard body={body} view={view} />
          <Answered answer={team}>
            {(rows) => (
              <Answered answer={places}>
                {(byUnit) => <TeamCard body={rows} places={byUnit} view={view} />}
              </Answered>
            )}
          </Answered>
        </article>
      )}
    </Answered>
  );
};
