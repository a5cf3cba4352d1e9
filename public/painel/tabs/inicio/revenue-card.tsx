import { BarChart } from "../../components/bar-chart.tsx";
import { Card } from "../../components/card.tsx";
import { ClosingNote } from "../../components/closing.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { Headline } from "../../components/headline.tsx";
import { Legend } from "../../components/legend.tsx";
import { LineChart } from "../../components/line-chart.tsx";
import { PaceNote } from "../../components/pace-note.tsx";
import { PairBars } from "../../components/pair-bars.tsx";
import { SplitBar } from "../../components/split-bar.tsx";
import { barName, money, roundMoney, share, weekdayLong } from "../../format.ts";
import { NOT_BEGUN } from "../../messages.ts";
import { goalOfAll, goalsOf, pacesOf, usualDay } from "../../pace.ts";
import { earlierName, periodName, wholeEarlierName } from "../../period-names.ts";
import { isToday, stepOf } from "../../ranges.ts";
import type { PanelBody } from "../../reports.ts";
import {
  barPoints,
  beginsLate,
  hourPoints,
  isMonth,
  pointText,
  runningPoints,
  sumOf,
  wholeOf,
} from "../../series.ts";
import { isFuture, type View } from "../../view.ts";

/** The goal, and the part of the revenue that is of units and months with a goal: only this counts towards it (B1). */
const goalIn = ({ totais: { meta, valor_com_meta, valor_total } }: PanelBody["metas"]) =>
  meta ? { value: meta, reached: valor_com_meta, isOfAll: valor_com_meta === valor_total } : undefined;

const goalText = (reached: number, goal: { value: number; isOfAll: boolean }) =>
  `, ${share(reached, goal.value)} da meta de ${roundMoney(goal.value)}${goal.isOfAll ? "" : " das unidades com meta"}`;

interface OutlookProps {
  body: PanelBody;
  view: View;
  pace: number | undefined;
  isOver: boolean;
}

/** What the month leads to, and how much of the goal that is. */
const Outlook = ({ body, view, pace, isOver }: OutlookProps) => {
  const goal = goalIn(body.metas);
  const reached = goalOfAll(goalsOf(body, view))?.pace;
  if (pace !== undefined)
    return (
      <div>
        <p class="more">
          Neste ritmo: <strong>{roundMoney(pace)}</strong> no mês
          {goal && reached !== undefined && goalText(reached, goal)}.
        </p>
        <PaceNote />
      </div>
    );
  return goal ? (
    <p class="more">
      {isOver ? "O mês terminou com " : "Até agora: "}
      <strong>{roundMoney(body.faturamento.totais.valor_total)}</strong>
      {goalText(goal.reached, goal)}.
    </p>
  ) : null;
};

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
  const goal = isMonth(whole) ? goalIn(body.metas) : undefined;
  const paces = pacesOf(body, view);
  const pace = paces && sumOf([...paces.values()], Number);
  const past = body.faturamento.totais.anterior;
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
          const point = points[index];
          // The earlier days are whole. The last one is compared as the headline is: until the same hour, or in full.
          const isLast = point?.value !== undefined && points[index + 1]?.value === undefined;
          return `Até ${pointText(point && isLast ? { ...point, earlier: past?.valor_total } : point)}`;
        }}
      />
      {series.anterior && points.some(({ earlier }) => earlier !== undefined) && (
        <Legend keys={{ line: periodName(view), dashes: wholeEarlierName(series.anterior, view) }} />
      )}
      {isMonth(whole) && <Outlook body={body} view={view} pace={pace} isOver={isOver} />}
    </>
  );
};

const Bars = ({ body, view }: { body: PanelBody; view: View }) => {
  const { data, anterior } = body.faturamento_por_periodo;
  const points = barPoints(view, data, anterior);
  return (
    <div>
      <BarChart
        title={`Faturamento, ${periodName(view)}`}
        points={points}
        textOf={(index) => pointText(points[index])}
      />
      {anterior && points.some(({ earlier }) => earlier !== undefined) && (
        <Legend keys={{ "part-0": periodName(view), dash: earlierName(anterior, view) }} />
      )}
    </div>
  );
};

/** The mean of today's weekday: one earlier day may be unusual. */
const Usual = ({ body, view }: { body: PanelBody; view: View }) => {
  const usual = usualDay(body, view);
  if (!isToday(view) || !usual) return null;
  return (
    <p class="more">
      Média de {weekdayLong(view.from)} nas últimas oito semanas: <strong>{roundMoney(usual)}</strong> no dia
      todo.
    </p>
  );
};

/** The hours of a day beside those of the earlier one, in full. */
const Hours = ({ body, view }: { body: PanelBody; view: View }) => {
  const { data, anterior } = body.faturamento_por_periodo;
  const points = hourPoints(view, data, anterior && body.faturamento_anterior?.data);
  if (points.length < 2) return null;
  const { today, hour } = view.clock;
  const running = points.findIndex(({ name }) => name === barName({ from: today, to: today, hour }, "hora"));
  return (
    <div>
      <PairBars
        title={`Faturamento por hora, ${periodName(view)}`}
        points={points}
        textOf={(index) => pointText(points[index])}
        running={view.from === today && running >= 0 ? running : undefined}
      />
      <Legend
        keys={{
          "part-0": periodName(view),
          ...(anterior && { before: wholeEarlierName(anterior, view) }),
        }}
      />
    </div>
  );
};

const Course = ({ body, view }: { body: PanelBody; view: View }) => {
  const whole = wholeOf(view);
  if (whole) return <Running body={body} view={view} whole={whole} />;
  return stepOf(view) === "hora" ? <Hours body={body} view={view} /> : <Bars body={body} view={view} />;
};

const ORIGINS = { salao: "Salões", loja: "Lojas" };

/** What customers paid, and its fair change. */
export const RevenueCard = ({ body, view }: { body: PanelBody; view: View }) => {
  const { data, totais, anterior } = body.faturamento;
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
      <ClosingNote view={view} />
      <Usual body={body} view={view} />
      <Course body={body} view={view} />
    </Card>
  );
};
