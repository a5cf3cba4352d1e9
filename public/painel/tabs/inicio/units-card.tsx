import { Card } from "../../components/card.tsx";
import { Delta } from "../../components/delta.tsx";
import { Link } from "../../components/links.tsx";
import { Meter } from "../../components/meter.tsx";
import { Sparkline } from "../../components/sparkline.tsx";
import { usePanel } from "../../context.ts";
import { money } from "../../format.ts";
import { placeSearch } from "../../place.ts";
import { rowStepOf } from "../../ranges.ts";
import type { PanelBody } from "../../reports.ts";
import { beginsLate, valuesByUnit } from "../../series.ts";
import type { View } from "../../view.ts";

const SHOWN = 5;

/** The units with the highest revenue, with change and course. */
export const UnitsCard = ({ body, view }: { body: PanelBody; view: View }) => {
  const { unitName } = usePanel();
  const isUnfair = beginsLate(body.faturamento_anterior);
  const rows = body.faturamento_por_unidade.data
    .filter(({ valor_total, anterior }) => valor_total !== 0 || (anterior?.valor_total ?? 0) !== 0)
    .toSorted((a, b) => b.valor_total - a.valor_total);
  const series = valuesByUnit(body.faturamento_por_unidade_e_periodo);
  const max = Math.max(...rows.map(({ valor_total }) => valor_total));
  const all = placeSearch(view, "unidades");
  return (
    <Card title="Unidades" actions={<Link to={placeSearch(view, "unidades", "comparar")}>Comparar</Link>}>
      {rows.length === 0 && <p class="nothing">Nenhuma venda neste período.</p>}
      {series.size > 0 && (
        <p class="ranking-head more" aria-hidden="true">
          <span />
          <span>por {rowStepOf(view) === "mes" ? "mês" : "dia"}</span>
          <span />
        </p>
      )}
      <ol class="ranking">
        {rows.slice(0, SHOWN).map(({ estabelecimento_id: id, valor_total, anterior }) => (
          <li key={id}>
            <Link to={placeSearch({ ...view, unit: id }, "unidades")}>
              <span class="name">{unitName(id)}</span>
              <Meter value={valor_total} max={max} />
              <Sparkline values={series.get(id) ?? []} />
              <span class="value">{money(valor_total)}</span>
              <Delta now={valor_total} before={anterior?.valor_total} isUnfair={isUnfair} />
            </Link>
          </li>
        ))}
      </ol>
      {rows.length > SHOWN && (
        <Link to={all} class="all">
          Ver as {rows.length} unidades
        </Link>
      )}
    </Card>
  );
};
