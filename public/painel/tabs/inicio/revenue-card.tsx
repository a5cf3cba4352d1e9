import { BarChart } from "../../components/bar-chart.tsx";
import { Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { Headline } from "../../components/headline.tsx";
import { LineChart } from "../../components/line-chart.tsx";
import { SplitBar } from "../../components/split-bar.tsx";
import { money, roundMoney, share } from "../../format.ts";
import type { PanelBody } from "../../reports.ts";
import { barPoints, beginsLate, isMonth, paceOf, runningPoints, wholeOf } from "../../series.ts";
import { isFuture, type View } from "../../view.ts";
import { periodName } from "../../wording.ts";
import { NOT_BEGUN } from "../../words.ts";

const pointText = (name: string, value: number | undefined, earlier: number | undefined) => {
  const now = value === undefined ? "" : money(value);
  const before = earlier === undefined ? "" : `antes ${money(earlier)}`;
  return `${name}: ${now && before ? `${now}, ${before}` : now || before || "sem dados"}`;
};

/** The goal, and the part of the revenue that is of units and months with a goal: only this counts towards it (B1). */
const goalOf = ({ totais: { meta, valor_com_meta, valor_total } }: PanelBody["metas"]) =>
  meta
    ? {
        value: meta,
        reached: valor_com_meta,
        part: valor_total === 0 ? 0 : valor_com_meta / valor_total,
        isOfAll: valor_com_meta === valor_total,
      }
    : undefined;

const goalText = (reached: number, goal: { value: number; isOfAll: boolean }) =>
  `, ${share(reached, goal.value)} da meta de ${roundMoney(goal.value)}${goal.isOfAll ? "" : " das unidades com meta"}`;

/** The month or the year as a running total, beside the earlier one, with the goal and the pace to its end. */
const Running = ({
  body,
  view,
  whole,
}: {
  body: PanelBody;
  view: View;
  whole: NonNullable<ReturnType<typeof wholeOf>>;
}) => {
  const series = body.faturamento_por_periodo;
  const points = runningPoints(view, whole, series, body.faturamento_anterior?.data ?? []);
  const goal = isMonth(whole) ? goalOf(body.metas) : undefined;
  const pace = isMonth(whole) ? paceOf(view, whole, series.data) : undefined;
  const { valor_total: total, anterior: past } = body.faturamento.totais;
  const isOver = view.clock.today > whole.to;
  return (
    <>
      <LineChart
        title={`Faturamento acumulado, ${periodName(view)}`}
        points={points}
        // Beside the revenue of all units, the goal of some would mislead.
        goal={goal?.isOfAll ? { value: goal.value, name: `meta ${roundMoney(goal.value)}` } : undefined}
        pace={pace}
        textOf={(index) => {
          const { name = "", value, earlier } = points[index] ?? {};
          // The earlier days are whole. Today's is compared until the same hour, as the headline is.
          const isLast = value !== undefined && points[index + 1]?.value === undefined;
          return pointText(`Até ${name}`, value, isLast && !isOver ? past?.valor_total : earlier);
        }}
      />
      {pace !== undefined && (
        <p class="more">
          Neste ritmo: <strong>{roundMoney(pace)}</strong> no mês{goal && goalText(pace * goal.part, goal)}.
        </p>
      )}
      {pace === undefined && goal !== undefined && (
        <p class="more">
          {isOver ? "O mês fechou em " : "Até agora: "}
          <strong>{roundMoney(total)}</strong>
          {goalText(goal.reached, goal)}.
        </p>
      )}
    </>
  );
};

const Bars = ({ body, view }: { body: PanelBody; view: View }) => {
  const { data, anterior } = body.faturamento_por_periodo;
  const points = barPoints(view, data, anterior);
  return (
    <BarChart
      title={`Faturamento, ${periodName(view)}`}
      points={points}
      textOf={(index) => {
        const { name = "", value, earlier } = points[index] ?? {};
        return pointText(name, value, earlier);
      }}
    />
  );
};

const ORIGINS = { salao: "Salões", loja: "Lojas" };

/** What customers paid, and its fair change. */
export const RevenueCard = ({ body, view }: { body: PanelBody; view: View }) => {
  const { data, totais, anterior } = body.faturamento;
  const whole = wholeOf(view);
  const isOneDay = body.faturamento_por_periodo.data.length < 2;
  const parts = (["salao", "loja"] as const).flatMap((origin) => {
    const row = data.find(({ origem }) => origem === origin);
    return row ? [{ name: ORIGINS[origin], value: row.valor_total, text: money(row.valor_total) }] : [];
  });
  return (
    <Card
      title={`Faturamento · ${periodName(view)}`}
      actions={<CompareSelect view={view} earlier={anterior} />}
    >
      <Headline
        now={totais.valor_total}
        before={totais.anterior?.valor_total}
        isUnfair={beginsLate(body.faturamento_anterior)}
      />
      {isFuture(view) && <p class="more">{NOT_BEGUN}</p>}
      {parts.length > 1 && <SplitBar parts={parts} />}
      {whole ? (
        <Running body={body} view={view} whole={whole} />
      ) : (
        !isOneDay && <Bars body={body} view={view} />
      )}
    </Card>
  );
};
