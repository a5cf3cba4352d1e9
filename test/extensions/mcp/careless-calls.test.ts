// @module-tag server
import { describe, expect, it } from "vitest";
import { callTool, postMessage, toolCall } from "../../support/worker/mcp.ts";

/** Calls as weaker models make them. An error says what to send. */
type Args = Record<string, unknown>;

describe("a careless call", () => {
  it.each<[what: string, tool: string, args: Args, ...useful: string[]]>([
    [
      "a month in Portuguese",
      "faturamento",
      { periodo: "outubro" },
      "`periodo` must be one of hoje, ",
      "Send a month as year and number, for example 2026-10.",
    ],
    [
      "a month with its year",
      "faturamento",
      { periodo: "Março de 2025" },
      "Send a month as year and number, 2025-03.",
    ],
    ["a short month", "visitas", { periodo: "out/2026" }, "Send a month as year and number, 2026-10."],
    ["a month in figures", "resultado", { periodo: "10/2026" }, "Send a month as year and number, 2026-10."],
    ["a month's number", "resumo", { periodo: 10 }, "Send a month as year and number, for example 2026-10."],
    [
      "an English period",
      "visitas",
      { periodo: "last month" },
      "`periodo` must be one of hoje, ",
      "mes-passado",
    ],
    [
      "a month as an argument",
      "faturamento",
      { mes: 10 },
      "`mes` is not an argument of this tool. Send `periodo`, for example 2026-10.",
    ],
    ["a year as an argument", "clientes", { ano: "2026" }, "Send `periodo`, for example 2026."],
    [
      "a day as an argument",
      "listTransacoes",
      { dia: "2026-10-31" },
      "Send `periodo`, for example 2026-10-31.",
    ],
    [
      "a month in a tool without periods",
      "listProdutos",
      { mes: 10 },
      "`mes` is not an argument of this tool. The arguments are `page`, ",
    ],
    [
      "a unit by name",
      "faturamento",
      { estabelecimento_id: "Salão Moema" },
      '"Salão Moema" does not exist. Existing values, nearest first: "102" (Salão Moema)',
    ],
    [
      "a unit by name, as `unidade`",
      "visitas",
      { unidade: "moema" },
      '`estabelecimento_id` "moema" does not exist. Existing values, nearest first: "102" (Salão Moema)',
    ],
    [
      "two different units",
      "visitas",
      { unidade: "102", estabelecimento_id: "101" },
      "`unidade` must not differ from `estabelecimento_id`. Omit `unidade`.",
    ],
    [
      "a unit in a tool without units",
      "pagamentos",
      { unidade: "102" },
      "`unidade` is not an argument of this tool. The arguments are `por`, ",
    ],
    [
      "an array where a text is due",
      "visitas",
      { forma_pagamento: ["Pix", "Dinheiro"] },
      "`forma_pagamento` must be a string, a number or a boolean, not an array, or be omitted.",
    ],
    [
      "an object where a text is due",
      "visitas",
      { periodo: { inicio: "2026-10-01" } },
      "`periodo` must be a string, a number or a boolean, or be omitted.",
    ],
    [
      "an invented measure",
      "faturamento",
      { por: "unidade", medidas: "lucro" },
      "`medidas` must be different measures, ",
      "The measures are valor_total, valor_servicos, ",
      'got "lucro"',
    ],
    ["an invented dimension", "servicos", { por: ["cliente"] }, "The dimensions are dia, semana, "],
    [
      "an order by a column that was not asked for",
      "faturamento",
      { por: "unidade", medidas: ["visitas"], ordem: "-valor_total" },
      "`ordem` must be a column of the answer: ",
    ],
    [
      "all days of a century",
      "visitas",
      { por: "dia", data_inicio: "1900-01-01T00:00:00Z", data_fim: "2026-01-01T00:00:00Z" },
      "more than 1,100 periods",
      "Send `semana` or `mes` in `por`, or a shorter range.",
    ],
    [
      "a date without a time",
      "vendas",
      { data_inicio: "2026-10-01" },
      "`data_inicio` must be an ISO 8601 date-time with offset",
      "For whole days in Brasília, send `periodo`, for example 2026-10-01.",
    ],
    [
      "a payment method in another case",
      "visitas",
      { forma_pagamento: "pix", periodo: "ano" },
      '`forma_pagamento` "pix" does not exist. Existing values, nearest first: "',
      "P",
    ],
    [
      "a service in lower case",
      "servicos",
      { servico: "corte feminino" },
      '`servico` "corte feminino" does not exist. Existing values, nearest first: "Corte',
    ],
    [
      "a client by name",
      "visitas",
      { cliente_salon_id: "Bruna Barbosa" },
      "`cliente_salon_id` does not exist. Clients cannot be searched by name. ",
      "send `por=cliente` to the report `visitas`",
    ],
    [
      "a client by name in a list",
      "listTransacoes",
      { cliente_salon_id: "Bruna Barbosa" },
      "Clients cannot be searched by name. ",
    ],
    [
      "a product by name",
      "vendas",
      { produto_id: "xampu" },
      '`produto_id` "xampu" does not exist. Existing values, nearest first: "',
    ],
    [
      "a professional by name",
      "servicos",
      { profissional_salon_id: "Ana" },
      '`profissional_salon_id` "Ana" does not exist. Existing values, nearest first: "',
    ],
    [
      "an account in lower case",
      "pagamentos",
      { nome_conta_classificacao: "aluguel" },
      'Existing values, nearest first: "Aluguel"',
    ],
    [
      "an invented argument",
      "faturamento",
      { agrupar_por: "mes" },
      "`agrupar_por` is not an argument of this tool. The arguments are `por`, ",
    ],
    [
      "a comparison in words",
      "faturamento",
      { periodo: "mes", comparar: "ano passado" },
      "`comparar` must be one of `anterior`, `semana-anterior`, `mes-anterior`, `ano-anterior`",
    ],
  ])("of %s gets an error that says what to send (M2, I8)", async (_, tool, args, ...useful) => {
    const { text, isError } = await callTool(tool, args);
    expect(isError, text).toBe(true);
    for (const part of useful) expect(text).toContain(part);
  });

  it.each<[what: string, tool: string, careless: Args, meant: Args]>([
    [
      "names in an array",
      "faturamento",
      { por: ["mes", "unidade"], medidas: ["visitas"] },
      { por: "mes,unidade", medidas: "visitas" },
    ],
    [
      "an order in an array",
      "faturamento",
      { por: "unidade", ordem: ["-visitas"] },
      { por: "unidade", ordem: "-visitas" },
    ],
    ["fields in an array", "listTransacoes", { campos: ["salon_id", "total"] }, { campos: "salon_id,total" }],
    ["empty arrays", "visitas", { por: [], medidas: [], forma_pagamento: [] }, {}],
    ["an empty array for what has a default", "listTransacoes", { per_page: [], campos: [] }, {}],
    ["`unidade`", "faturamento", { unidade: 102 }, { estabelecimento_id: "102" }],
    [
      "a unit twice",
      "faturamento",
      { unidade: "102", estabelecimento_id: 102 },
      { estabelecimento_id: "102" },
    ],
    ["`unidade` left out", "faturamento", { unidade: null }, {}],
    [
      "`unidade` in an empty array",
      "faturamento",
      { unidade: [], estabelecimento_id: "102" },
      { estabelecimento_id: "102" },
    ],
  ])("with %s is answered as it was meant (M2)", async (_, tool, careless, meant) => {
    const answer = await callTool(tool, meant);
    expect(answer.isError, answer.text).toBe(false);
    expect(await callTool(tool, careless)).toEqual(answer);
  });

  it.each([
    ["list_transacoes", "`listTransacoes`"],
    ["getRevenueFaturamento", "`faturamento`"],
    ["visita", "`visitas`"],
  ])("of the tool %s gets an error that names the nearest tools (M2)", async (name, first) => {
    const response = await postMessage(toolCall(name, {}));
    const { error } = await response.json<{ error: { message: string } }>();
    expect(error.message).toMatch(/^No tool has this name\. The nearest are `\w+`, `\w+` and `\w+`\. /);
    expect(error.message).toContain(`The nearest are ${first}, `);
  });

  it("for two years by day, compared, gets an error that names months (M4)", async () => {
    const { text, isError } = await callTool("visitas", {
      por: "dia",
      data_inicio: "2024-01-01T00:00:00-03:00",
      data_fim: "2025-12-31T23:59:59.999999-03:00",
      comparar: "ano-anterior",
    });
    expect(isError).toBe(true);
    expect(text).toMatch(
      /Call the tool again with `mes` in `por` or a shorter range or a smaller `limite`\.$/,
    );
  });
});
