import { Answered, Card } from "../../components/card.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { RowName } from "../../components/links.tsx";
import { amountColumn } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { counted, money } from "../../format.ts";
import { periodName } from "../../period-names.ts";
import { placeSearch } from "../../place.ts";
import { rangeOf } from "../../ranges.ts";
import { type OfUnit, type Report, rowsPath } from "../../reports.ts";
import type { View } from "../../view.ts";
import { perSale, type Sold } from "./reasons.ts";

type StoreSales = Report<OfUnit, Sold>;
type Row = StoreSales["data"][number];

const storesPath = (view: View) =>
  rowsPath("vendas", {
    ...rangeOf(view),
    origem: "loja",
    por: "unidade",
    medidas: "vendas,valor_total",
    ordem: "-valor_total",
  });

/** 89 vendas · R$ 301,09 cada. */
const soldText = (sold: Sold) => {
  const average = perSale(sold);
  return counted(sold.vendas, "venda", "vendas") + (average === null ? "" : ` · ${money(average)} cada`);
};

/** The stores side by side: they have sales, where salons have visits. Nothing without a sale. */
export const StoresCard = ({ view }: { view: View }) => {
  const { unitName } = usePanel();
  const answer = useAnswer<StoreSales>(storesPath(view), ["data", "totais"]);
  const nameOf = ({ estabelecimento_id: id }: Row) => unitName(id);
  return (
    <Answered answer={answer}>
      {({ data, totais }) =>
        totais.vendas === 0 ? null : (
          <Card title={`Lojas · ${periodName(view)}`}>
            <DataTable
              caption="Lojas"
              file={periodFileName("lojas", view)}
              rows={data}
              keyOf={({ estabelecimento_id: id }) => id}
              order="maior valor"
              empty="Nenhuma venda neste período."
              columns={[
                {
                  title: "Loja",
                  value: nameOf,
                  cell: (row) => (
                    <RowName
                      to={placeSearch({ ...view, unit: row.estabelecimento_id }, "unidades")}
                      name={nameOf(row)}
                    />
                  ),
                },
                {
                  title: "Vendas",
                  value: ({ vendas }) => vendas,
                  cell: soldText,
                  total: totais.vendas,
                  totalCell: soldText(totais),
                  isBelow: true,
                },
                {
                  ...amountColumn("Valor por venda", (row: Row) => perSale(row), perSale(totais)),
                  isHidden: true,
                },
                { ...amountColumn("Valor", (row: Row) => row.valor_total, totais.valor_total), isMain: true },
              ]}
            />
          </Card>
        )
      }
    </Answered>
  );
};
