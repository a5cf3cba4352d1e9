import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { centavos, change, money, number, oneDecimal, share } from "../../format.ts";
import { comparedRangeOf } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { sumOf } from "../../series.ts";
import { nameOr } from "../../units.ts";
import type { View } from "../../view.ts";
import { periodName } from "../../wording.ts";

type Fees = { visitas: number; valor_total: number; taxas: number };
type FeeReport = Report<{ forma_pagamento: string | null }, Fees>;

const feesPath = (view: View) =>
  rowsPath("visitas", {
    ...comparedRangeOf(view),
    por: "forma_pagamento",
    medidas: "visitas,valor_total,taxas",
    ordem: "-taxas",
  });

type Row = FeeReport["data"][number];

/** For the file and the order: one decimal, as the screen shows it. */
const percent = (part: number, total: number) =>
  total > 0 ? oneDecimal((100 * centavos(part)) / centavos(total)) : null;

const amount = (title: string, amountOf: (row: Row) => number | null, total: number | null): Column<Row> => ({
  title,
  value: amountOf,
  cell: (row) => money(amountOf(row) ?? 0),
  total,
  totalText: money(total ?? 0),
  isNumber: true,
});

const changeColumns = ({ totais }: FeeReport): Column<Row>[] => {
  const [now, before] = [totais.taxas, totais.anterior?.taxas ?? 0];
  return [
    { ...amount("Taxas antes", (row) => row.anterior?.taxas ?? null, before), isHidden: true },
    {
      title: "Variação (%)",
      value: ({ taxas, anterior }) => percent(taxas - (anterior?.taxas ?? 0), anterior?.taxas ?? 0),
      cell: ({ taxas, anterior }) => (
        <Delta now={taxas} before={anterior?.taxas || undefined} format={money} isInverse />
      ),
      total: percent(now - before, before),
      totalText: change(now, before) ?? "—",
      isNumber: true,
    },
  ];
};

const columnsOf = (body: FeeReport, rows: readonly Row[]): Column<Row>[] => {
  const { taxas } = body.totais;
  const value = sumOf(rows, (row) => row.valor_total);
  const visits = rows.reduce((sum, row) => sum + row.visitas, 0);
  return [
    { title: "Forma de pagamento", value: (row) => nameOr(row.forma_pagamento, "Não informada") },
    { ...amount("Taxas", (row) => row.taxas, taxas), isMain: true },
    ...(body.anterior === undefined ? [] : changeColumns(body)),
    {
      title: "Parte do valor (%)",
      value: (row) => percent(row.taxas, row.valor_total),
      cell: (row) => share(row.taxas, row.valor_total),
      total: percent(taxas, value),
      totalText: share(taxas, value),
      isNumber: true,
    },
    amount("Valor", (row) => row.valor_total, value),
    {
      title: "Atendimentos",
      value: ({ visitas }) => visitas,
      cell: ({ visitas }) => number(visitas),
      total: visits,
      totalText: number(visits),
      isNumber: true,
    },
  ];
};

const FeeTable = ({ body, view }: { body: FeeReport; view: View }) => {
  const rows = body.data.filter((row) => row.visitas > 0 || (row.anterior?.taxas ?? 0) > 0);
  const difference = sumOf([body.totais.taxas, -sumOf(rows, ({ taxas }) => taxas)], Number);
  return (
    <div>
      {difference !== 0 && (
        <p class="more">
          O total é arredondado uma vez: a soma das linhas difere dele em {money(Math.abs(difference))}.
        </p>
      )}
      <DataTable
        caption="Taxas por forma de pagamento"
        file={periodFileName("taxas", view)}
        columns={columnsOf(body, rows)}
        rows={rows}
        keyOf={({ forma_pagamento }) => String(forma_pagamento)}
        isSortable
        empty="Nenhum atendimento neste período."
      />
    </div>
  );
};

/** What cards cost: fees by payment method. */
export const Taxas = () => {
  const { view } = usePanel().place;
  const answer = useAnswer<FeeReport>(feesPath(view));
  return (
    <Card
      title={`Taxas de cartão · ${periodName(view)}`}
      actions={<CompareSelect view={view} earlier={answer.body?.anterior} />}
    >
      <Answered answer={answer}>
        {(body) => (
          <div>
            <p class="figure">{money(body.totais.taxas)}</p>
            {body.totais.anterior && (
              <p>
                <Delta now={body.totais.taxas} before={body.totais.anterior.taxas} format={money} isInverse />
              </p>
            )}
            <FeeTable body={body} view={view} />
          </div>
        )}
      </Answered>
    </Card>
  );
};
