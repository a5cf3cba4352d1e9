import { Answered, Card } from "../../components/card.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { amountColumn, percent } from "../../components/value-columns.tsx";
import { useAnswer } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { share } from "../../format.ts";
import { periodName } from "../../period-names.ts";
import { rangeOf } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { nameOr } from "../../units.ts";
import type { View } from "../../view.ts";
import { FeesNote } from "./fees-note.tsx";

type Fees = { valor_total: number; taxas: number };
type FeeReport = Report<{ forma_pagamento: string | null }, Fees>;
type Row = FeeReport["data"][number];

const feesPath = (view: View) =>
  rowsPath("vendas", {
    ...rangeOf(view),
    origem: "loja",
    por: "forma_pagamento",
    medidas: "valor_total,taxas",
    ordem: "-taxas",
  });

/** Only what was sold. */
const soldRows = ({ data }: FeeReport) =>
  data.filter(({ valor_total, taxas }) => valor_total !== 0 || taxas !== 0);

const FeeTable = ({ body, view }: { body: FeeReport; view: View }) => {
  const { totais } = body;
  const rows = soldRows(body);
  return (
    <div>
      <p class="more">
        O valor vendido em cada forma × a taxa dessa forma, a mesma dos salões. Sem o que os profissionais
        retiraram.
      </p>
      <FeesNote rows={rows} total={totais.taxas} />
      <DataTable
        caption="Taxas das vendas das lojas"
        file={periodFileName("taxas-das-lojas", view)}
        rows={rows}
        keyOf={({ forma_pagamento }) => String(forma_pagamento)}
        empty="Nenhuma venda de loja neste período."
        columns={[
          { title: "Forma de pagamento", value: (row) => nameOr(row.forma_pagamento, "Não informada") },
          { ...amountColumn("Taxas", (row: Row) => row.taxas, totais.taxas), isMain: true },
          {
            title: "Parte do valor (%)",
            value: (row) => percent(row.taxas, row.valor_total),
            cell: (row) => share(row.taxas, row.valor_total),
            total: percent(totais.taxas, totais.valor_total),
            totalCell: share(totais.taxas, totais.valor_total),
            isNumber: true,
          },
          amountColumn("Valor vendido", (row: Row) => row.valor_total, totais.valor_total),
        ]}
      />
    </div>
  );
};

/** The fees of the chosen store, by payment method. */
export const StoreFees = ({ view }: { view: View }) => {
  const answer = useAnswer<FeeReport>(feesPath(view), ["data", "totais"]);
  return <Answered answer={answer}>{(body) => <FeeTable body={body} view={view} />}</Answered>;
};

/** The same as a card; nothing where no store sold. */
export const StoreFeesCard = ({ view }: { view: View }) => {
  const answer = useAnswer<FeeReport>(feesPath(view), ["data", "totais"]);
  return (
    <Answered answer={answer}>
      {(body) =>
        soldRows(body).length > 0 && (
          <Card title={`Taxas das vendas das lojas · ${periodName(view)}`}>
            <FeeTable body={body} view={view} />
          </Card>
        )
      }
    </Answered>
  );
};
