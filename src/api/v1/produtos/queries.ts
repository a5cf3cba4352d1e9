import { asc, sql } from "drizzle-orm";
import type { z } from "zod";
import { byOffset } from "../../../platform/db/lists.ts";
import { byName, COMBINING_MARKS } from "../../../platform/db/name-order.ts";
import { listOf } from "../../../platform/db/pagination.ts";
import { selectionOf } from "../../../platform/db/selection.ts";
import { type ListProdutos, Produto, type ProdutoPage } from "./schemas.ts";
import { produtos as t } from "./table.ts";

/**
 * A regular expression for the text, ignoring case (I6). `ilike` would depend on the database's locale. A
 * mark after the last letter would make it another letter: accents are not ignored.
 */
const searchPattern = (text: string): string => {
  const letters = Array.from(text, (letter) => {
    const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
    const single = [...cases].filter((variant) => [...variant].length === 1);
    if (single.length > 1) return `[${single.join("")}]`;
    return /[\p{L}\p{M}\p{N}\s]/u.test(letter) ? letter : `\\${letter}`;
  });
  return `${letters.join("")}(?!${COMBINING_MARKS})`;
};

export const produto = selectionOf(t, Produto, {}, { unit: t.estabelecimento_id });

const list = listOf<typeof ListProdutos, typeof ProdutoPage>(produto, ({ nome, salon_id }, { units }) => {
  const order = [...byName(t.nome), asc(t.estabelecimento_id), asc(t.salon_id)];
  return byOffset(
    t,
    { estabelecimento_id: units, salon_id },
    nome && sql`${t.nome} ~ any(${nome}::text[])`,
    order,
  );
});

type Query = z.output<typeof ListProdutos>;
const withPatterns = (q: Query): Query => ({ ...q, nome: q.nome?.map(searchPattern) });

/** Ordered by name, unit and product (L1). */
export const listProdutos: typeof list = {
  read: (db, request, q) => list.read(db, request, withPatterns(q)),
  readPart: (db, request, q, start) => list.readPart(db, request, withPatterns(q), start),
};
