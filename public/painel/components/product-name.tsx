import { listSearch, MAX_ID_LENGTH } from "../links.ts";
import { nameOr } from "../units.ts";
import type { View } from "../view.ts";
import { Link } from "./links.tsx";

/** A product, as reports name it. */
export interface Product {
  produto_id: string | null;
  produto_nome: string | null;
}
/** What was sold, and what professionals took. */
type Moved = Product & { quantidade: number; quantidade_profissional: number };

/** Products without an id differ by their names. */
export const productKey = ({ produto_id, produto_nome }: Product): string =>
  JSON.stringify([produto_id, produto_nome]);

export const productOf = ({ produto_nome, produto_id: id }: Product): string =>
  nameOr(produto_nome, id ? `Produto sem nome (cód. ${id})` : "Produto não identificado");

/** The name, which leads to the sales of the product if the service can filter by its id. */
export const ProductName = ({ row, view }: { row: Moved; view: View }) => {
  const id = row.produto_id;
  if (!id || id.length > MAX_ID_LENGTH || row.quantidade + row.quantidade_profissional === 0)
    return <span class="name">{productOf(row)}</span>;
  return (
    <Link to={listSearch(view, { name: "vendas", product: id })} class="name">
      {productOf(row)}
    </Link>
  );
};
