// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/api.ts";

const UNIT = "sold";
const path = (query: Record<string, string> = {}) =>
  `/v1/relatorios/vendas-por-produto?${new URLSearchParams({ estabelecimento_id: UNIT, ...query })}`;

type Row = Record<"produto_id" | "produto_nome", string | null> &
  Record<"quantidade" | "valor_total" | "quantidade_profissional" | "valor_profissional", number>;
const rows = async (query?: Record<string, string>) => (await read<{ data: Row[] }>(path(query))).data;

interface Line {
  id?: string | null;
  name?: string | null;
  quantity?: string | null;
  worth?: string | null;
  form?: string | null;
  at?: string | null;
  origin?: string;
}
const sell = ({ id = "A", name = "Gel", quantity = "1", worth = "10", form = "Pix", ...rest }: Line) =>
  sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome, quantidade, valor_total, forma_pagamento)
    values (${rest.origin ?? "loja"}, 'sold', ${UNIT}, ${rest.at === undefined ? "1955-05-05T15:00:00Z" : rest.at}, ${id}, ${name}, ${quantity}, ${worth}, ${form})`;

const clear = () => sql`delete from vendas_produto where estabelecimento_id = ${UNIT}`;
const row = (produto_id: string | null, produto_nome: string | null, ...numbers: number[]) => ({
  produto_id,
  produto_nome,
  quantidade: numbers[0],
  valor_total: numbers[1],
  quantidade_profissional: numbers[2] ?? 0,
  valor_profissional: numbers[3] ?? 0,
});

beforeAll(clear);
afterAll(clear);

describe("the report of sales by product (R6)", () => {
  it("sums each pair of id and name, separates what professionals took, and rounds only money (R6)", async () => {
    await clear();
    await sell({ quantity: "1.250", worth: "0.1" });
    await sell({ quantity: "0.0005", worth: "0.2" });
    await sell({ form: "Descontar do Profissional", quantity: "2", worth: "7.30" });
    await sell({ form: null, quantity: null, worth: null });
    await sell({ form: "descontar do profissional", name: "Gel novo", worth: "0.25" });
    await sell({ id: "B", form: "Descontar do Profissional", worth: "50" });
    expect(await rows()).toEqual([
      row("A", "Gel", 1.2505, 0.3, 2, 7.3),
      row("A", "Gel novo", 1, 0.25),
      row("B", "Gel", 0, 0, 1, 50),
    ]);
  });

  it("counts NaN and infinity as nothing, and no longer counts deleted lines (R6)", async () => {
    await clear();
    for (const quantity of ["NaN", "Infinity", "-Infinity", "3.10"]) await sell({ quantity, worth: "NaN" });
    expect(await rows()).toEqual([row("A", "Gel", 3.1, 0)]);
    await sql`delete from vendas_produto where estabelecimento_id = ${UNIT} and quantidade = 3.1`;
    expect(await rows()).toEqual([row("A", "Gel", 0, 0)]);
    await sql`delete from vendas_produto where estabelecimento_id = ${UNIT}`;
    expect(await rows()).toEqual([]);
  });

  it("distinguishes texts by their first 200 characters, and null from an empty text (R6)", async () => {
    await clear();
    const long = "💇".repeat(200);
    await sell({ name: `${long}a`, worth: "1" });
    await sell({ name: `${long}b`, worth: "1" });
    await sell({ id: null, name: null, worth: "1" });
    await sell({ id: "", name: null, worth: "1" });
    await sell({ id: null, name: "", worth: "1" });
    expect(await rows()).toEqual([
      row("A", long, 2, 2),
      row("", null, 1, 1),
      row(null, "", 1, 1),
      row(null, null, 1, 1),
    ]);
  });

  it("returns `limite` rows, 50 by default, highest total first (R6)", async () => {
    await clear();
    await sql.query(
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, produto_id, quantidade, valor_total)
       select 'loja', 'sold', '${UNIT}', 'P' || i, 1, i from generate_series(1, 210) i`,
    );
    const ids = async (query?: Record<string, string>) => (await rows(query)).map((one) => one.produto_id);
    const best = Array.from({ length: 200 }, (_, i) => `P${210 - i}`);
    expect(await ids()).toEqual(best.slice(0, 50));
    expect(await ids({ limite: "1" })).toEqual(["P210"]);
    expect(await ids({ limite: "200" })).toEqual(best);
    for (const limite of ["0", "201", "1.5"])
      await expectError(
        await get(path({ limite })),
        400,
        "Bad Request",
        /^`limite` must be an integer from 1 to 200/,
      );
  });

  it("filters by origin and range, and a range omits lines without a date (R6, L2)", async () => {
    await clear();
    await sell({ id: "in", at: "1955-05-05T12:00:00Z" });
    await sell({ id: "in", at: "1955-05-05T12:00:00.000001Z", origin: "salao", worth: "3" });
    await sell({ id: "undated", at: null });
    await sell({ id: "ever", at: "infinity" });
    const noon = { data_inicio: "1955-05-05T09:00:00-03:00", data_fim: "1955-05-05T12:00:00Z" };
    expect(await rows(noon)).toEqual([row("in", "Gel", 1, 10)]);
    expect(await rows({ data_fim: "2200-01-01T00:00:00Z" })).toEqual([row("in", "Gel", 2, 13)]);
    expect(await rows({ origem: "salao" })).toEqual([row("in", "Gel", 1, 3)]);
    expect((await rows()).map((one) => one.produto_id)).toEqual(["in", "ever", "undated"]);
  });
});

