import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { Link } from "../../components/links.tsx";
import { SplitBar } from "../../components/split-bar.tsx";
import { amountColumn, countColumn, valueColumns } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { money, number } from "../../format.ts";
import { listSearch, MAX_ID_LENGTH } from "../../links.ts";
import { comparedRangeOf } from "../../ranges.ts";
import { type Report, type Revenue, reportPath, rowsPath } from "../../reports.ts";
import { nameOr } from "../../units.ts";
import type { View } from "../../view.ts";
import { periodName } from "../../wording.ts";
import { CutNote, cutOf } from "./cut-note.tsx";

type Sold = {
  quantidade: number;
  valor_total: number;
  quantidade_profissional: number;
  valor_profissional: number;
};
type Body = Report<{ produto_id: string | null; produto_nome: string | null }, Sold>;
type Row = Body["data"][number];

const productOf = ({ produto_nome, produto_id: id }: Row) =>
  nameOr(produto_nome, id ? `Produto sem nome (cód. ${id})` : "Produto não identificado");

/** The name, which leads to the sales of the product if the service can filter by its id. */
const ProductName = ({ row, view }: { row: Row; view: View }) => {
  const id = row.produto_id;
  if (!id || id.length > MAX_ID_LENGTH || row.quantidade + row.quantidade_profissional === 0)
    return <span class="name">{productOf(row)}</span>;
  return (
    <Link to={listSearch(view, { name: "vendas", product: id })} class="name">
      {productOf(row)}
    </Link>
  );
};

const taken = (row: Row) => row.quantidade_profissional;
const takenValue = (row: Row) => row.valor_profissional;

const columnsOf = (totals: Body["totais"], view: View): Column<Row>[] => [
  { title: "Produto", value: productOf, cell: (row) => <ProductName row={row} view={view} /> },
  { title: "Código", value: ({ produto_id }) => produto_id, isHidden: true },
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

const ProductsCard = ({ path, body, view }: { path: string; body: Body; view: View }) => {
  const { data, totais, linhas } = body;
  return (
    <Card title={`Produtos · ${periodName(view)}`}>
      <CutNote shown={data.length} all={linhas} of="produtos" />
      <DataTable
        caption="Produtos"
        file={periodFileName("produtos", view)}
        columns={columnsOf(totais, view)}
        rows={data}
        cut={cutOf(path, body)}
        keyOf={({ produto_id, produto_nome }) => JSON.stringify([produto_id, produto_nome])}
        shown={15}
        isSortable
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
  return (
    <>
      <Answered answer={revenue}>{(body) => <SplitCard body={body} view={view} />}</Answered>
      <Answered answer={products}>{(body) => <ProductsCard path={path} body={body} view={view} />}</Answered>
    </>
  );
};
