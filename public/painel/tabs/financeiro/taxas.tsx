import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { change, money, number, share } from "../../format.ts";
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

const FeeTable = ({ body: { data, anterior, totais }, view }: { body: FeeReport; view: View }) => {
  const rows = data.filter((row) => row.visitas > 0 || (row.anterior?.taxas ?? 0) > 0);
  const isCompared = anterior !== undefined;
  const sums = {
    fees: sumOf(rows, ({ taxas }) => taxas),
    value: sumOf(rows, ({ valor_total }) => valor_total),
    visits: rows.reduce((sum, { visitas }) => sum + visitas, 0),
  };
  return (
    <DataTable
      caption="Taxas por forma de pagamento"
      file={periodFileName("taxas", view)}
      rows={rows}
      keyOf={({ forma_pagamento }) => String(forma_pagamento)}
      isSortable
      empty="Nenhum atendimento neste período."
      columns={[
        { title: "Forma de pagamento", value: (row) => nameOr(row.forma_pagamento, "Não informada") },
        {
          title: "Taxas",
          value: ({ taxas }) => taxas,
          cell: ({ taxas }) => money(taxas),
          total: sums.fees,
          totalText: money(sums.fees),
          isNumber: true,
          isMain: true,
        },
        ...(isCompared
          ? [
              {
                title: "Taxas antes",
                value: ({ anterior: earlier }: FeeReport["data"][number]) => earlier?.taxas ?? null,
                total: totais.anterior?.taxas ?? null,
                isNumber: true,
                isHidden: true,
              },
              {
                title: "Variação",
                value: ({ taxas, anterior: earlier }: FeeReport["data"][number]) =>
                  change(taxas, earlier?.taxas) ?? null,
                cell: ({ taxas, anterior: earlier }: FeeReport["data"][number]) => (
                  <Delta now={taxas} before={earlier?.taxas} format={money} isInverse />
                ),
                total: change(totais.taxas, totais.anterior?.taxas) ?? null,
                isNumber: true,
              },
            ]
          : []),
        {
          title: "Taxas / valor",
          value: ({ taxas, valor_total }) => share(taxas, valor_total),
          total: share(sums.fees, sums.value),
          isNumber: true,
        },
        {
          title: "Valor",
          value: (row) => row.valor_total,
          cell: (row) => money(row.valor_total),
          total: sums.value,
          totalText: money(sums.value),
          isNumber: true,
        },
        {
          title: "Atendimentos",
          value: ({ visitas }) => visitas,
          cell: ({ visitas }) => number(visitas),
          total: sums.visits,
          totalText: number(sums.visits),
          isNumber: true,
        },
      ]}
    />
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
