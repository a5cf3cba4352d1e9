// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/api.ts";

const CENTRE = "by account";
const path = (query: Record<string, string> = {}) =>
  `/v1/relatorios/pagamentos-por-conta?${new URLSearchParams({ id_centro_custo: CENTRE, ...query })}`;
const rows = async (query?: Record<string, string>) =>
  (await read<{ data: Record<string, unknown>[] }>(path(query))).data;

let last = 60_000_000;
interface Payment {
  account?: string | null;
  status?: number;
  value?: string | null;
  due?: string | null;
  paid?: string | null;
}
const pay = ({ account = "Aluguel", status = 1, value = "10", due = "1955-05-05", paid = null }: Payment) => {
  last += 1;
  return sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, valor, data_vencimento, data_pagamento, raw_data)
    values (${last}, ${CENTRE}, ${status}, ${account}, ${value}, ${due}, ${paid}, '{}')`;
};
const clear = () => sql`delete from pagamentos_erp where id_centro_custo = ${CENTRE}`;

/** A row of the report. The numbers are in the order of its fields. */
const row = (
  inicio: string,
  account: string | null,
  ...[payments, total, pending = 0, due = 0]: number[]
) => ({
  inicio,
  nome_conta_classificacao: account,
  total_pagamentos: payments,
  valor_total: total,
  pendentes: pending,
  valor_pendente: due,
});

beforeAll(clear);
afterAll(clear);

describe("the report of payments by account (R8)", () => {
  it("sums each month and account with its pending part, ordered by time and then by total (R8)", async () => {
    await clear();
    await pay({ value: "0.10" });
    await pay({ value: "0.20", status: 2 });
    await pay({ value: null });
    await pay({ value: "NaN", status: 2, due: "1955-05-31" });
    await pay({ account: "Água", value: "7", status: 2 });
    await pay({ account: null, value: "7", status: 2 });
    await pay({ account: "", value: "7", status: 2 });
    await pay({ due: "1955-04-30" });
    expect(await rows()).toEqual([
      row("1955-04-01", "Aluguel", 1, 10, 1, 10),
      row("1955-05-01", "", 1, 7),
      row("1955-05-01", "Água", 1, 7),
      row("1955-05-01", null, 1, 7),
      row("1955-05-01", "Aluguel", 4, 0.3, 2, 0.1),
    ]);
    expect(await rows({ situacao: "1" })).toEqual([
      row("1955-04-01", "Aluguel", 1, 10, 1, 10),
      row("1955-05-01", "Aluguel", 2, 0.1, 2, 0.1),
    ]);
  });

  it("uses the date that `data` selects, and omits payments without a finite one (R8)", async () => {
    await clear();
    await pay({ status: 2, due: "1955-05-05", paid: "1955-06-01" });
    await pay({ due: null });
    for (const date of ["infinity", "-infinity"]) await pay({ due: date, paid: date });
    const byDay = { granularidade: "dia" };
    expect(await rows(byDay)).toEqual([row("1955-05-05", "Aluguel", 1, 10)]);
    expect(await rows({ ...byDay, data: "pagamento" })).toEqual([row("1955-06-01", "Aluguel", 1, 10)]);
    expect(await rows({ data: "pagamento", data_inicio: "1955-01-01T00:00:00Z" })).toHaveLength(1);
    expect(await rows({ data: "pagamento", data_fim: "1955-05-31T12:00:00Z" })).toEqual([]);
  });

  it("cuts a range at dates in Brasília, and counts only the part of a month that is in the range (R8)", async () => {
    await clear();
    for (const day of ["01", "10", "20", "31"]) await pay({ due: `1955-05-${day}` });
    await pay({ due: "1955-06-30" });
    const range = (from: string, to: string) => ({ data_inicio: from, data_fim: to });
    // 01:00 UTC is the evening before in Brasília.
    expect(await rows(range("1955-05-11T01:00:00Z", "1955-05-21T01:00:00Z"))).toEqual([
      row("1955-05-01", "Aluguel", 2, 20, 2, 20),
    ]);
    expect(await rows(range("1955-05-20T12:00:00Z", "1955-06-29T12:00:00Z"))).toEqual([
      row("1955-05-01", "Aluguel", 2, 20, 2, 20),
    ]);
    expect(await rows({ data_inicio: "1955-05-02T12:00:00Z" })).toEqual([
      row("1955-05-01", "Aluguel", 3, 30, 3, 30),
      row("1955-06-01", "Aluguel", 1, 10, 1, 10),
    ]);
    expect(
      await rows({ ...range("1955-05-10T12:00:00Z", "1955-05-31T12:00:00Z"), granularidade: "dia" }),
    ).toEqual(["10", "20", "31"].map((day) => row(`1955-05-${day}`, "Aluguel", 1, 10, 1, 10)));
  });

  it("sums the payments of all cost centres if none is given (R8)", async () => {
    const sums = async (query: string) => {
      const body = await read<{ data: ReturnType<typeof row>[] }>(
        `/v1/relatorios/pagamentos-por-conta${query}`,
      );
      return body.data.reduce((n, { total_pagamentos }) => n + (total_pagamentos ?? 0), 0);
    };
    const [{ n } = { n: 0 }] =
      await sql`select count(*)::int as n from pagamentos_erp where isfinite(data_vencimento)`;
    expect(await sums("")).toBe(n);
    expect(n).toBeGreaterThan(10);
  });

  it("rejects more than 5,000 rows with 400 that says what to change (R8)", async () => {
    await clear();
    await sql.query(
      `insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, data_vencimento, raw_data)
       select 61000000 + i, '${CENTRE}', 1, 'C' || i % 2, date '1955-01-01' + (i / 2)::int, '{}' from generate_series(0, 4999) i`,
    );
    const byDay = { granularidade: "dia" };
    expect(await rows(byDay)).toHaveLength(5000);
    await pay({});
    await expectError(await get(path(byDay)), 400, "Bad Request", /`granularidade`.*`data_inicio`/);
    expect(await rows({ ...byDay, data_inicio: "1955-01-02T12:00:00Z" })).toHaveLength(4999);
    expect((await rows()).length).toBeLessThan(300);
    await clear();
  });
});

describe("the report of payments by cost centre (R15)", () => {
  const ofCentre = async (query: Record<string, string> = {}) =>
    (
      await read<{ data: Record<string, unknown>[] }>(
        `/v1/relatorios/pagamentos-por-centro-custo?${new URLSearchParams(query)}`,
      )
    ).data.find(({ id_centro_custo }) => id_centro_custo === CENTRE);
  const centre = (...[payments, total, pending, due, overdue, overdueValue, without]: number[]) => ({
    id_centro_custo: CENTRE,
    total_pagamentos: payments,
    valor_total: total,
    pendentes: pending,
    valor_pendente: due,
    vencidos: overdue,
    valor_vencido: overdueValue,
    sem_valor: without,
  });
  /** A day in Brasília. */
  const dayFromToday = (days: number) =>
    new Date(Date.now() + days * 86_400_000).toLocaleDateString("sv", { timeZone: "America/Sao_Paulo" });

  it("counts pending payments due before today in Brasília as overdue (R15)", async () => {
    await clear();
    await pay({ due: dayFromToday(-1), value: "1" });
    await pay({ due: dayFromToday(0), value: "2" });
    await pay({ due: dayFromToday(1), value: "4" });
    await pay({ due: dayFromToday(-40), value: "8" });
    await pay({ due: dayFromToday(-2), value: "16", status: 2 });
    expect(await ofCentre()).toEqual(centre(5, 31, 4, 15, 2, 9, 0));
    expect(await ofCentre({ situacao: "1" })).toEqual(centre(4, 15, 4, 15, 2, 9, 0));
    expect(await ofCentre({ situacao: "2" })).toEqual(centre(1, 16, 0, 0, 0, 0, 0));
    const noon = (days: number) => `${dayFromToday(days)}T12:00:00-03:00`;
    expect(await ofCentre({ data_inicio: noon(-2) })).toEqual(centre(4, 23, 3, 7, 1, 1, 0));
    expect(await ofCentre({ data_inicio: noon(0) })).toEqual(centre(2, 6, 2, 6, 0, 0, 0));
    expect(await ofCentre({ data_inicio: noon(1) })).toEqual(centre(1, 4, 1, 4, 0, 0, 0));
    expect(await ofCentre({ data_fim: noon(-3) })).toEqual(centre(1, 8, 1, 8, 1, 8, 0));
    expect(await ofCentre({ data_inicio: noon(2) })).toBeUndefined();
  });

  it("counts a missing `valor` in `sem_valor`, and payments without a due date only without a range (R15)", async () => {
    await clear();
    await pay({ value: null, due: null });
    await pay({ value: null, due: "-infinity" });
    await pay({ value: "NaN" });
    await pay({ value: "0.10" });
    await pay({ value: "0.20", due: "infinity" });
    expect(await ofCentre()).toEqual(centre(5, 0.3, 5, 0.3, 2, 0.1, 2));
    const range = { data_inicio: "1955-01-01T00:00:00Z", data_fim: "2199-01-01T00:00:00Z" };
    expect(await ofCentre(range)).toEqual(centre(2, 0.1, 2, 0.1, 2, 0.1, 0));
  });

  it("orders by highest `valor_total`, with a row for payments without a cost centre (R15)", async () => {
    const { data } = await read<{ data: { id_centro_custo: string | null; valor_total: number }[] }>(
      "/v1/relatorios/pagamentos-por-centro-custo",
    );
    expect(data.length).toBeGreaterThan(5);
    expect(data.some(({ id_centro_custo }) => id_centro_custo === null)).toBe(true);
    const totals = data.map(({ valor_total }) => valor_total);
    expect(totals).toEqual(totals.toSorted((a, b) => b - a));
  });
});
