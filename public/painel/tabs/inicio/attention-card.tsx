import { serviceNow } from "../../../service-clock.ts";
import { Card } from "../../components/card.tsx";
import { Icon } from "../../components/icon.tsx";
import { Link } from "../../components/links.tsx";
import { usePanel } from "../../context.ts";
import type { PanelBody } from "../../reports.ts";
import type { View } from "../../view.ts";
import { attentionLines } from "./attention.ts";

/** What needs attention: a line each, which leads to its list. */
export const AttentionCard = ({ body, view, at }: { body: PanelBody; view: View; at: number }) => {
  const { unitName } = usePanel();
  const lines = attentionLines(body, view, unitName, (serviceNow() - at) / 1000);
  return (
    <Card
      title="Precisa de atenção"
      actions={lines.length > 1 && <span class="more">maior valor primeiro</span>}
    >
      {lines.length === 0 ? (
        <p class="nothing">Nada precisa de atenção agora.</p>
      ) : (
        <ul class="alerts">
          {lines.map(({ level, title, detail, value, to }) => (
            <li key={title}>
              <Link to={to} class={`alert ${level}`}>
                <span class="what">
                  <strong>{title}</strong>
                  <span class="more">{detail}</span>
                </span>
                <span class="value">{value}</span>
                <Icon name="seta" />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};
