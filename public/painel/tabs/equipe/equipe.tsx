import { Answered } from "../../components/card.tsx";
import { Delta } from "../../components/delta.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { EmptyState } from "../../components/states.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { money, number } from "../../format.ts";
import { NOT_BEGUN } from "../../messages.ts";
import type { Places } from "../../people.ts";
import { isWhole } from "../../reports.ts";
import { isFuture, type View } from "../../view.ts";
import { PersonPage } from "./person.tsx";
import { countOf, placesPath, type TeamReport, teamPath } from "./report.ts";
import { TeamTable } from "./team-table.tsx";

const Figures = ({ report }: { report: TeamReport }) => {
  const { data, totais } = report;
  const people = countOf(data, (row) => row);
  const before = totais.anterior && isWhole(report) ? countOf(data, ({ anterior }) => anterior) : undefined;
  return (
    <div class="figures">
      <Kpi title="Produção" value={money(totais.valor_total)}>
        {totais.anterior && (
          <Delta now={totais.valor_total} before={totais.anterior.valor_total} format={money} />
        )}
      </Kpi>
      <Kpi title="Serviços" value={number(totais.servicos)}>
        {totais.anterior && <Delta now={totais.servicos} before={totais.anterior.servicos} format={number} />}
      </Kpi>
      <Kpi title="Profissionais" value={isWhole(report) ? number(people) : `mais de ${number(people)}`}>
        {before !== undefined && <Delta now={people} before={before} format={number} />}
      </Kpi>
    </div>
  );
};

const Team = ({ view }: { view: View }) => {
  const answer = useAnswer<TeamReport>(teamPath(view), ["data", "totais"]);
  // Of one unit, the rows are those of the report itself.
  const places = useAnswer<Places>(view.unit ? teamPath(view) : placesPath(view), ["data"]);
  return (
    <Answered answer={answer}>
      {(report) =>
        report.data.length === 0 ? (
          <EmptyState title="Nenhum serviço neste período.">
            {view.unit !== "" && <p class="more">Lojas vendem produtos e não têm serviços.</p>}
          </EmptyState>
        ) : (
          <div class="equipe">
            <h2 class="sr-only">Resumo</h2>
            <Figures report={report} />
            <Answered answer={places}>
              {(byUnit) => <TeamTable report={report} places={byUnit} view={view} />}
            </Answered>
          </div>
        )
      }
    </Answered>
  );
};

/** What each professional produced, or the page of one. */
export const Equipe = () => {
  const { view, part } = usePanel().place;
  const id = new URLSearchParams(location.search).get("pessoa");
  if (part === "pessoa" && id) return <PersonPage id={id} view={view} />;
  if (isFuture(view)) return <EmptyState title={NOT_BEGUN} />;
  return <Team view={view} />;
};
