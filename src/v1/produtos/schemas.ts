import { z } from "@hono/zod-openapi";
import { pageOf, paging } from "../../http/pages.ts";
import { query, text } from "../../http/params.ts";
import { instant, payload } from "../fields.ts";
import { unit } from "../parameters.ts";

export const Produto = z
  .object({
    salon_id: z.string().openapi({ description: "Product identifier", example: "P1" }),
    estabelecimento_id: z.string().openapi({ example: "101" }),
    nome: z.string().nullable().openapi({ example: "Shampoo Suave 250 ml" }),
    raw_data: payload("The raw payload, whole and digit for digit", { id: 1, preco: 49.9 }),
    synced_at: instant("2026-11-15T08:00:40+00:00").openapi({
      description: "Last weekly catalogue sync of that unit: a few days old is normal",
    }),
  })
  .openapi("Produto");
export type Produto = z.output<typeof Produto>;

export const ProdutoPage = pageOf(Produto).openapi("ProdutoPage");
export type ProdutoPage = z.output<typeof ProdutoPage>;

export const ListProdutos = query({
  ...paging,
  estabelecimento_id: unit("products"),
  nome: text({
    max: 100,
    example: "shampoo",
    description:
      "Only products whose name holds this text, in any case, accented letters included. `%`, `_` and `\\` mean " +
      "themselves.",
  }).optional(),
});
export type ListProdutos = z.output<typeof ListProdutos>;
