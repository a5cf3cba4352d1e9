// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send, sql } from "../../support/worker/api.ts";
import { signTokenOf } from "../../support/worker/client.ts";
import {
  type GeneralAnswer,
  type Query,
  readReport,
  reportPath,
} from "../../support/worker/general-reports.ts";

const UNIT = "sold";
const question = (por: string, query: Query = {}): Query => ({ estabelecimento_id: UNIT, por, ...query });
const rows = async (query?: Query) =>
  (await readReport("vendas", question("produto", query))).data as ReturnType<typeof row>[];

interface Line {
  id?: string | null;
  name?: string | null;
  quantity?: string | null;
  worth?: string | null;
  form?: string | null;
  at?: string | null;
  origin?: string;
  transaction?: string;
}
const sell = ({ id = "A", name = "Gel", quantity = "1", worth = "10", form = "Pix", ...rest }: Line) =>
  sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome, quantidade, valor_total, forma_pagamento)
    values (${rest.origin ?? "loja"}, ${rest.transaction ?? "sold"}, ${UNIT}, ${rest.at === undefined ? "1955-05-05T15:00:00Z" : rest.at}, ${id}, ${name}, ${quantity}, ${worth}, ${form})`;
const TAKEN = "Descontar do Profissional";

const clear = () => sql`delete from vendas_produto where estabelecimento_id = ${UNIT}`;
/** The measures in order; those left out are 0. */
const sums = (linhas: number, ...numbers: number[]) => ({
  linhas,
  quantidade: numbers[0] ?? 0,
  valor_total: numbers[1] ?? 0,
  quantidade_profissional: numbers[2] ?? 0,
  valor_profissional: numbers[3] ?? 0,
  sem_quantidade: numbers[4] ?? 0,
});
const row = (produto_id: string | null, produto_nome: string | null, ...numbers: [number, ...number[]]) => ({
  produto_id,
  produto_nome,
  ...sums(...numbers),
});

beforeAll(clear);
afterAll(clear);

describe("sales by product (R20)", () => {
  it("has one row for each id, with the name in its newest line, whatever the range and the unit (R20)", async () => {
    await clear();
    await sell({ id: "renamed", name: "Old", at: null });
    await sell({ id: "renamed", name: "Newer", at: "1955-06-05T15:00:00Z" });
    await sell({ id: "renamed", name: null, at: "1955-05-05T15:00:00Z" });
    await sell({ id: null, name: "Without id" });
    await sell({ id: null, name: null });
    const names = async (query: Query = {}) =>
      (await rows(query)).map(({ produto_id, produto_nome, linhas }) => [produto_id, produto_nome, linhas]);
    expect(await names()).toEqual([
      ["renamed", "Newer", 3],
      [null, "Without id", 1],
      [null, null, 1],
    ]);
    expect(await names({ produto_id: "renamed", data_fim: "1955-05-31T00:00:00Z" })).toEqual([
      ["renamed", "Newer", 1],
    ]);
    await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome)
      values ('loja', 'sold', 'sold elsewhere', '1955-06-05T15:00:00Z', 'renamed', 'Newest by id')`;
    try {
      expect((await names({ ordem: "produto_nome" })).map(([, name]) => name)).toEqual([
        "Newest by id",
        "Without id",
        null,
      ]);
      const rights = { units: [UNIT], personalData: true, payments: true };
      const headers = { Authorization: `Bearer ${await signTokenOf(926_001, rights)}` };
      const response = await send(reportPath("vendas", question("produto")), { headers });
      expect((await response.json<GeneralAnswer>()).data[0]?.produto_nome).toBe("Newer");
    } finally {
      await sql`delete from vendas_produto where estabelecimento_id = 'sold elsewhere'`;
    }
  });

  it("sums each id, separates what professionals took, and rounds only money (R20)", async () => {
    await clear();
    await sell({ quantity: "1.250", worth: "0.1" });
    await sell({ quantity: "0.0005", worth: "0.2" });
    await sell({ form: TAKEN, quantity: "2", worth: "7.30" });
    await sell({ form: null, quantity: null, worth: null });
    await sell({ form: "descontar do profissional", name: "Gel novo", worth: "0.25" });
    await sell({ id: "B", form: TAKEN, worth: "50" });
    const answer = await readReport("vendas", question("produto"));
    expect(answer).toEqual({
      data: [row("A", "Gel novo", 5, 2.2505, 0.55, 2, 7.3, 1), row("B", "Gel", 1, 0, 0, 1, 50)],
      linhas: 2,
      totais: sums(6, 2.2505, 0.55, 3, 57.3, 1),
    });
    expect((await rows({ ordem: "-valor_total" })).map(({ valor_total }) => valor_total)).toEqual([0.55, 0]);
  });

  it("counts NaN and infinity as nothing, and no longer counts deleted lines (R20)", async () => {
    await clear();
    for (const quantity of ["NaN", "Infinity", "-Infinity", "3.10"]) await sell({ quantity, worth: "NaN" });
    expect(await rows()).toEqual([row("A", "Gel", 4, 3.1)]);
    await sql`delete from vendas_produto where estabelecimento_id = ${UNIT} and quantidade = 3.1`;
    expect(await rows()).toEqual([row("A", "Gel", 3)]);
    await clear();
    expect(await rows()).toEqual([]);
  });

  it("distinguishes texts by their first 200 characters, and null from an empty text (R20)", async () => {
    await clear();
    const long = "💇".repeat(200);
    await sell({ name: `${long}a`, worth: "1" });
    await sell({ name: `${long}b`, worth: "1" });
    await sell({ id: null, name: null, worth: "1" });
    await sell({ id: "", name: null, worth: "1", at: "2199-01-01T00:00:00Z" });
    await sell({ id: null, name: "", worth: "1" });
    expect(await rows()).toEqual([
      row("A", long, 2, 2, 2),
      row("", null, 1, 1, 1),
      row(null, "", 1, 1, 1),
      row(null, null, 1, 1, 1),
    ]);
  });

  it("filters by origin and range, and a range omits lines without a date (R20, L2)", async () => {
    await clear();
    await sell({ id: "in", at: "1955-05-05T12:00:00Z" });
    await sell({ id: "in", at: "1955-05-05T12:00:00.000001Z", origin: "salao", worth: "3" });
    await sell({ id: "undated", at: null });
    await sell({ id: "ever", at: "infinity" });
    const noon = { data_inicio: "1955-05-05T09:00:00-03:00", data_fim: "1955-05-05T12:00:00Z" };
    expect(await rows(noon)).toEqual([row("in", "Gel", 1, 1, 10)]);
    expect(await rows({ data_fim: "2200-01-01T00:00:00Z" })).toEqual([row("in", "Gel", 2, 2, 13)]);
    expect(await rows({ data_inicio: "1955-05-05T12:00:00.000001Z" })).toEqual([row("in", "Gel", 1, 1, 3)]);
    expect(await rows({ origem: "salao" })).toEqual([row("in", "Gel", 1, 1, 3)]);
    expect((await rows()).map((one) => one.produto_id)).toEqual(["in", "ever", "undated"]);
    const days = await readReport("vendas", question("dia", { medidas: "linhas" }));
    expect(days).toEqual({ data: [{ dia: "1955-05-05", linhas: 2 }], linhas: 1, totais: { linhas: 2 } });
  });

  it("finds the lines of one product by its whole id (R21, L9)", async () => {
    await clear();
    await sell({ id: "one" });
    await sell({ id: "one more" });
    expect((await rows({ produto_id: "one" })).map(({ produto_id }) => produto_id)).toEqual(["one"]);
  });
});

