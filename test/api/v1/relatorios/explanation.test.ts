// @module-tag server
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { SOURCES } from "../../../../src/api/v1/relatorios/sources/index.ts";
import { expectError, get, read } from "../../../support/worker/api.ts";
import { type GeneralAnswer, type Query, reportPath } from "../../../support/worker/general-reports.ts";
import { callTool } from "../../../support/worker/mcp.ts";

interface Explained extends GeneralAnswer {
  explicacao: {
    linha: string;
    medidas: Record<string, string>;
    filtros: Record<string, string>;
    direitos: unknown;
    registros: string | null;
    dados_ate: string | null;
  };
}

const explain = (source: string, query: Query) =>
  read<Explained>(reportPath(source, { ...query, explicar: "true" }));

/** The sources whose rows are records of a list, with the measure that counts them and values of filters. */
const LISTED: Record<string, { count: string; filters: Record<string, string[]> }> = {
  visitas: {
    count: "visitas",
    filters: {
      sent_to_erp: ["true", "false"],
      cliente_salon_id: ["C1", "C2"],
      forma_pagamento: ["Pix"],
      hora_min: ["12"],
      por: ["ano", "forma_pagamento"],
    },
  },
  vendas: {
    count: "linhas",
    filters: {
      origem: ["salao", "loja"],
      produto_id: ["P1", "P2"],
      dia_semana: ["6"],
      por: ["dia_semana", "origem"],
    },
  },
  lancamentos: {
    count: "lancamentos",
    filters: {
      sent_to_salon: ["true", "false"],
      data: ["vencimento", "sincronizacao"],
      por: ["ano", "enviado"],
    },
  },
  pagamentos: {
    count: "pagamentos",
    filters: {
      situacao: ["1", "2"],
      id_centro_custo: ["7001"],
      nome_conta_classificacao: ["Aluguel", "Água"],
      valor_min: ["500.5"],
      data: ["vencimento", "pagamento"],
      por: ["ano", "conta"],
    },
  },
};

/** One value or none for each parameter, and ends of a range or none. */
const queries = (filters: Record<string, string[]>): fc.Arbitrary<Query> => {
  const maybe = (values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
  const chosen = fc.record(
    Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, maybe(values)])),
  );
  const range = fc.record({
    data_inicio: maybe(["2026-03-01T00:00:00-03:00", "2025-01-01T00:00:00Z"]),
    data_fim: maybe(["2026-10-10T23:59:59-03:00", "2026-12-31T23:59:59-03:00"]),
  });
  return fc
    .tuple(chosen, range)
    .map(([some, ends]) =>
      Object.fromEntries(
        Object.entries({ ...some, ...ends }).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
    );
};

const totalOf = async (url: string) =>
  (await read<{ pagination: { total: number } }>(`${url}${url.includes("?") ? "&" : "?"}per_page=1`))
    .pagination.total;

describe("explicar (R28)", () => {
  it("adds what a row, each measure and each filter is, and changes nothing else, in every report", async () => {
    for (const { name, row, measures } of SOURCES) {
      const query = { periodo: "2026-10", estabelecimento_id: "101" };
      const asked: Query = name === "pagamentos" ? { periodo: "2026-10" } : query;
      const { explicacao, ...body } = await explain(name, asked);
      expect(body).toEqual(await read(reportPath(name, asked)));
      expect(explicacao.linha).toBe(row);
      const shown = Object.keys(measures).filter((measure) => measure in body.totais);
      expect(explicacao.medidas).toEqual(
        Object.fromEntries(shown.map((measure) => [measure, measures[measure]?.description])),
      );
      expect(explicacao.filtros).toMatchObject({
        ...(name !== "pagamentos" && { estabelecimento_id: "101" }),
        data_inicio: "2026-10-01T03:00:00.000000Z",
        data_fim: "2026-11-01T02:59:59.999999Z",
      });
      const { direitos, dados_ate } = await read<Record<string, unknown>>("/v1/frescor");
      expect(explicacao).toMatchObject({ direitos, dados_ate });
    }
  });

  it.each(Object.entries(LISTED))(
    "links a list of exactly the rows of %s, or none",
    async (name, { count, filters }) => {
      let linked = 0;
      const property = fc.asyncProperty(queries(filters), async (query) => {
        const { explicacao, totais } = await explain(name, query);
        if (explicacao.registros === null) return;
        linked += 1;
        const counted = { ...query, medidas: count, limite: "1" };
        const { totais: all } = await read<GeneralAnswer>(reportPath(name, counted));
        expect([query, await totalOf(explicacao.registros)]).toEqual([query, all[count]]);
        expect(totais).toHaveProperty(count, all[count]);
      });
      await fc.assert(property, { numRuns: 40, seed: inject("fuzzSeed") });
      expect(linked).toBeGreaterThan(5);
    },
  );

  it("links no list where one would have other rows", async () => {
    for (const [source, query] of [
      ["visitas", { forma_pagamento: "Pix" }],
      ["visitas", { novos: "true" }],
      ["visitas", { por: "hora" }],
      ["visitas", { por: "ano" }],
      ["lancamentos", { periodo: "2026-10" }],
      ["servicos", {}],
      ["clientes", {}],
      ["faturamento", {}],
      ["resultado", {}],
    ] as [string, Query][])
      expect([source, query, (await explain(source, query)).explicacao.registros]).toEqual([
        source,
        query,
        null,
      ]);
  });

  it("names a tool and its arguments in a tool", async () => {
    const args = { periodo: "2026-10", sent_to_erp: false, explicar: true };
    const { explicacao, totais }: Explained = JSON.parse((await callTool("visitas", args)).text);
    const [, tool = "", found = ""] = /^(\w+) (\{.*\})$/.exec(explicacao.registros ?? "") ?? [];
    expect(tool).toBe("listTransacoes");
    const { pagination } = JSON.parse((await callTool(tool, JSON.parse(found))).text);
    expect(pagination.total).toBe(totais.visitas);
  });

  it("is a 400 with CSV, and a 400 for another value than true", async () => {
    const path = "/v1/relatorios/visitas?explicar=true";
    for (const response of [await get(`${path}&formato=csv`), await get(path, { Accept: "text/csv" })])
      await expectError(response, 400, "Bad Request", /^`explicar` must not be given with CSV\. Omit/);
    await expectError(
      await get("/v1/relatorios/visitas?explicar=1"),
      400,
      "Bad Request",
      /^`explicar` must be/,
    );
  });
});
