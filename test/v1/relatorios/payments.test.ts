// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../support/worker/api.ts";
import { type Query, readReport } from "../../support/worker/general-reports.ts";
import { paymentsOf } from "../../support/worker/payments.ts";

const CENTRE = "by account";
const { pay, clear } = paymentsOf(CENTRE, 60_000_000);
const rows = async (query: Query = {}) =>
  (
    await readReport("pagamentos", {
      id_centro_custo: CENTRE,
      por: "mes,conta",
      medidas: "pagamentos,valor_total,pendentes,valor_pendente",
      ...query,
    })
  ).data;

/** The measures in order. */
const sums = (...[pagamentos, valor_total, pendentes = 0, valor_pendente = 0]: number[]) => ({
  pagamentos,
  valor_total,
  pendentes,
  valor_pendente,
});
const row = (mes: string, account: string | null, ...numbers: number[]) => ({
  mes,
  nome_conta_classificacao: account,
  ...sums(...numbers),
});
const day = (dia: string, ...numbers: number[]) => ({ dia, ...sums(...numbers) });

beforeAll(clear);
afterAll(clear);

describe("payments by account and month (R20)", () => {
  it("sums each month and account with its pending part, null accounts last (R20)", async () => {
    await clear();
    await pay({ value: "0.10" });
    await pay({ value: "0.20", status: 2 });
    await pay({ value: null });
    await pay({ value: "NaN", status: 2, due: "1955-05-31" });
    await pay({ account: "Água", value: "7", status: 2 });
    await pay({ account: null, value: "7", status: 2 });
    await pay({ account: "", value: "7", status: 2 });
    await pay({ due: "1955-04-30" });
    const data = await rows();
    const may = [
      row("1955-05-01", "", 1, 7),
      row("1955-05-01", "Água", 1, 7),
      row("1955-05-01", "Aluguel", 4, 0.3, 2, 0.1),
    ];
    expect(data[0]).toEqual(row("1955-04-01", "Aluguel", 1, 10, 1, 10));
    expect(data.at(-1)).toEqual(row("1955-05-01", null, 1, 7));
    // The database's collation orders the others.
    expect(data.slice(1, -1)).toEqual(expect.arrayContaining(may));
    expect(data).toHaveLength(5);
    expect(await rows({ situacao: "1" })).toEqual([
      row("1955-04-01", "Aluguel", 1, 10, 1, 10),
      row("1955-05-01", "Aluguel", 2, 0.1, 2, 0.1),
    ]);
    expect(await rows({ nome_conta_classificacao: "A\u0301gua" })).toEqual([may[1]]);
  });

  it("uses the date that `data` selects, and a calendar omits payments without a finite one (R20)", async () => {
    await clear();
    await pay({ status: 2, due: "1955-05-05", paid: "1955-06-01" });
    await pay({ due: null });
    for (const date of ["infinity", "-infinity"]) await pay({ due: date, paid: date });
    const byPaid = { por: "dia", data: "pagamento" };
    expect(await rows({ por: "dia" })).toEqual([day("1955-05-05", 1, 10)]);
    expect(await rows(byPaid)).toEqual([day("1955-06-01", 1, 10)]);
    expect(await rows({ por: "conta", data: "pagamento", data_inicio: "1955-01-01T00:00:00Z" })).toHaveLength(
      1,
    );
    expect(await rows({ ...byPaid, data_fim: "1955-05-31T12:00:00Z" })).toEqual([]);
    const everything = await readReport("pagamentos", { id_centro_custo: CENTRE, medidas: "pagamentos" });
    expect(everything.data).toEqual([{ pagamentos: 4 }]);
  });

  it("cuts a range at dates in Brasília, and counts only the part of a month that is in the range (R20)", async () => {
    await clear();
    for (const date of ["01", "10", "20", "31"]) await pay({ due: `1955-05-${date}` });
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
    const days = await rows({ ...range("1955-05-10T12:00:00Z", "1955-05-31T12:00:00Z"), por: "dia" });
    expect(days).toHaveLength(22);
    expect(days.filter(({ pagamentos }) => pagamentos !== 0)).toEqual(
      ["10", "20", "31"].map((date) => day(`1955-05-${date}`, 1, 10, 1, 10)),
    );
  });

  it("sums the payments of all cost centres if none is given (R20)", async () => {
    const { totais } = await readReport("pagamentos", { por: "conta", medidas: "pagamentos" });
    const [{ n } = { n: 0 }] = await sql`select count(*)::int as n from pagamentos_erp`;
    expect(totais.pagamentos).toBe(n);
    const byMonth = await readReport("pagamentos", { por: "mes,conta", medidas: "pagamentos" });
    const [{ dated } = { dated: 0 }] =
      await sql`select count(*)::int as dated from pagamentos_erp where isfinite(data_vencimento)`;
    expect(byMonth.totais.pagamentos).toBe(dated);
    expect(dated).toBeGreaterThan(10);
  });

  it("filters by the stored `valor`, which NaN does not reach (R21)", async () => {
    await clear();
    for (const value of ["4999.99", "5000", "NaN"]) await pay({ value });
    await pay({ value: null });
    const range = { data_inicio: "1955-05-01T12:00:00Z", data_fim: "1955-05-31T12:00:00Z" };
    expect(await rows({ valor_min: "5000", ...range })).toEqual([
      row("1955-05-01", "Aluguel", 1, 5000, 1, 5000),
    ]);
    expect(await rows({ valor_min: "4999.99", ...range })).toMatchObject([{ pagamentos: 2 }]);
  });
});
