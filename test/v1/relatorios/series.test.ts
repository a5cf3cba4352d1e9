// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../support/worker/api.ts";
import { messageOf, type Query, readReport } from "../../support/worker/general-reports.ts";

const UNIT = "series";

const question = (por: string, query: Query = {}): Query => ({
  estabelecimento_id: UNIT,
  medidas: "visitas,valor_total,enviadas,pendentes",
  por,
  ...query,
});
const ends = (data_inicio?: string, data_fim?: string): Query => ({
  ...(data_inicio && { data_inicio }),
  ...(data_fim && { data_fim }),
});
/** The first day and the number of visits of each period. */
const periods = async (por: string, query?: Query) =>
  (await readReport("visitas", question(por, query))).data.map((row) => [row[por], row.visitas]);

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
       values ($1, '${UNIT}', $2, $3, $4, '{}')`,
      [`series ${n}`, total, at, sent],
    );
  return () => sql`delete from transacoes where estabelecimento_id = ${UNIT}`;
});

describe("a series: `por` of one calendar dimension (R20, R22)", () => {
  it("has every month from the first visit to the last, with zeros for empty ones, and omits visits without a finite date (R20)", async () => {
    const month = (mes: string, visitas: number, valor_total: number, enviadas: number) => ({
      mes,
      visitas,
      valor_total,
      enviadas,
      pendentes: visitas - enviadas,
    });
    const answer = await readReport("visitas", question("mes"));
    expect(answer).toEqual({
      data: [
        month("2024-01-01", 1, 10, 1),
        month("2024-02-01", 3, 20.3, 2),
        month("2024-03-01", 0, 0, 0),
        month("2024-04-01", 1, 5, 0),
      ],
      linhas: 4,
      totais: { visitas: 5, valor_total: 35.3, enviadas: 3, pendentes: 2 },
    });
  });

  it("has null for the average and the dates of an empty period (R20)", async () => {
    const medidas = "ticket_medio,clientes,primeira_visita,ultima_visita";
    const range = ends("2024-02-01T03:00:00Z", "2024-03-31T12:00:00Z");
    expect((await readReport("visitas", question("mes", { medidas, ...range }))).data).toEqual([
      {
        mes: "2024-02-01",
        ticket_medio: 6.77,
        clientes: 0,
        primeira_visita: "2024-02-01T03:00:00+00:00",
        ultima_visita: "2024-02-03T17:00:00+00:00",
      },
      { mes: "2024-03-01", ticket_medio: null, clientes: 0, primeira_visita: null, ultima_visita: null },
    ]);
  });

  it.each([
    ["semana", ["2024-01-29", 4], ["2024-04-01", 1], 10],
    ["trimestre", ["2024-01-01", 4], ["2024-04-01", 1], 2],
    ["ano", ["2024-01-01", 5], ["2024-01-01", 5], 1],
  ])("begins each %s on its first day (R20)", async (por, first, last, count) => {
    const rows = await periods(por);
    expect([rows[0], rows.at(-1), rows.length]).toEqual([first, last, count]);
  });

  it.each([
    ["mes", "294276-12-01"],
    ["dia", "294276-12-14"],
    ["semana", "294276-12-11"],
    ["trimestre", "294276-10-01"],
    ["ano", "294276-01-01"],
  ])("includes the last %s that Postgres can store (R20)", async (por, first) => {
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
      values ('last period', 'last period', 1, '294276-12-15T00:00:00Z', '{}')`;
    try {
      expect(await periods(por, { estabelecimento_id: "last period" })).toEqual([[first, 1]]);
    } finally {
      await sql`delete from transacoes where estabelecimento_id = 'last period'`;
    }
  });

  it("has every day of the range, and counts only the part of a period that is in the range (R20)", async () => {
    const days = ends("2024-01-31T10:00:00-03:00", "2024-02-03T13:59:59.999999-03:00");
    expect(await periods("dia", days)).toEqual([
      ["2024-01-31", 1],
      ["2024-02-01", 1],
      ["2024-02-02", 0],
      ["2024-02-03", 1],
    ]);
    const months = ends("2024-02-01T00:00:00.000001-03:00", "2024-03-31T00:00:00-03:00");
    expect(await periods("mes", months)).toEqual([
      ["2024-02-01", 2],
      ["2024-03-01", 0],
    ]);
    expect(await periods("semana", ends("2024-02-01T12:00:00-03:00", "2024-02-05T12:00:00-03:00"))).toEqual([
      ["2024-01-29", 2],
      ["2024-02-05", 0],
    ]);
  });

  it("takes a missing end of the range from what matched (R20)", async () => {
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

  it("has no rows if nothing matches and an end is missing, and zeros if both ends are given (R20)", async () => {
    for (const por of ["dia", "semana", "mes", "ano"]) {
      expect(await periods(por, { estabelecimento_id: "nowhere" })).toEqual([]);
      // The last visit is in this period, but before the range.
      expect(await periods(por, ends("2024-04-01T00:00:00.000001-03:00"))).toEqual([]);
      expect(await periods(por, ends("2024-06-01T00:00:00-03:00"))).toEqual([]);
      expect(await periods(por, ends(undefined, "2024-01-31T23:59:59.999998-03:00"))).toEqual([]);
      expect(await periods(por, ends(undefined, "2023-06-01T00:00:00-03:00"))).toEqual([]);
    }
    const empty = await readReport(
      "visitas",
      question("mes", ends("2025-01-01T00:00:00Z", "2025-01-01T12:00:00Z")),
    );
    expect(empty.data.map(({ mes, visitas }) => [mes, visitas])).toEqual([
      ["2024-12-01", 0],
      ["2025-01-01", 0],
    ]);
    expect([empty.linhas, empty.totais.visitas]).toEqual([2, 0]);
  });

  it("rejects more than 1,100 periods with a 400 that names the first and the last that matched (R22)", async () => {
    const from = "2021-01-01T03:00:00Z";
    expect(await periods("dia", ends(from, "2024-01-06T02:59:59Z"))).toHaveLength(1100);
    const tooMany = "The answer would have more than 1,100 periods";
    const coarser = "Send `semana` or `mes` in `por`, or";
    expect(await messageOf("visitas", question("dia", ends(from, "2024-01-06T03:00:00Z")))).toBe(
      `${tooMany}. ${coarser} a shorter range.`,
    );
    expect(await messageOf("visitas", question("dia", ends(from, "2024-02-10T03:00:00Z")))).toBe(
      `${tooMany}. Rows matched from 2024-01-31 to 2024-02-03. ${coarser} a shorter range.`,
    );
    expect(await messageOf("visitas", question("dia", ends(from)))).toBe(
      `${tooMany}. Rows matched from 2024-01-31 to 2024-04-01. ${coarser} both ends of a shorter range, or \`periodo\`.`,
    );
    expect(await messageOf("visitas", question("mes", ends(undefined, "2115-10-01T00:00:00Z")))).toBe(
      `${tooMany}. Rows matched from 2024-01-01 to 2024-04-01. Send \`ano\` in \`por\`, or both ends of a shorter range, or \`periodo\`.`,
    );
    expect(await periods("mes", ends(undefined, "2115-09-01T00:00:00Z"))).toHaveLength(1100);
    expect(await messageOf("visitas", question("dia", { ...ends(from), limite: "5" }))).toContain(tooMany);
  });

  it.each([
    ["day", "dia"],
    ["week", "semana"],
    ["month", "mes"],
    ["quarter", "trimestre"],
    ["year", "ano"],
  ])("sums every %s as a plain GROUP BY does (R20)", async (unit, por) => {
    const [from, to] = ["2025-06-10T15:00:00Z", "2026-08-20T15:00:00Z"];
    const expected = await sql.query(
      `select date_trunc('${unit}', data_hora at time zone 'America/Sao_Paulo')::date::text as ${por}, count(*)::int as visitas,
         sum(total)::float8 as valor_total, count(*) filter (where sent_to_erp)::int as enviadas,
         count(*) filter (where not sent_to_erp)::int as pendentes
       from transacoes where estabelecimento_id = '102' and data_hora between '${from}' and '${to}'
       group by 1 order by 1`,
    );
    const { data } = await readReport(
      "visitas",
      question(por, { estabelecimento_id: "102", ...ends(from, to) }),
    );
    expect(data.filter(({ visitas }) => visitas !== 0)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(1);
  });
});
