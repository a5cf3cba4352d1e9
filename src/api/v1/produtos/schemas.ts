import { personal } from "../../../platform/db/personal-data.ts";
import { pageOf, pageParams } from "../../../platform/http/page-schemas.ts";
import { fieldsParam, humanText, querySchema } from "../../../platform/http/params.ts";
import { instant, payload, record, string } from "../fields.ts";
import { bySalonId, unit } from "../parameters.ts";
import { produtos } from "./table.ts";

export const Produto = record("Produto", {
  salon_id: string("P1", "Product id"),
  estabelecimento_id: string("101"),
  nome: string("Shampoo Suave 250 ml").nullable(),
  raw_data: personal(
    payload("The complete source object. Numbers keep all their digits", { id: 1, preco: 49.9 }),
  ),
  synced_at: instant("2026-11-15T08:00:40+00:00").openapi({
    description: "Last weekly synchronisation of the unit's catalogue. A few days ago is normal",
  }),
});

export const ProdutoPage = pageOf(Produto).openapi("ProdutoPage");

export const ListProdutos = querySchema({
  ...pageParams,
  ...fieldsParam(Produto),
  estabelecimento_id: unit("products of", [produtos.estabelecimento_id]),
  nome: humanText({
    max: 100,
    example: "shampoo",
    description:
      "Only products whose name contains this text, in any case but with its accents. No character has a " +
      "special meaning.",
  }).optional(),
  salon_id: bySalonId("products", "P1"),
});
