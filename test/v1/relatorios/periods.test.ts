// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/api.ts";

describe("transacoes-por-periodo (R4)", () => {
  const ends = (start?: string, end?: string) =>
    `${start ? `&data_inicio=${start}` : ""}${end ? `&data_fim=${end}` : ""}`;
  const url = (granularidade: string, range = "", unit = "periods") =>
    `/v1/relatorios/transacoes-por-periodo?estabelecimento_id=${unit}&granularidade=${granularidade}${range}`;
  const periods = async (...of: Parameters<typeof url>) => {
    const { data } = await read<{ data: { inicio: string; total_transacoes: number }[] }>(url(...of));
    return data.map(({ inicio, total_transacoes }) => [inicio, total_transacoes]);
  };

  beforeAll(async () => {
    const visits = [
      ["2024-01-31T23:59:59.999999-03:00", 10, true],
      ["2024-02-01T00:00:00-03:00", 20, false],
      ["2024-02-03T10:00:00-03:00", 0.1, true],
      ["2024-02-03T14:00:00-03:00", 0.2, true],
      ["2024-04-01T00:00:00-03:00", 5, false],
      ["infinity", 1000, true],
      ["-infinity", 1000, true],
    ];
    for (const [n, [at, total, sent]] of visits.entries())
      await sql.query(
        `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, sent_to_erp, raw_data)
         values ($1, 'periods', $2, $3, $4, '{}')`,
        [`period ${n}`, total, at, sent],
      );
  });
  afterAll(() => sql`delete from transacoes where estabelecimento_id = 'periods'`);

  it("returns every month from the first visit to the last, with zeros for empty ones, and omits visits without a finite date (R4)", async () => {
    const { data } = await read<{ data: unknown[] }>(url("mes"));
    const empty = { total_transacoes: 0, valor_total: 0, enviadas_erp: 0, pendentes_erp: 0 };
    expect(data).toEqual([
      { inicio: "2024-01-01", total_transacoes: 1, valor_total: 10, enviadas_erp: 1, pendentes_erp: 0 },
      { inicio: "2024-02-01", total_transacoes: 3, valor_total: 20.3, enviadas_erp: 2, pendentes_erp: 1 },
      { inicio: "2024-03-01", ...empty },
      { inicio: "2024-04-01", total_transacoes: 1, valor_total: 5, enviadas_erp: 0, pendentes_erp: 1 },
    ]);
    expect(await read(url("mes").replace("&granularidade=mes", ""))).toEqual({ data });
  });

  it("includes the last month that Postgres can store (R4)", async () => {
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
      values ('last period', 'last period', 1, '294276-12-15T00:00:00Z', '{}')`;
    expect(await periods("mes", "", "last%20period")).toEqual([["294276-12-01", 1]]);
    expect(await periods("dia", "", "last%20period")).toEqual([["294276-12-14", 1]]);
    await sql`delete from transacoes where estabelecimento_id = 'last period'`;
  });

  it("returns every day of the range, and counts only the part of a day that is in the range (R4)", async () => {
    expect(
      await periods("dia", ends("2024-01-31T10:00:00-03:00", "2024-02-03T13:59:59.999999-03:00")),
    ).toEqual([
      ["2024-01-31", 1],
      ["2024-02-01", 1],
      ["2024-02-02", 0],
      ["2024-02-03", 1],
    ]);
    expect(
      await periods("mes", ends("2024-02-01T00:00:00.000001-03:00", "2024-03-31T00:00:00-03:00")),
    ).toEqual([
      ["2024-02-01", 2],
      ["2024-03-01", 0],
    ]);
  });

  it("takes a missing end of the range from the matching visits (R4)", async () => {
    expect(await periods("dia", ends("2024-03-30T12:00:00-03:00"))).toEqual([
      ["2024-03-30", 0],
      ["2024-03-31", 0],
      ["2024-04-01", 1],
    ]);
    expect(await periods("dia", ends(undefined, "2024-02-01T12:00:00-03:00"))).toEqual([
      ["2024-01-31", 1],
      ["2024-02-01", 1],
    ]);
  });

  it("returns no rows if no visit matches and an end is missing, and zeros if both ends are given (R4)", async () => {
    for (const granularidade of ["dia", "mes"]) {
      expect(await periods(granularidade, "", "nowhere")).toEqual([]);
      // The last visit is in this period, but before the range.
      expect(await periods(granularidade, ends("2024-04-01T00:00:00.000001-03:00"))).toEqual([]);
      expect(await periods(granularidade, ends("2024-06-01T00:00:00-03:00"))).toEqual([]);
      expect(await periods(granularidade, ends(undefined, "2024-01-31T23:59:59.999998-03:00"))).toEqual([]);
      expect(await periods(granularidade, ends(undefined, "2023-06-01T00:00:00-03:00"))).toEqual([]);
    }
    expect(await periods("mes", ends("2025-01-01T00:00:00Z", "2025-01-01T12:00:00Z"))).toEqual([
      ["2024-12-01", 0],
      ["2025-01-01", 0],
    ]);
  });

  it("rejects more than 1,100 periods with 400, whether the range or the visits make them (R4)", async () => {
    const from = "2021-01-01T03:00:00Z";
    expect(await periods("dia", ends(from, "2024-01-06T02:59:59Z"))).toHaveLength(1100);
    const tooMany = /^The report would have more than 1,100 periods\. Set `granularidade` to/;
    await expectError(await get(url("dia", ends(from, "2024-01-06T03:00:00Z"))), 400, "Bad Request", tooMany);
    await expectError(await get(url("dia", ends(from))), 400, "Bad Request", tooMany);
    await expectError(
      await get(url("mes", ends(undefined, "2115-10-01T00:00:00Z"))),
      400,
      "Bad Request",
      tooMany,
    );
    expect(await periods("mes", ends(undefined, "2115-09-01T00:00:00Z"))).toHaveLength(1100);
  });

  it.each(["day", "month"])("sums every %s as a plain GROUP BY does (R4)", async (unit) => {
    const expected = await sql.query(
      `select date_trunc('${unit}', data_hora at time zone 'America/Sao_Paulo')::date::text as inicio, count(*)::int as total_transacoes,
         sum(total)::float8 as valor_total, count(*) filter (where sent_to_erp)::int as enviadas_erp,
         count(*) filter (where not sent_to_erp)::int as pendentes_erp
       from transacoes where estabelecimento_id = '102' and data_hora between '2025-06-10T15:00:00Z' and '2026-08-20T15:00:00Z'
       group by 1 order by 1`,
    );
    const granularidade = unit === "day" ? "dia" : "mes";
    const { data } = await read<{ data: { total_transacoes: number }[] }>(
      url(granularidade, ends("2025-06-10T15:00:00Z", "2026-08-20T15:00:00Z"), "102"),
    );
    expect(data.filter(({ total_transacoes }) => total_transacoes > 0)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(10);
  });
});
