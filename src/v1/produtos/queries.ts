import { and, asc, sql } from "drizzle-orm";
import { page } from "../../db/bodies.ts";
import { equal } from "../../db/conditions.ts";
import { byWalking } from "../../db/lists.ts";
import { selectionOf } from "../../db/selection.ts";
import type { Db } from "../../ground/database.ts";
import { type ListProdutos, Produto, type ProdutoPage } from "./schemas.ts";
import { produtos as t } from "./table.ts";

/**
 * A regular expression that matches a text literally and in any case. Each letter is spelled in both cases here,
 * because what `ilike` knows of accented letters depends on the database's locale (I6).
 */
const literally = (text: string): string =>
  Array.from(text, (letter) => {
    const cases = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
    const single = [...cases].filter((form) => [...form].length === 1);
    if (single.length > 1) return `[${single.join("")}]`;
    return /[\p{L}\p{N}\s]/u.test(letter) ? letter : `\\${letter}`;
  }).join("");

const list = page<typeof ListProdutos, typeof ProdutoPage>(
  selectionOf(t, Produto, {}),
  ({ estabelecimento_id, nome }) => {
    const order = [asc(t.nome), asc(t.estabelecimento_id), asc(t.salon_id)];
    const where = and(equal({ estabelecimento_id }), nome && sql`${t.nome} ~ ${nome}`);
    return byWalking(t, where, order);
  },
);

/** By name, unit and product (L1). */
export const listProdutos = (db: Db, q: Parameters<typeof list>[1]) =>
  list(db, { ...q, nome: q.nome && literally(q.nome) });
