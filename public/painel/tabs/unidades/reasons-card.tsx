import { Card } from "../../components/card.tsx";
import { Meter } from "../../components/meter.tsx";
import { centavos, money, signedMoney } from "../../format.ts";
import { earlierName } from "../../period-names.ts";
import type { Report } from "../../reports.ts";
import type { View } from "../../view.ts";
import { mainReason, type Reason } from "./reasons.ts";

const levelOf = (value: number) => (value === 0 ? "same" : value > 0 ? "good" : "bad");

const Amount = ({ value }: { value: number }) => (
  <span class={`value ${levelOf(value)}`}>
    <span class="change">{signedMoney(value)}</span>
  </span>
);

interface ReasonsProps {
  report: Pick<Report<object, { valor_total: number }>, "totais" | "anterior">;
  reasons: readonly Reason[];
  view: View;
}

/** What a change in revenue is made of; nothing where there is nothing to compare. */
export const ReasonsCard = ({ report, reasons, view }: ReasonsProps) => {
  const { totais: now, anterior } = report;
  if (reasons.length === 0 || !now.anterior || !anterior) return null;
  const difference = (centavos(now.valor_total) - centavos(now.anterior.valor_total)) / 100;
  const max = Math.max(...reasons.map(({ reais }) => Math.abs(reais)));
  const main = mainReason(reasons, difference);
  return (
    <Card title="Por que mudou">
      <p>
        {difference === 0
          ? "O faturamento não mudou"
          : `O faturamento ${difference < 0 ? "caiu" : "subiu"} ${money(Math.abs(difference))}`}{" "}
        em relação a {earlierName(anterior, view)}.
        {main && (
          <span>
            {" "}
            O que mais pesou: <strong>{main.cause}</strong>.
          </span>
        )}
      </p>
      <ul class="reasons">
        {reasons.map(({ name, detail, reais }) => (
          <li key={name} class={levelOf(reais)}>
            <span class="what">
              <span class="name">{name}</span>
              <span class="more">{detail}</span>
            </span>
            <Amount value={reais} />
            <Meter value={Math.abs(reais)} max={max} />
          </li>
        ))}
        <li class="sum">
          <span class="name">Mudança total</span>
          <Amount value={difference} />
        </li>
      </ul>
    </Card>
  );
};