describe("the report of sales by unit (R13)", () => {
  const units = async (query: Record<string, string> = {}) =>
    (
      await read<{ data: (Omit<Row, "produto_id" | "produto_nome"> & { estabelecimento_id: string })[] }>(
        `/v1/relatorios/vendas-por-estabelecimento?${new URLSearchParams(query)}`,
      )
    ).data;
  const ofUnit = (nome: string | null, ...numbers: number[]) => {
    const { produto_id, produto_nome, ...sums } = row(null, null, ...numbers);
    return { estabelecimento_id: UNIT, nome, ...sums };
  };

  it("sums the lines of each unit as sales by product does, registered or not (R13)", async () => {
    await clear();
    await sell({ quantity: "1.250", worth: "0.1" });
    await sell({ id: "B", quantity: "NaN", worth: "NaN" });
    await sell({ id: null, name: null, quantity: null, worth: "0.2", at: null });
    await sell({ form: "Descontar do Profissional", quantity: "2", worth: "7.30" });
    expect(await units({ estabelecimento_id: UNIT })).toEqual([ofUnit(null, 1.25, 0.3, 2, 7.3)]);
    await sql`insert into estabelecimentos (nome, salon_id) values ('Loja', ${UNIT})`;
    try {
      const all = await units();
      expect(all.filter((one) => one.estabelecimento_id === UNIT)).toEqual([
        ofUnit("Loja", 1.25, 0.3, 2, 7.3),
      ]);
      const totals = all.map(({ valor_total }) => valor_total);
      expect(totals.length).toBeGreaterThan(5);
      expect(totals).toEqual(totals.toSorted((a, b) => b - a));
    } finally {
      await sql`delete from estabelecimentos where salon_id = ${UNIT}`;
    }
  });

  it("filters by origin and range, and a range omits lines without a date (R13, L2)", async () => {
    await clear();
    await sell({ at: "1955-05-05T12:00:00Z" });
    await sell({ at: "1955-05-05T12:00:00.000001Z", origin: "salao", worth: "3" });
    await sell({ at: null });
    const noon = { data_inicio: "1955-05-05T09:00:00-03:00", data_fim: "1955-05-05T12:00:00Z" };
    expect(await units({ estabelecimento_id: UNIT, ...noon })).toEqual([ofUnit(null, 1, 10)]);
    expect(await units({ estabelecimento_id: UNIT, origem: "salao" })).toEqual([ofUnit(null, 1, 3)]);
    await sql`delete from vendas_produto where estabelecimento_id = ${UNIT}`;
    expect(await units({ estabelecimento_id: UNIT })).toEqual([]);
  });
});
