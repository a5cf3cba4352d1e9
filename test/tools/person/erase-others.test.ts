// @module-tag server
import { describe, expect, it } from "vitest";
import {
  erase,
  expectConsistent,
  NAME,
  PROFESSIONAL,
  plant,
  query,
  removePlanted,
  repeat,
  search,
  totals,
  usePersons,
} from "./fixture.ts";

usePersons();

describe("erasing a professional", () => {
  const THEIRS = /970013|ubirajara|xerem|xerém/i;

  it("leaves neither name nor id, and every total as it was (A16)", async () => {
    const before = await totals();
    const [receipt] = await erase("professional", PROFESSIONAL);
    expect(receipt?.rows).toEqual({ lancamentos: 2, profissionais: 1, transacoes: 3, vendas_produto: 1 });
    await query("analyze");
    expect(await search(THEIRS)).toEqual([]);
    expect(await totals()).toEqual(before);
    await expectConsistent();
    const [row] = await query("select cliente_nome, servicos from transacoes where salon_id = 'pt 1'");
    expect(row.cliente_nome).toBe(NAME);
    expect(row.servicos).toMatchObject([
      { idProfissionalQueRealizouServico: null, valor: 150.45 },
      { idProfissionalQueRealizouServico: 970099 },
    ]);
  });

  it("is repeated by receipts after a restore (A16)", async () => {
    const receipts = await erase("professional", PROFESSIONAL);
    await removePlanted();
    await plant();
    expect(await repeat(receipts, "professional")).toMatchObject([
      { rows: { profissionais: 1, transacoes: 3 } },
    ]);
  });
});

describe("any client of a random warehouse", () => {
  it("is erased without a change of any total (A16)", async () => {
    const clients = await query(
      "select id from (select cliente_salon_id as id from transacoes union select cliente_id from vendas_produto) as c where id is not null order by md5(id) limit 12",
    );
    const ids: string[] = clients.map(({ id }) => id);
    const before = await totals();
    const receipts = await erase("client", ...ids);
    expect(receipts).toHaveLength(ids.length);
    expect(await totals()).toEqual(before);
    await expectConsistent();
    for (const table of [
      "transacoes",
      "vendas_produto",
      "transacoes_cliente_rollup",
      "vendas_cliente_rollup",
    ]) {
      const column = table.startsWith("transacoes") ? "cliente_salon_id" : "cliente_id";
      expect(await query(`select from ${table} where ${column} = any($1)`, [ids])).toEqual([]);
    }
  });
});
