// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read } from "../../support/worker/api.ts";
import { insertEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";

beforeAll(insertEdgeCaseRows);

const YEAR = "data_inicio=2025-11-10T10:00:00-03:00&data_fim=2026-10-20T15:00:00-03:00";

describe("GET /v1/relatorios/painel", () => {
  it.each([
    [YEAR, "mes"],
    [YEAR, "dia"],
    [`${YEAR}&comparar=ano-anterior`, "mes"],
    [`${YEAR}&estabelecimento_id=102&comparar=mes-anterior`, "dia"],
    ["estabelecimento_id=103", "mes"],
    ["estabelecimento_id=201", "dia"],
    ["estabelecimento_id=nowhere", "mes"],
  ])(
    "returns what its reports return, two of them with ten rows at most (R7): %s by %s",
    async (question, grain) => {
      const report = (name: string, more = "", query = question) =>
        read<{ data: unknown[] }>(`/v1/relatorios/${name}?${query}${more}`);
      const plain = question.replace(/&comparar=.*/, "");
      const { data } = await report("transacoes-por-profissional", "", plain);
      const granularidade = grain === "mes" ? "" : `&granularidade=${grain}`;
      expect(await read(`/v1/relatorios/painel?${question}${granularidade}`)).toEqual({
        resumo: await report("resumo"),
        por_periodo: await report("visitas", `&por=${grain}`),
        por_forma_pagamento: await report("transacoes-por-forma-pagamento", "", plain),
        por_profissional: { data: data.slice(0, 10) },
        por_estabelecimento: await report("visitas", "&por=unidade"),
        vendas_por_produto: await report("vendas", "&por=produto&ordem=-valor_total&limite=10"),
        unidades: (await read<{ data: unknown[] }>("/v1/estabelecimentos")).data,
      });
    },
  );

  it("has two reports with more than ten rows to cut", async () => {
    const rows = async (path: string) => (await read<{ data: unknown[] }>(`/v1/relatorios/${path}`)).data;
    expect((await rows(`transacoes-por-profissional?${YEAR}`)).length).toBeGreaterThan(10);
    expect((await rows(`vendas?${YEAR}&por=produto`)).length).toBeGreaterThan(10);
  });

  it("returns 400 where `visitas` by `granularidade` does (R22, R7)", async () => {
    // The edge-case rows span three centuries.
    const message = (coarser: string) =>
      new RegExp(
        "^The answer would have more than 1,100 periods\\. Rows matched from 1899-12-\\d\\d to 2199-12-\\d\\d\\. " +
          `Send ${coarser}both ends of a shorter range, or \`periodo\`\\.$`,
      );
    for (const [path, coarser] of [
      ["painel", ""],
      ["painel?granularidade=dia", "`mes` as `granularidade`, or "],
      ["visitas?por=mes", "`ano` in `por`, or "],
    ] as const)
      await expectError(await get(`/v1/relatorios/${path}`), 400, "Bad Request", message(coarser));
  });
});
