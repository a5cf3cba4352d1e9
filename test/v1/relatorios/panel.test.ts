// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read } from "../../support/api.ts";
import { insertEdgeCaseRows } from "../../support/edge-case-rows.ts";

beforeAll(insertEdgeCaseRows);

const YEAR = "data_inicio=2025-11-10T10:00:00-03:00&data_fim=2026-10-20T15:00:00-03:00";

describe("GET /v1/relatorios/painel", () => {
  it.each([
    YEAR,
    `${YEAR}&granularidade=dia`,
    `${YEAR}&estabelecimento_id=102`,
    "estabelecimento_id=103",
    "estabelecimento_id=201&granularidade=dia",
    "estabelecimento_id=nowhere",
  ])("returns what its six reports return, two of them with ten rows at most (R7): %s", async (question) => {
    const report = (name: string, more = "") =>
      read<{ data: unknown[] }>(`/v1/relatorios/${name}?${question}${more}`);
    const { data } = await report("transacoes-por-profissional");
    expect(await read(`/v1/relatorios/painel?${question}`)).toEqual({
      resumo: await report("resumo"),
      por_periodo: await report("transacoes-por-periodo"),
      por_forma_pagamento: await report("transacoes-por-forma-pagamento"),
      por_profissional: { data: data.slice(0, 10) },
      por_estabelecimento: await report("transacoes-por-estabelecimento"),
      vendas_por_produto: await report("vendas-por-produto", "&limite=10"),
    });
  });

  it("has two reports with more than ten rows to cut", async () => {
    for (const name of ["transacoes-por-profissional", "vendas-por-produto"]) {
      const { data } = await read<{ data: unknown[] }>(`/v1/relatorios/${name}?${YEAR}`);
      expect(data.length).toBeGreaterThan(10);
    }
  });

  it("returns 400 where transacoes-por-periodo does (R4, R7)", async () => {
    // The edge-case rows span three centuries.
    await expectError(
      await get("/v1/relatorios/painel"),
      400,
      "Bad Request",
      /^The report would have more than 1,100 periods\. Set `granularidade` to/,
    );
  });
});
