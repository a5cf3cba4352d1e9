import { isPending } from "../../answers.ts";
import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { type Product, ProductName, productKey, productOf } from "../../components/product-name.tsx";
import { SplitBar } from "../../components/split-bar.tsx";
import { amountColumn, countColumn, valueColumns } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { money, number } from "../../format.ts";
import { periodName } from "../../period-names.ts";
import { comparedRangeOf, rangeOf } from "../../ranges.ts";
import { isWhole, type OfUnit, type Report, type Revenue, reportPath, rowsPath } from "../../reports.ts";
import type { View } from "../../view.ts";
import { CutNote, cutOf } from "./cut-note.tsx";

type Sold = {
  quantidade: number;
  valor_total: number;
  quantidade_profissional: number;
  valor_profissional: number;
};
type Body = Report<Product, Sold>;
type Row = Body["data"][number];

const taken = (row: Row) => row.quantidade_profissional;
const takenValue = (row: Row) => row.valor_profissional;

type ByUnit = Report<OfUnit & Product, { valor_total: number }>;

/** By product, the unit that sold most of it: rows come with the highest value first. */
const bestUnits = (rows: ByUnit["data"]): Map<string, string> => {
  const best = new Map<string, string>();
  for (const row of rows)
    if (row.valor_total > 0 && !best.has(productKey(row))) best.set(productKey(row), row.estabelecimento_id);
  return best;
};

const columnsOf = (
  totals: Body["totais"],
  view: View,
  bestUnit: ((row: Row) => string | null) | undefined,
): Column<Row>[] => [
  {
    title: "Produto",
    value: productOf,
    cell: (row) => (
      <span class="what">
        <ProductName row={row} view={view} />
        {bestUnit?.(row) && <span class="more">mais em {bestUnit(row)}</span>}
      </span>
    ),
  },
  { title: "Código", value: ({ produto_id }) => produto_id, isHidden: true },
  ...(bestUnit ? [{ title: "Onde mais vende", value: bestUnit, isHidden: true }] : []),
  ...valueColumns("Valor vendido", totals),
  countColumn("Vendidos", ({ quantidade }) => quantidade, totals.quantidade),
  {
    ...countColumn<Row>("Retirados por profissionais", taken, totals.quantidade_profissional),
    cell: (row) => taken(row) !== 0 && number(taken(row)),
  },
  {
    ...amountColumn<Row>("Valor retirado", takenValue, totals.valor_profissional),
    cell: (row) => takenValue(row) !== 0 && money(takenValue(row)),
  },
];

/** Services or products: the two parts of the revenue, and the change of each. */
const SplitCard = ({ body, view }: { body: Report<object, Revenue>; view: View }) => {
  const { totais, anterior } = body;
  const parts = [
    { name: "Serviços", value: totais.valor_servicos, before: totais.anterior?.valor_servicos },
    { name: "Produtos", value: totais.valor_produtos, before: totais.anterior?.valor_produtos },
  ];
  return (
    <Card
      title={`Serviços ou produtos · ${periodName(view)}`}
      actions={<CompareSelect view={view} earlier={anterior} />}
    >
      <SplitBar parts={parts.map(({ name, value }) => ({ name, value, text: money(value) }))} />
      {totais.anterior && (
        <ul class="changes">
          {parts.map(({ name, value, before }) => (
            <li key={name}>
              {name}: <Delta now={value} before={before} format={money} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
};

interface ProductsProps {
  path: string;
  body: Body;
  /** Undefined if it is not known for each. */
  best: Map<string, string> | undefined;
  isBusy: boolean;
  view: View;
}

const ProductsCard = ({ path, body, best, isBusy, view }: ProductsProps) => {
  const { unitName } = usePanel();
  const { data, totais, linhas } = body;
  const bestUnit = (row: Row) => {
    const id = best?.get(productKey(row));
    return id === undefined ? null : unitName(id);
  };
  return (
    <Card title={`Produtos · ${periodName(view)}`} isBusy={isBusy}>
      <CutNote shown={data.length} all={linhas} of="produtos" />
      <DataTable
        caption="Produtos"
        file={periodFileName("produtos", view)}
        columns={columnsOf(totais, view, best && bestUnit)}
        rows={data}
        cut={cutOf(path, body)}
        keyOf={productKey}
        shown={15}
        order="maior valor"
        empty="Nenhum produto neste período."
      />
      <p class="more">
        Retirados por profissionais: produtos que os profissionais retiraram para si, com o valor descontado
        deles. Não contam como vendidos.
      </p>
    </Card>
  );
};

const MEASURES = "quantidade,valor_total,quantidade_profissional,valor_profissional";

/** What sells, and how much of the revenue it is. */
export const ProductsPart = () => {
  const { view } = usePanel().place;
  const range = comparedRangeOf(view);
  const revenue = useAnswer<Report<object, Revenue>>(reportPath("faturamento", range), ["data", "totais"]);
  const query = { por: "produto", medidas: MEASURES, ordem: "-valor_total" };
  const path = rowsPath("vendas", { ...range, ...query });
  const products = useAnswer<Body>(path, ["data", "totais"]);
  const byUnit = { ...rangeOf(view), por: "produto,unidade", medidas: "valor_total", ordem: "-valor_total" };
  const units = useAnswer<ByUnit>(view.unit ? undefined : rowsPath("vendas", byUnit), ["data"]);
  const best = units.body && isWhole(units.body) ? bestUnits(units.body.data) : undefined;
  return (
    <>
      <Answered answer={revenue}>{(body) => <SplitCard body={body} view={view} />}</Answered>
      <Answered answer={products}>
        {(body) => <ProductsCard path={path} body={body} best={best} isBusy={isPending(units)} view={view} />}
      </Answered>
    </>
  );
};
