import { useState } from "preact/hooks";
import { Answered, Card } from "../../components/card.tsx";
import { useAnswer } from "../../context.ts";
import { counted, monthName, number, share } from "../../format.ts";
import type { View } from "../../view.ts";
import { type NewReturn, newReturnPath, RETURN_DAYS } from "./client-reports.ts";

const SHOWN = 3;

const capital = (text: string) => text.charAt(0).toLocaleUpperCase("pt-BR") + text.slice(1);

interface MonthsProps {
  data: NewReturn["data"];
  days: number;
  today: string;
}

const Months = ({ data, days, today }: MonthsProps) => {
  const decided = data.filter(({ decididas }) => decididas > 0).toReversed();
  const next = data.find(
    ({ mes, decididas, visitas }) => visitas > decididas && mes > (decided[0]?.mes ?? ""),
  );
  const nameOf = (mes: string) => capital(monthName(mes, today));
  return (
    <>
      {decided.length === 0 && <p class="nothing">Nenhum cliente novo completou {days} dias.</p>}
      <ul class="plain returns">
        {decided.slice(0, SHOWN).map(({ mes, visitas, decididas, voltaram }) => (
          <li key={mes}>
            <span class="what">
              <strong>{nameOf(mes)}</strong>
              <span class="more">
                {number(voltaram)} de {counted(decididas, "novo", "novos")}
                {decididas < visitas && ` · ${number(visitas - decididas)} ainda sem os ${days} dias`}
              </span>
            </span>
            <span class="value">{share(voltaram, decididas)}</span>
          </li>
        ))}
      </ul>
      {next && (
        <p class="more">
          {nameOf(next.mes)} aparece quando os primeiros {days} dias terminarem.
        </p>
      )}
    </>
  );
};

/** Of the new clients of each month, how many came back. Of the last months, whichever period is chosen. */
export const NewReturnCard = ({ view }: { view: View }) => {
  const [days, setDays] = useState(60);
  const answer = useAnswer<NewReturn>(newReturnPath(view, days));
  const choice = (
    <select
      class="compare"
      aria-label="Prazo para voltar"
      value={days}
      onChange={({ currentTarget }) => setDays(Number(currentTarget.value))}
    >
      {RETURN_DAYS.map((each) => (
        <option key={each} value={each}>
          em até {each} dias
        </option>
      ))}
    </select>
  );
  return (
    <Card title="Novos que voltaram" actions={choice}>
      <Answered answer={answer}>
        {({ data }) => <Months data={data} days={days} today={view.clock.today} />}
      </Answered>
    </Card>
  );
};
