import type { ComponentChildren } from "preact";
import { Answered, Card } from "../../components/card.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { Foldable } from "../../components/foldable.tsx";
import { Kpi } from "../../components/kpi.tsx";
import { type Product, ProductName, productKey, productOf } from "../../components/product-name.tsx";
import { amountColumn, countColumn, shareColumn } from "../../components/value-columns.tsx";
import { useAnswer } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { counted, money, number, share } from "../../format.ts";
import { comparedRangeOf } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import type { View } from "../../view.ts";
import { StoreFees } from "../financeiro/store-fees.tsx";
import { CutNote, cutOf } from "../mais/cut-note.tsx";
import { perSale, type Sold, salesReasons } from "./reasons.ts";
import { ReasonsCard } from "./reasons-card.tsx";

type Sales = Sold & {
  quantidade: number;
  quantidade_profissional: number;
  vendas_com_cliente: number;
  taxas: number;
};
type SalesReport = Report<Product, Sales>;
type Row = SalesReport["data"][number];

/** By product. The totals are of the store: a sale may have several products. */
const salesPath = (view: View) =>
  rowsPath("vendas", {
    ...comparedRangeOf(view),
    por: "produto",
    medidas: "valor_total,quantidade,quantidade_profissional,vendas,vendas_com_cliente,taxas",
    ordem: "-valor_total",
  });

const Figures = ({ totals: now }: { totals: SalesReport["totais"] }) => {
  const before = now.anterior;
  const value = perSale(now);
  return (
    <div class="figures">
      <h2 class="sr-only">Resumo</h2>
      <Kpi title="Vendas" value={number(now.vendas)}>
        {before && <Delta now={now.vendas} before={before.vendas} format={number} />}
      </Kpi>
      <Kpi title="Valor por venda" value={value === null ? "—" : money(value)}>
        {before && <Delta now={value} before={perSale(before)} format={money} />}
      </Kpi>
      <Kpi title="Cliente identificado" value={share(now.vendas_com_cliente, now.vendas)}>
        {`${number(now.vendas_com_cliente)} de ${counted(now.vendas, "venda", "vendas")}`}
      </Kpi>
      <Kpi title="Taxas de cartão" value={money(now.taxas)}>
        {`${share(now.taxas, now.valor_total)} das vendas`}
      </Kpi>
    </div>
  );
};

const SHOWN = 5;

const ProductsCard = ({ body, view }: { body: SalesReport; view: View }) => {
  const { data, totais, linhas = data.length } = body;
  const rows = data.filter(({ valor_total, quantidade }) => valor_total !== 0 || quantidade !== 0);
  return (
    <Card title="Produtos mais vendidos">
      <CutNote shown={data.length} all={linhas} of="produtos" />
      <DataTable
        caption="Produtos mais vendidos"
        file={periodFileName("produtos-da-loja", view)}
        rows={rows}
        cut={cutOf(salesPath(view), body)}
        keyOf={productKey}
        shown={SHOWN}
        empty="Nenhum produto neste período."
        columns={[
          { title: "Produto", value: productOf, cell: (row) => <ProductName row={row} view={view} /> },
          { ...amountColumn("Valor", (row: Row) => row.valor_total, totais.valor_total), isMain: true },
          countColumn("Vendidos", (row: Row) => row.quantidade, totais.quantidade),
          shareColumn(totais),
        ]}
      />
    </Card>
  );
};

/** A store: its sales and their value, why they changed, what sold and what cards cost. @param children its revenue */
export const StoreParts = ({ view, children }: { view: View; children: ComponentChildren }) => {
  const answer = useAnswer<SalesReport>(salesPath(view), ["data", "totais"]);
  return (
    <div class="unit-page">
      {children}
      <Answered answer={answer}>
        {(body) => (
          <div class="unidades store">
            <Figures totals={body.totais} />
            <ReasonsCard
              report={body}
              reasons={salesReasons(body.totais, body.totais.anterior)}
              view={view}
            />
            <ProductsCard body={body} view={view} />
            <Foldable title="Taxas por forma de pagamento">{() => <StoreFees view={view} />}</Foldable>
            <p class="more">
              Uma venda reúne os produtos de uma mesma compra. O que os profissionais retiraram não conta.
            </p>
          </div>
        )}
      </Answered>
    </div>
  );
};
