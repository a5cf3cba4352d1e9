import type { Answer } from "../../answers.ts";
import { Answered, Card } from "../../components/card.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Legend } from "../../components/legend.tsx";
import { usePaymentsOf } from "../../components/payments.tsx";
import { type Stack, StackChart } from "../../components/stack-chart.tsx";
import { EmptyState } from "../../components/states.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { fileName } from "../../file-name.ts";
import { money, monthName, shortMonth, withMinus } from "../../format.ts";
import { heatClass } from "../../heat.ts";
import { NOT_BEGUN } from "../../messages.ts";
import { isFuture, type View } from "../../view.ts";
import {
  billsOfMonth,
  type Margins,
  type MonthResult,
  type MonthResults,
  marginRows,
  marginsPath,
  monthsPath,
  type UnitResults,
  unitsPath,
  yearOf,
} from "./result.ts";
import { Bills, LeftCard, resultColumns, UnitsCard, useAllBills } from "./result-cards.tsx";

const FIELDS = ["data", "totais"];

/** Nov. */
const tickOf = (mes: string) => shortMonth(mes).replace(".", "");

/** Bills below, in grey, and what is left. If bills are more, the rest of them is above in red. */
const partsOf = (value: number, spent: number): Stack["parts"] => [
  { look: "spent", from: 0, to: Math.min(spent, value) },
  { look: spent > value ? "lacking" : "left", from: spent, to: value },
];

/** Bills and what is left, by month. Months of unknown bills are no bars. */
const Chart = ({ report: { data }, view }: { report: MonthResults; view: View }) => {
  const stacks = data.flatMap(({ mes, faturamento, despesas }) =>
    despesas === null
      ? []
      : [
          {
            name: monthName(mes, view.clock.today),
            tick: tickOf(mes),
            value: faturamento,
            spent: despesas,
            parts: partsOf(faturamento, despesas),
          },
        ],
  );
  if (stacks.length < 2) return null;
  const textOf = (index: number) => {
    const stack = stacks[index];
    if (stack === undefined) return "";
    const row = data.find(({ mes }) => monthName(mes, view.clock.today) === stack.name);
    return `${stack.name}: sobra ${money(row?.resultado ?? 0)}, contas ${money(stack.spent)}`;
  };
  return (
    <div>
      <StackChart
        title={`Sobra e contas por mês de ${yearOf(view).from.slice(0, 4)}`}
        stacks={stacks}
        textOf={textOf}
      />
      <Legend keys={{ "part-0": "Sobra", spent: "Contas" }} />
    </div>
  );
};

const MonthsCard = ({ report, view }: { report: MonthResults; view: View }) => {
  const days = yearOf(view);
  const year = days.from.slice(0, 4);
  const all = useAllBills(view, days);
  const isListed = all !== undefined;
  const nameOf = ({ mes }: MonthResult) => monthName(mes, view.clock.today);
  const billsCell = (row: MonthResult | undefined) =>
    row === undefined ? (
      <Bills reais={report.totais.despesas} to={all} of={year} />
    ) : (
      <Bills reais={row.despesas} to={isListed ? billsOfMonth(view, row) : undefined} of={nameOf(row)} />
    );
  return (
    <Card title={`Por mês · ${year}`}>
      <Chart report={report} view={view} />
      <DataTable
        caption="Resultado por mês"
        file={fileName("resultado-por-mes", days)}
        columns={[{ title: "Mês", value: nameOf }, ...resultColumns<MonthResult>(report.totais, billsCell)]}
        rows={report.data.toReversed()}
        keyOf={({ mes }) => mes}
        empty="Nenhuma venda e nenhuma conta neste ano."
      />
    </Card>
  );
};

/** In whole per cents; a greater loss than the revenue is only that. */
const marginCell = (margin: number | null) => {
  if (margin === null) return "—";
  const percents = Math.round(margin * 100);
  return percents < -99 ? "<−99" : withMinus(String(percents));
};

/** The margin of each unit in the last months. One below zero has no shade. */
const MarginsCard = ({ report }: { report: Margins }) => {
  const { unitName } = usePanel();
  const { months, rows } = marginRows(report);
  if (rows.length === 0) return null;
  const max = Math.max(...rows.flatMap(({ margins }) => margins.map((margin) => margin ?? 0)));
  return (
    <Card title="Margem por unidade e mês">
      <p class="more">Em % do faturamento, só das unidades com centro de custo.</p>
      <table class="heat margins">
        <caption class="sr-only">Margem por unidade e mês, em %</caption>
        <thead>
          <tr>
            <td />
            {months.map((mes) => (
              <th key={mes} scope="col">
                {tickOf(mes)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ unit, margins }) => (
            <tr key={unit}>
              <th scope="row">{unitName(unit)}</th>
              {margins.map((margin, index) => (
                <td key={months[index]} class={heatClass(Math.max(0, margin ?? 0), max)}>
                  {marginCell(margin)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
};

const Months = ({ answer, view }: { answer: Answer<MonthResults>; view: View }) => (
  <Answered answer={answer}>{(report) => <MonthsCard report={report} view={view} />}</Answered>
);

const Results = ({ view }: { view: View }) => {
  const { dataUntil } = usePanel();
  const units = useAnswer<UnitResults>(unitsPath(view, dataUntil), FIELDS);
  const months = useAnswer<MonthResults>(monthsPath(view), FIELDS);
  const margins = useAnswer<Margins>(view.unit ? undefined : marginsPath(view), ["data"]);
  return (
    <>
      <Answered answer={units}>
        {(report) => (
          <div class="parts results">
            <LeftCard report={report} view={view} />
            {view.unit === "" && <UnitsCard report={report} view={view} />}
            {view.unit === "" && <Answered answer={margins}>{(of) => <MarginsCard report={of} />}</Answered>}
          </div>
        )}
      </Answered>
      <Months answer={months} view={view} />
      <p class="more">
        Contas são os pagamentos do ERP, pela data de vencimento. Lançamentos não entram: os pagamentos já os
        incluem.
      </p>
    </>
  );
};

/** Revenue, bills and what is left, by unit and month. */
export const Resultado = () => {
  const { view } = usePanel().place;
  const { instead } = usePaymentsOf("");
  if (instead) return instead;
  return isFuture(view) ? <EmptyState title={NOT_BEGUN} /> : <Results view={view} />;
};
