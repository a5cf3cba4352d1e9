import { Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Headline } from "../../components/headline.tsx";
import { Link } from "../../components/links.tsx";
import { amountColumn, percent } from "../../components/value-columns.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { dayMonth, money, share } from "../../format.ts";
import { periodName } from "../../period-names.ts";
import { placeSearch } from "../../place.ts";
import { elapsedDays, type View } from "../../view.ts";
import { billsOf, byMargin, type Result, type UnitResult, type UnitResults } from "./result.ts";

/** The bills of no unit. */
const NO_UNIT = "Escritório e sem unidade";

const amountOrDash = (reais: number | null) => (reais === null ? "—" : money(reais));

const marginText = ({ resultado, faturamento }: Result) =>
  resultado === null || faturamento <= 0 ? "—" : share(resultado, faturamento);

/** An amount of bills, which leads to their list. Without bills there is no list. */
export const Bills = ({ reais, to, of }: { reais: number | null; to: string | undefined; of: string }) =>
  to === undefined || reais === null || reais === 0 ? (
    <span>{amountOrDash(reais)}</span>
  ) : (
    <Link to={to} label={`${money(reais)}: ver as contas, ${of}`} class="bills">
      {money(reais)}
    </Link>
  );

/** Revenue, bills, what is left and the margin. A cost has no change, which would be good or bad. */
export const resultColumns = <Row extends Result>(
  totals: Result,
  billsCell: (row: Row | undefined) => ReturnType<typeof Bills>,
): Column<Row>[] => [
  {
    ...amountColumn("Faturamento", (row: Row) => row.faturamento, totals.faturamento),
    cell: ({ faturamento }) => (faturamento === 0 ? "—" : money(faturamento)),
  },
  {
    ...amountColumn("Contas", (row: Row) => row.despesas, totals.despesas),
    cell: billsCell,
    totalCell: billsCell(undefined),
  },
  { ...amountColumn("Sobra", (row: Row) => row.resultado, totals.resultado), isMain: true },
  {
    title: "Margem (%)",
    value: (row) => (row.resultado === null ? null : percent(row.resultado, row.faturamento)),
    cell: marginText,
    total: totals.resultado === null ? null : percent(totals.resultado, totals.faturamento),
    totalCell: marginText(totals),
    isNumber: true,
    isMain: true,
  },
];

/** The list of all bills; undefined for a reader of some units, who gets the figures of these alone (R27). */
export const useAllBills = (view: View, days: { from: string; to: string }): string | undefined => {
  const { rights } = usePanel();
  return rights.units === null || view.unit ? billsOf(view, days) : undefined;
};

/** What is left of the revenue of the period. */
export const LeftCard = ({ report, view }: { report: UnitResults; view: View }) => {
  const { totais, anterior } = report;
  const days = elapsedDays(view);
  const to = useAllBills(view, days);
  return (
    <Card
      title={`Sobra · ${periodName(view)}`}
      actions={anterior && <CompareSelect view={view} earlier={anterior} />}
    >
      {totais.resultado === null ? (
        <p class="nothing">As contas desta unidade não são conhecidas: ela não tem centro de custo.</p>
      ) : (
        <div>
          <Headline now={totais.resultado} before={totais.anterior?.resultado ?? undefined} />
          <p>
            <strong>{marginText(totais)}</strong> do faturamento
          </p>
        </div>
      )}
      <dl class="sums">
        <dt>Faturamento</dt>
        <dd>{money(totais.faturamento)}</dd>
        <dt>
          Contas <span class="more">com vencimento até {dayMonth(days.to)}, pagas ou não</span>
        </dt>
        <dd>
          <Bills reais={totais.despesas} to={to} of={periodName(view)} />
        </dd>
        <dt>Sobra</dt>
        <dd>{amountOrDash(totais.resultado)}</dd>
      </dl>
    </Card>
  );
};

const hasSome = ({ faturamento, despesas }: Result) => faturamento !== 0 || (despesas ?? 0) !== 0;

/** The units, with what each keeps. */
export const UnitsCard = ({ report, view }: { report: UnitResults; view: View }) => {
  const { unitName } = usePanel();
  const days = elapsedDays(view);
  const all = useAllBills(view, days);
  const nameOf = ({ estabelecimento_id: id }: UnitResult) => (id === null ? NO_UNIT : unitName(id));
  // A unit may have sales or bills only in the range that it is compared with.
  const rows = byMargin(report.data.filter(hasSome));
  const billsCell = (row: UnitResult | undefined) =>
    row === undefined ? (
      <Bills reais={report.totais.despesas} to={all} of="Total" />
    ) : (
      <Bills reais={row.despesas} to={billsOf(view, days, row.estabelecimento_id)} of={nameOf(row)} />
    );
  return (
    <Card title={`Por unidade · ${periodName(view)}`}>
      <DataTable
        caption="Resultado por unidade"
        file={periodFileName("resultado-por-unidade", view)}
        columns={[
          {
            title: "Unidade",
            value: nameOf,
            cell: (row) =>
              row.estabelecimento_id === null ? (
                nameOf(row)
              ) : (
                <Link to={placeSearch({ ...view, unit: row.estabelecimento_id }, "financeiro")}>
                  {nameOf(row)}
                </Link>
              ),
          },
          ...resultColumns<UnitResult>(report.totais, billsCell),
        ]}
        rows={rows}
        keyOf={({ estabelecimento_id: id }) => String(id)}
        order="maior margem"
        empty="Nenhuma venda e nenhuma conta neste período."
      />
      {rows.some(({ estabelecimento_id: id, despesas }) => id !== null && despesas === null) && (
        <p class="more">
          As unidades com “—” não têm centro de custo: as contas delas não estão separadas, e por isso não há
          margem.
        </p>
      )}
    </Card>
  );
};
