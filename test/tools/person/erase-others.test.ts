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

describe("erasing a professional whose name", () => {
  it.each([
    ["is one word", "Shirlene", "select"],
    [
      "another professional has",
      "Rosa Linda",
      "insert into profissionais (nome, salon_id) values ('Rosa Linda', '970099')",
    ],
    ["a product has", "Kit Verão", "update produtos set nome = 'Kit Verão' where salon_id = 'pp 1'"],
    ["a cost centre has", "Centro Novo", "select"],
  ])(
    "%s, %s, leaves it in no entry or service with the id, and in all others (A16)",
    async (_, name, make) => {
      const id = Number(PROFESSIONAL);
      await query("update profissionais set nome = $1 where salon_id = $2", [name, PROFESSIONAL]);
      await query(make);
      const theirs = { Pessoa: name, Observacao: `pago a ${name}`, Outra: 5 };
      const others = { Profissional: "Maria", IdProfissional: 970099, Pessoa: name };
      const service = { nome: "Corte", valor: 1, quem: name, nota: [`com ${name}!`] };
      await query("update lancamentos set raw_data = $1 where salon_id = 'pl 1'", [
        { ...theirs, IdProfissional: id, CentroCusto: name, Itens: [others], [name]: 1 },
      ]);
      await query("update lancamentos set raw_data = $1 where salon_id = 'pl 3'", [theirs]);
      await query(
        "update pagamentos_erp set raw_data = $1, descricao = $2, nome_conta_classificacao = $3 where erp_id = 970002",
        [{ ProfissionalId: PROFESSIONAL, json: JSON.stringify(theirs) }, `Comissão ${name}`, name],
      );
      await query("update transacoes set servicos = $1 where salon_id = 'pt 3'", [
        JSON.stringify([
          { ...service, idProfissionalQueRealizouServico: id },
          { ...service, idProfissionalQueRealizouServico: 970099 },
        ]),
      ]);
      const [receipt] = await erase("professional", PROFESSIONAL);
      expect(receipt?.left).toEqual([]);
      expect(
        await query("select raw_data from lancamentos where salon_id in ('pl 1', 'pl 3') order by salon_id"),
      ).toEqual([
        {
          raw_data: {
            Pessoa: null,
            Observacao: null,
            Outra: 5,
            IdProfissional: null,
            CentroCusto: name,
            Itens: [others],
            "removed 1": 1,
          },
        },
        { raw_data: theirs },
      ]);
      const [payment] = await query(
        "select raw_data, descricao, nome_conta_classificacao from pagamentos_erp where erp_id = 970002",
      );
      expect(JSON.parse(payment.raw_data.json)).toEqual({ Pessoa: null, Observacao: null, Outra: 5 });
      expect(payment).toMatchObject({ descricao: null, nome_conta_classificacao: name });
      const [{ servicos }] = await query("select servicos from transacoes where salon_id = 'pt 3'");
      expect(servicos).toEqual([
        { nome: "Corte", valor: 1, quem: null, nota: [null], idProfissionalQueRealizouServico: null },
        { ...service, idProfissionalQueRealizouServico: 970099 },
      ]);
      await expectConsistent();
      await query("delete from profissionais where salon_id = '970099'");
      await query("update pagamentos_erp set nome_conta_classificacao = null where erp_id = 970002");
    },
  );
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
      "visitas_facts",
      "vendas_facts",
      "transacoes_cliente_rollup",
      "vendas_cliente_rollup",
    ]) {
      const column = /^(transacoes|visitas)/.test(table) ? "cliente_salon_id" : "cliente_id";
      expect(await query(`select from ${table} where ${column} = any($1)`, [ids])).toEqual([]);
    }
  });
});
