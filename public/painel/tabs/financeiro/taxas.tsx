import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { amountColumn, changeColumns, countColumn, percent } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { money, share } from "../../format.ts";
import { periodName } from "../../period-names.ts";
import { comparedRangeOf } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { sumOf } from "../../series.ts";
import { nameOr } from "../../units.ts";
import type { View } from "../../view.ts";
import { FeesNote, FeesOf } from "./fees-note.tsx";
import { StoreFeesCard } from "./store-fees.tsx";

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

const columnsOf = (body: FeeReport, rows: readonly Row[]): Column<Row>[] => {
  const { taxas } = body.totais;
  const value = sumOf(rows, (row) => row.valor_total);
  const visits = rows.reduce((sum, row) => sum + row.visitas, 0);
  return [
    { title: "Forma de pagamento", value: (row) => nameOr(row.forma_pagamento, "Não informada") },
    { ...amountColumn("Taxas", (row) => row.taxas, taxas), isMain: true },
    ...changeColumns("taxas", body.totais, { isInverse: true }),
    {
      title: "Taxa média (%)",
      value: (row) => percent(row.taxas, row.valor_total),
      cell: (row) => share(row.taxas, row.valor_total),
      total: percent(taxas, value),
      totalCell: share(taxas, value),
      isNumber: true,
    },
    amountColumn("Valor", (row) => row.valor_total, value),
    countColumn("Atendimentos", (row) => row.visitas, visits),
  ];
};

const FeeTable = ({ body, view }: { body: FeeReport; view: View }) => {
  const rows = body.data.filter((row) => row.visitas > 0 || (row.anterior?.taxas ?? 0) > 0);
  return (
    <div>
      <FeesNote rows={rows} total={body.totais.taxas} />
      <DataTable
        caption="Taxas por forma de pagamento"
        file={periodFileName("taxas", view)}
        columns={columnsOf(body, rows)}
        rows={rows}
        keyOf={({ forma_pagamento }) => String(forma_pagamento)}
        order="maiores taxas"
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
    <>
      <Card
        title={`Taxas de cartão · ${periodName(view)}`}
        actions={<CompareSelect view={view} earlier={answer.body?.anterior} />}
      >
        <FeesOf />
        <Answered answer={answer}>
          {(body) => (
            <div>
              <p class="figure">{money(body.totais.taxas)}</p>
              {body.totais.anterior && (
                <p>
                  <Delta
                    now={body.totais.taxas}
                    before={body.totais.anterior.taxas}
                    format={money}
                    isInverse
                  />
                </p>
              )}
              <FeeTable body={body} view={view} />
            </div>
          )}
        </Answered>
      </Card>
      <StoreFeesCard view={view} />
    </>
  );
};
