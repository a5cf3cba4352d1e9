import { Card } from "../../components/card.tsx";
import { Delta } from "../../components/delta.tsx";
import { Initials } from "../../components/initials.tsx";
import { Link, RowName } from "../../components/links.tsx";
import { usePanel } from "../../context.ts";
import { counted, money } from "../../format.ts";
import { personSearch } from "../../links.ts";
import { isKnown, namesIn, unitsText } from "../../people.ts";
import { placeSearch } from "../../place.ts";
import type { PanelBody } from "../../reports.ts";
import { beginsLate } from "../../series.ts";
import type { View } from "../../view.ts";

const SHOWN = 3;

/** The professionals with the highest production. */
export const TeamCard = ({ body, view }: { body: PanelBody; view: View }) => {
  const { unitName } = usePanel();
  const isUnfair = beginsLate(body.faturamento_anterior);
  const namesOf = namesIn(body.servicos_por_unidade_e_profissional, unitName);
  const rows = body.servicos_por_profissional.data.filter((row) => row.servicos > 0 && isKnown(row));
  return (
    <Card title="Destaques da equipe" actions={<Link to={placeSearch(view, "equipe")}>Ver equipe</Link>}>
      {rows.length === 0 && <p class="nothing">Nenhum serviço neste período.</p>}
      <ol class="people">
        {rows.slice(0, SHOWN).map((row) => {
          const { name, units } = namesOf(row);
          return (
            <li key={JSON.stringify(row.profissional_salon_id)}>
              <Initials name={name} />
              <span class="what">
                <RowName to={personSearch(view, row.profissional_salon_id)} name={name} />
                <span class="more">
                  {unitsText(units)} · {counted(row.servicos, "serviço", "serviços")}
                </span>
              </span>
              <span class="value">{money(row.valor_total)}</span>
              <Delta now={row.valor_total} before={row.anterior?.valor_total} isUnfair={isUnfair} />
            </li>
          );
        })}
      </ol>
    </Card>
  );
};
