import { and, asc, sql } from "drizzle-orm";
import type { Db } from "../../core/database.ts";
import { matchFilters } from "../../db/conditions.ts";
import { byOffset } from "../../db/lists.ts";
import { listByPage } from "../../db/pages.ts";
import { selectionOf } from "../../db/selection.ts";
import { type ListProdutos, Produto, type ProdutoPage } from "./schemas.ts";
import { produtos as t } from "./table.ts";

/** A regular expression for the text, ignoring case (I6). `ilike` would depend on the database's locale. */
const caseInsensitivePattern = (text: string): string =>
  Array.from(text, (letter) => {
    const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
    const single = [...cases].filter((variant) => [...variant].length === 1);
    if (single.length > 1) return `[${single.join("")}]`;
    return /[\p{L}\p{N}\s]/u.test(letter) ? letter : `\\${letter}`;
  }).join("");

const list = listByPage<typeof ListProdutos, typeof ProdutoPage>(
  selectionOf(t, Produto, {}),
  ({ estabelecimento_id, nome }) => {
    const order = [asc(t.nome), asc(t.estabelecimento_id), asc(t.salon_id)];
    const where = and(matchFilters({ estabelecimento_id }), nome && sql`${t.nome} ~ ${nome}`);
    return byOffset(t, where, order);
  },
);

/** Ordered by name, unit and product (L1). */
export const listProdutos = (db: Db, q: Parameters<typeof list>[1]) =>
  list(db, { ...q, nome: q.nome && caseInsensitivePattern(q.nome) });
