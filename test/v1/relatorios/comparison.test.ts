// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { COMPARISONS } from "../../../src/core/periods.ts";
import { databaseRequests, expectError, get, mendDatabase, sql } from "../../support/api.ts";

const UNIT = "comparison";
const REPORTS = ["resumo", "transacoes-por-periodo", "transacoes-por-estabelecimento", "painel"];
const STRICT = { Prefer: "handling=strict" };

beforeAll(async () => {
  // A visit every seven hours, so that each day and each range has different sums.
  await sql.query(
    `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, sent_to_erp, raw_data)
     select '${UNIT}-' || n, '${UNIT}', n, timestamptz '2024-01-01T03:00:00Z' + n * interval '7 hours', 'Pix', n % 3 = 0, '{}'
     from generate_series(0, 2500) as n`,
  );
  return async () => {
    await sql.query(`delete from transacoes where estabelecimento_id = '${UNIT}'`);
  };
});

const ask = async (report: string, query: Record<string, string>) => {
  const response = await get(
    `/v1/relatorios/${report}?${new URLSearchParams({ estabelecimento_id: UNIT, ...query })}`,
  );
  expect(response.status, `${report} ${JSON.stringify(query)}`).toBe(200);
  return response;
};

describe("comparar", () => {
  const ranges: Record<string, string>[] = [
    { periodo: "2025-02" },
    { periodo: "2025-03-31" },
    { data_inicio: "2025-01-10T10:00:00-03:00", data_fim: "2025-03-20T15:00:00.5-03:00" },
  ];

  it("adds what the same request returns for the earlier range (R10)", async () => {
    for (const report of REPORTS) {
      const grains = /periodo|painel/.test(report) ? [{ granularidade: "dia" }, {}] : [{}];
      for (const range of ranges) {
        for (const grain of grains) {
          const plain = await (await ask(report, { ...range, ...grain })).text();
          for (const comparar of COMPARISONS) {
            const compared = await (await ask(report, { ...range, ...grain, comparar })).text();
            const { inicio, fim } = JSON.parse(compared).anterior;
            const earlier = await (
              await ask(report, { data_inicio: inicio, data_fim: fim, ...grain })
            ).text();
            expect(compared).toBe(
              `${plain.slice(0, -1)},"anterior":{"inicio":"${inicio}","fim":"${fim}",${earlier.slice(1)}}`,
            );
            expect(earlier).not.toBe(plain);
            expect(JSON.parse(earlier)).not.toEqual({ data: [] });
          }
        }
      }
    }
  });

  it.each([
    ["anterior", "2025-02-10T03:00:00+00:00", "2025-02-13T02:59:59.999999+00:00"],
    ["semana-anterior", "2025-02-06T03:00:00+00:00", "2025-02-09T02:59:59.999999+00:00"],
    ["mes-anterior", "2025-01-13T03:00:00+00:00", "2025-01-16T02:59:59.999999+00:00"],
    ["ano-anterior", "2024-02-13T03:00:00+00:00", "2024-02-16T02:59:59.999999+00:00"],
  ])("%s of 13 to 15 February 2025 begins %s and ends %s (R10)", async (comparar, inicio, fim) => {
    const range = { data_inicio: "2025-02-13T03:00:00Z", data_fim: "2025-02-15T23:59:59.999999-03:00" };
    const body = await (await ask("resumo", { ...range, comparar })).json<{ anterior: object }>();
    expect(body.anterior).toMatchObject({ inicio, fim });
  });

  it("compares a day that clocks began at 01:00 with the whole day before (R23)", async () => {
    const range = { data_inicio: "2018-11-04T03:00:00Z", data_fim: "2018-11-05T01:59:59.999999Z" };
    for (const asked of [{ periodo: "2018-11-04" }, range]) {
      const response = await ask("resumo", { ...asked, comparar: "anterior" });
      expect((await response.json<{ anterior: object }>()).anterior).toMatchObject({
        inicio: "2018-11-03T03:00:00+00:00",
        fim: "2018-11-04T02:59:59.999999+00:00",
      });
    }
  });

  it("reads both ranges with one statement, so from one snapshot (R10, R7)", async () => {
    for (const report of REPORTS) {
      await mendDatabase();
      await ask(report, { periodo: "2025-02", comparar: "ano-anterior" });
      expect(await databaseRequests(), report).toBe(1);
    }
  });

  it.each([
    [
      "",
      "`comparar` must not be given without `data_inicio` and `data_fim`. Send both ends of the range, or `periodo`.",
    ],
    [
      "data_inicio=2026-01-01T00:00:00Z",
      "`comparar` must not be given without `data_fim`. Send both ends of the range, or `periodo`.",
    ],
    [
      "data_fim=2026-01-01T00:00:00Z",
      "`comparar` must not be given without `data_inicio`. Send both ends of the range, or `periodo`.",
    ],
    [
      "periodo=1900",
      "`comparar` must not give a range outside the years 1900 to 2200. Send another range, or omit `comparar`.",
    ],
    [
      "data_inicio=1900-01-01T00:00:00-03:00&data_fim=2200-12-31T23:59:59-03:00",
      "`comparar` must not give a range outside the years 1900 to 2200. Send another range, or omit `comparar`.",
    ],
    [
      "data_inicio=2026-03-30T10:00:00-03:00&data_fim=2026-03-31T08:00:00-03:00",
      "`comparar` must not give a range that ends before it starts. Send another range, or omit `comparar`.",
    ],
  ])("with %j is a 400 without a statement: %s (R10)", async (query, message) => {
    for (const report of REPORTS) {
      await mendDatabase();
      for (const headers of [{}, STRICT]) {
        const response = await get(`/v1/relatorios/${report}?comparar=mes-anterior&${query}`, headers);
        expect([response.status, (await response.json<{ message: string }>()).message]).toEqual([
          400,
          message,
        ]);
      }
      expect(await databaseRequests(), report).toBe(0);
    }
  });

  it("is a 400 if either range has too many periods (R10, R4)", async () => {
    // 1,100 days, and 1,101 a year earlier, which has a leap day.
    const earlierIsLonger =
      "granularidade=dia&data_inicio=2021-01-01T12:00:00-03:00&data_fim=2024-01-05T12:00:00-03:00";
    const bothFit = earlierIsLonger.replace("2024-01-05", "2024-01-04");
    const laterIsLonger =
      "granularidade=dia&data_inicio=2022-01-01T12:00:00-03:00&data_fim=2025-01-05T12:00:00-03:00";
    for (const report of ["transacoes-por-periodo", "painel"]) {
      const of = (query: string) => get(`/v1/relatorios/${report}?${query}&estabelecimento_id=${UNIT}`);
      expect((await of(earlierIsLonger)).status).toBe(200);
      expect((await of(`${bothFit}&comparar=ano-anterior`)).status).toBe(200);
      for (const query of [earlierIsLonger, laterIsLonger])
        await expectError(
          await of(`${query}&comparar=ano-anterior`),
          400,
          "Bad Request",
          /^The report would have more than 1,100 periods/,
        );
    }
  });

  it("is an unknown parameter of every other report (I5, R10)", async () => {
    for (const report of ["transacoes-por-profissional", "vendas-por-produto", "nao-mapeados"])
      await expectError(
        await get(`/v1/relatorios/${report}?periodo=2026-11&comparar=anterior`, STRICT),
        400,
        "Bad Request",
        /^`comparar` is not a parameter of this route/,
      );
  });
});
