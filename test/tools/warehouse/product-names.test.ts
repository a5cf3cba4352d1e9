import { expect, inject, it } from "vitest";
import { differingProductNames } from "../../../tools/warehouse/product-names.ts";
import { openWarehouse } from "../../oracle/warehouse.ts";

it("`verify` lists the product ids whose newest names differ between units or origins (R20)", async () => {
  const warehouse = await openWarehouse(inject("fuzzSeed"));
  try {
    await warehouse.db.query("delete from vendas_produto");
    await warehouse.db.query(`
      insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome) values
        ('loja', 'a', '201', '2026-01-01', 'renamed', 'Old'), ('loja', 'b', '201', '2026-01-02', 'renamed', 'New'),
        ('loja', 'c', '202', null, 'renamed', 'New'),
        ('loja', 'd', '201', '2026-01-01', 'P75', 'Gel'), ('salao', 'e', '101', '2026-01-01', 'P75', null),
        ('loja', 'f', '201', '2026-01-01', null, 'One'), ('loja', 'g', '202', '2026-01-01', null, 'Two')`);
    expect(await differingProductNames(warehouse.url)).toEqual([
      'note: product "P75" is "Gel" in 201 (loja); null in 101 (salao)',
    ]);
  } finally {
    await warehouse.close();
  }
});