describe("sales by unit (R20)", () => {
  const units = async (query: Query = {}) => (await readReport("vendas", { por: "unidade", ...query })).data;
  const ofUnit = (unidade_nome: string | null, ...numbers: [number, ...number[]]) => ({
    estabelecimento_id: UNIT,
    unidade_nome,
    ...sums(...numbers),
  });

  it("sums the lines of each unit as sales by product does, registered or not (R20)", async () => {
    await clear();
    await sell({ quantity: "1.250", worth: "0.1" });
    await sell({ id: "B", quantity: "NaN", worth: "NaN" });
    await sell({ id: null, name: null, quantity: null, worth: "0.2", at: null });
    await sell({ form: TAKEN, quantity: "2", worth: "7.30" });
    const expected: [number, ...number[]] = [4, 1.25, 0.3, 2, 7.3, 1];
    expect(await units({ estabelecimento_id: UNIT })).toEqual([ofUnit(null, ...expected)]);
    await sql`insert into estabelecimentos (nome, salon_id) values ('Loja', ${UNIT})`;
    try {
      const all = await units({ ordem: "-valor_total" });
      expect(all.filter((one) => one.estabelecimento_id === UNIT)).toEqual([ofUnit("Loja", ...expected)]);
      const totals = all.map(({ valor_total }) => Number(valor_total));
      expect(totals.length).toBeGreaterThan(5);
      expect(totals).toEqual(totals.toSorted((a, b) => b - a));
    } finally {
      await sql`delete from estabelecimentos where salon_id = ${UNIT}`;
    }
  });

  it("filters by origin and range, and a range omits lines without a date (R20, L2)", async () => {
    await clear();
    await sell({ at: "1955-05-05T12:00:00Z" });
    await sell({ at: "1955-05-05T12:00:00.000001Z", origin: "salao", worth: "3" });
    await sell({ at: null });
    const noon = { data_inicio: "1955-05-05T09:00:00-03:00", data_fim: "1955-05-05T12:00:00Z" };
    expect(await units({ estabelecimento_id: UNIT, ...noon })).toEqual([ofUnit(null, 1, 1, 10)]);
    expect(await units({ estabelecimento_id: UNIT, origem: "salao" })).toEqual([ofUnit(null, 1, 1, 3)]);
    await clear();
    expect(await units({ estabelecimento_id: UNIT })).toEqual([]);
  });
});

describe("transactions of sales (R20)", () => {
  it("are different pairs of origin and id (R20)", async () => {
    await clear();
    await sell({ transaction: "1" });
    await sell({ transaction: "1", id: "B" });
    await sell({ transaction: "1", origin: "salao" });
    await sell({ transaction: "2" });
    const range = { data_inicio: "1955-05-01T00:00:00Z", data_fim: "1955-05-31T00:00:00Z" };
    const { data, totais } = await readReport(
      "vendas",
      question("produto", { medidas: "transacoes,linhas", ...range }),
    );
    expect(data.map(({ linhas, transacoes }) => [linhas, transacoes])).toEqual([
      [3, 3],
      [1, 1],
    ]);
    expect(totais).toEqual({ linhas: 4, transacoes: 3 });
  });
});
