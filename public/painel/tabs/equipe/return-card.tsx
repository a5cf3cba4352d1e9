import { Card } from "../../components/card.tsx";
import { counted, number, share } from "../../format.ts";
import type { View } from "../../view.ts";
import type { Return } from "./person-reports.ts";

interface ReturnCardProps {
  own: Return;
  /** Of every professional in the same units. */
  all: Return;
  view: View;
}

const percentOf = ({ decididas, voltaram }: Return) => `${(100 * voltaram) / decididas}%`;

/** How many visits of this year were followed by another one, beside the average of all. */
export const ReturnCard = ({ own, all, view: { clock } }: ReturnCardProps) => {
  const year = clock.today.slice(0, 4);
  if (own.decididas === 0)
    return (
      <Card title="Clientes que voltam">
        <p class="nothing">Nenhum atendimento de {year} completou 60 dias.</p>
      </Card>
    );
  return (
    <Card title="Clientes que voltam">
      <p class="figure">{share(own.voltaram, own.decididas)}</p>
      <p class="more">
        {number(own.voltaram)} de {counted(own.decididas, "atendimento", "atendimentos")} de {year} tiveram
        outra visita em até 60 dias.
      </p>
      <div class="meter return-meter" aria-hidden="true">
        <span style={{ width: percentOf(own) }} />
        <span class="mark" style={{ left: percentOf(all) }} />
      </div>
      <p class="more">
        O traço é a média de toda a equipe, {share(all.voltaram, all.decididas)}. Só contam atendimentos com
        cliente e com os 60 dias completos.
      </p>
    </Card>
  );
};
