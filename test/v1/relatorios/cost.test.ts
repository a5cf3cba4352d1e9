// @module-tag server
import { describe, expect, it } from "vitest";
import { get, sql } from "../../support/worker/api.ts";
import { type Query, readReport, reportPath } from "../../support/worker/general-reports.ts";

/** Questions that read single facts. */
const SCANS: [source: string, query: Query][] = [
  ["visitas", { por: "parcelas", medidas: "visitas" }],
  ["visitas", { por: "hora" }],
  ["visitas", { medidas: "clientes" }],
  ["visitas", { medidas: "primeira_visita" }],
  ["visitas", { medidas: "visitas", parcelas_min: "2" }],
  ["servicos", { por: "servico,profissional" }],
  ["servicos", { por: "hora" }],
  ["servicos", { medidas: "visitas" }],
  ["vendas", { por: "forma_pagamento" }],
  ["vendas", { por: "cliente" }],
  ["vendas", { por: "produto,hora" }],
  ["vendas", { medidas: "transacoes" }],
  ["lancamentos", { data: "sincronizacao", por: "pessoa" }],
  ["lancamentos", { data: "sincronizacao" }],
  ["pagamentos", { valor_min: "5000" }],
  ["pagamentos", { data: "pagamento", por: "faixa" }],
];
const START = "2025-01-01T23:59:00-03:00";
const RANGES: Query[] = [
  {},
  { data_inicio: START },
  { data_fim: START },
  { data_inicio: "1900-01-02T00:00:00Z", data_fim: "2200-12-30T00:00:00Z" },
];

describe("any question may cover any range (R22)", () => {
  it.each([
    ...SCANS,
    ...([
      ["visitas", { por: "unidade,forma_pagamento", sent_to_erp: "true" }],
      ["visitas", { por: "dia_semana,hora", medidas: "visitas,valor_total,ticket_medio", hora_min: "3" }],
      ["servicos", { por: "servico,ano" }],
      ["servicos", { por: "profissional,mes" }],
      ["vendas", { por: "produto,origem,unidade" }],
      ["vendas", { por: "dia_semana" }],
      ["lancamentos", { por: "pessoa,centro_custo,enviado,mes" }],
      ["lancamentos", { por: "enviado", medidas: "lancamentos,pendentes", data: "sincronizacao" }],
      ["pagamentos", { por: "conta,centro_custo,situacao,faixa" }],
      ["pagamentos", { por: "conta", data: "pagamento", medidas: "pagamentos" }],
      ["faturamento", { por: "origem,unidade,hora,mes" }],
    ] as typeof SCANS),
  ])("%s by %o", async (source, query) => {
    for (const range of RANGES) {
      const response = await get(reportPath(source, { ...query, ...range }));
      expect([response.status, range, response.status === 200 || (await response.text())]).toEqual([
        200,
        range,
        true,
      ]);
    }
  });

  it("counts all clients ever, as in the years they came (R22)", async () => {
    const { totais } = await readReport("visitas", { medidas: "visitas,clientes,clientes_novos" });
    const [expected] =
      await sql`select count(*)::int as visitas, count(distinct cliente_salon_id)::int as clientes from transacoes`;
    expect(totais).toEqual({ ...expected, clientes_novos: expected?.clientes });
    // Each client came for the first time in one year.
    const { data } = await readReport("visitas", { por: "ano", medidas: "clientes_novos" });
    const added = data.reduce((sum, row) => sum + Number(row.clientes_novos), 0);
    const [dated] = await sql`select count(*)::int as n from (select min(data_hora) as first from transacoes
      where cliente_salon_id is not null group by cliente_salon_id) as clients where isfinite(first)`;
    expect(added).toBe(dated?.n);
  });
});
