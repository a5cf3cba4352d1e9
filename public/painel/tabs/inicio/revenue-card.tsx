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

const goalText = (value: number, goal: number | undefined) =>
  goal === undefined ? "" : `, ${share(value, goal)} da meta de ${roundMoney(goal)}`;

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
  const rows = body.faturamento_por_periodo.data;
  const points = runningPoints(whole, rows, body.faturamento_anterior?.data ?? []);
  const goal = (isMonth(whole) && body.metas.totais.meta) || undefined;
  const pace = isMonth(whole) ? paceOf(view, whole, rows) : undefined;
  const { valor_total: total, anterior: past } = body.faturamento.totais;
  const isOver = view.clock.today > whole.to;
  return (
    <>
      <LineChart
        title={`Faturamento acumulado, ${periodName(view)}`}
        points={points}
        goal={goal === undefined ? undefined : { value: goal, name: `meta ${roundMoney(goal)}` }}
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
          Neste ritmo: <strong>{roundMoney(pace)}</strong> no mês{goalText(pace, goal)}.
        </p>
      )}
      {pace === undefined && goal !== undefined && (
        <p class="more">
          {isOver ? "O mês fechou em " : "Até agora: "}
          <strong>{roundMoney(total)}</strong>
          {goalText(total, goal)}.
        </p>
      )}
    </>
  );
};

const Bars = ({ body, view }: { body: PanelBody; view: View }) => {
  const points = barPoints(
    view,
    body.faturamento_por_periodo.data,
    body.faturamento_anterior?.data.length ?? 0,
  );
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
