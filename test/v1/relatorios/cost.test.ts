// @module-tag server
import { describe, expect, it } from "vitest";
import { get, mendDatabase, statements } from "../../support/worker/api.ts";
import { messageOf, type Query, readReport, reportPath } from "../../support/worker/general-reports.ts";

/** A question of each source that reads rows. */
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

describe("a question that reads rows (R22)", () => {
  it.each(SCANS)("of %s by %o needs both ends of a range (R22)", async (source, query) => {
    await mendDatabase();
    for (const range of [{}, { data_inicio: START }, { data_fim: START }] as Query[]) {
      const message = await messageOf(source, { ...query, ...range });
      expect(message).toMatch(
        /^This question reads each row of its range, because of `\w+`(, `\w+`)*, so it needs both ends of a range of at most 400 days\. Send `data_inicio` and `data_fim`, or `periodo`(\.$|, or ask for less\. Any range is allowed for `por` of )/,
      );
    }
    // A late request of another test may have been sent meanwhile.
    expect((await statements()).filter(({ query: text }) => text.includes("is_total"))).toEqual([]);
    const { data } = await readReport(source, { ...query, periodo: "2026-10" });
    expect(data.length).toBeGreaterThan(0);
  });

  it.each(SCANS)(
    "of %s by %o may have 400 days in Brasília, with the first and the last (R22)",
    async (source, query) => {
      // From the last minute of a day to the first of the day 399 days later.
      await readReport(source, { ...query, data_inicio: START, data_fim: "2026-02-04T00:00:00-03:00" });
      for (const data_fim of ["2026-02-05T00:00:00-03:00", "2200-12-31T00:00:00Z"])
        expect(await messageOf(source, { ...query, data_inicio: START, data_fim })).toMatch(
          /^This question reads each row of its range, because of `\w+`(, `\w+`)*, so `data_inicio` and `data_fim` may be at most 400 days apart\. Send a shorter range(\.$|, or ask for less\. Any range)/,
        );
    },
  );

  it("has an answer for a leap year by `periodo` (R22)", async () => {
    await readReport("visitas", { medidas: "clientes", periodo: "2024" });
  });

  it.each<[source: string, query: Query, names: string]>([
    ["visitas", { por: "mes,parcelas", medidas: "visitas", parcelas_min: "2" }, "`parcelas`, `parcelas_min`"],
    ["visitas", { por: "hora" }, "`hora`"],
    ["vendas", { por: "produto,hora" }, "`hora`"],
    ["pagamentos", { valor_min: "5000", situacao: "1" }, "`valor_min`"],
  ])("of %s by %o names what no rollup holds: %s (R22)", async (source, query, names) => {
    expect(await messageOf(source, query)).toMatch(`, because of ${names}, so it needs both ends`);
  });

  it("says what any range allows (R22)", async () => {
    const calendar = "`dia`, `semana`, `mes`, `trimestre`, `ano`";
    const anyRange = async (source: string, query: Query = {}) => {
      const [, allowed = ""] = /Any range is allowed for (.*)\.$/.exec(await messageOf(source, query)) ?? [];
      return allowed.split("; ");
    };
    expect(await anyRange("visitas", { medidas: "clientes" })).toEqual([
      `\`por\` of ${calendar}, \`unidade\`, \`forma_pagamento\`, \`enviada\` with \`medidas\` of \`visitas\`, \`valor_total\`, \`ticket_medio\`, ` +
        "`enviadas`, `pendentes`, `valor_pendente`, `taxas` and filters by `estabelecimento_id`, `sent_to_erp`, `forma_pagamento`",
      `\`por\` of ${calendar}, \`dia_semana\`, \`hora\`, \`unidade\` with \`medidas\` of \`visitas\`, \`valor_total\`, \`ticket_medio\` ` +
        "and filters by `estabelecimento_id`, `dia_semana`, `hora_min`, `hora_max`",
    ]);
    expect(await anyRange("servicos", { por: "hora" })).toEqual([
      `\`por\` of ${calendar}, \`unidade\`, \`profissional\` with \`medidas\` of \`servicos\`, \`cortesias\`, \`valor_total\` and filters by \`estabelecimento_id\`, \`profissional_salon_id\``,
      `\`por\` of ${calendar}, \`unidade\`, \`servico\` with \`medidas\` of \`servicos\`, \`cortesias\`, \`valor_total\` and filters by \`estabelecimento_id\`, \`servico\``,
    ]);
    expect(await anyRange("lancamentos", { data: "sincronizacao" })).toEqual([
      `\`por\` of ${calendar}, \`unidade\`, \`enviado\` with \`medidas\` of \`lancamentos\`, \`enviados\`, \`pendentes\` and filters by \`estabelecimento_id\`, \`sent_to_salon\``,
    ]);
  });

  it("of what it allows, takes any range (R22)", async () => {
    for (const [source, query] of [
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
    ] as [string, Query][])
      for (const range of [
        {},
        { data_inicio: START },
        { data_inicio: "1900-01-02T00:00:00Z", data_fim: "2200-12-30T00:00:00Z" },
      ] as Query[]) {
        const response = await get(reportPath(source, { ...query, ...range }));
        expect(response.status, `${source} ${JSON.stringify({ ...query, ...range })}`).toBe(200);
      }
  });
});
