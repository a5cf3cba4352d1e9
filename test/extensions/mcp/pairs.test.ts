import { afterAll, beforeAll, expect, it } from "vitest";
import { type Assistant, startAssistant } from "../../support/worker/agents.ts";
import { sql } from "../../support/worker/api.ts";
import { connectClient } from "../../support/worker/mcp.ts";

type Row = Record<string, number | string | null>;
interface Answer {
  data: Row[];
  totais: Row;
}

let assistant: Assistant;
const firstSentences = new Map<string, string>();

beforeAll(async () => {
  await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
    values ('pairs', '101', 12.5, '2026-10-05T12:00:00Z', '{}')`;
  assistant = await startAssistant();
  const client = await connectClient();
  for (const { name, description = "" } of (await client.listTools()).tools)
    firstSentences.set(name, description.split(/(?<=\.) /)[0] ?? "");
  await client.close();
});

afterAll(() => sql`delete from transacoes where salon_id = 'pairs'`);

const RANGE = { periodo: "2026-10" };
const totalOf = async (tool: string, measure: string): Promise<number> =>
  Number((await assistant.ask<Answer>(tool, { ...RANGE, medidas: measure })).totais[measure]);
const sumOf = async (tool: string, measure: string): Promise<number> =>
  (await assistant.ask<Answer>(tool, RANGE)).data.reduce((sum, row) => sum + Number(row[measure]), 0);

// A model that takes the wrong one of two tools must not report another figure without having been told.
it.each<[question: string, ask: () => Promise<[number, number]>, differs?: [tool: string, how: RegExp][]]>([
  [
    "the number of visits, of faturamento and visitas",
    async () => [await totalOf("faturamento", "visitas"), await totalOf("visitas", "visitas")],
  ],
  [
    "the value of October, of faturamento and visitas",
    async () => [await totalOf("faturamento", "valor_total"), await totalOf("visitas", "valor_total")],
    [
      ["faturamento", /what customers paid: .*without what professionals took/],
      ["visitas", /what professionals took; for revenue, use `faturamento`/],
    ],
  ],
  [
    "the value by professional, of servicos and transacoesPorProfissional",
    async () => [
      await totalOf("servicos", "valor_total"),
      await sumOf("transacoesPorProfissional", "valor_total"),
    ],
    [
      ["servicos", /each once, for the professional who did it/],
      [
        "transacoesPorProfissional",
        /in full for each of its professionals; for what each did, use `servicos`/,
      ],
    ],
  ],
  [
    "what is to be paid, of lancamentos and pagamentos",
    async () => [await totalOf("lancamentos", "valor_total"), await totalOf("pagamentos", "valor_total")],
    [
      ["lancamentos", /only commissions and debits; for all that the chain pays, use `pagamentos`/],
      ["pagamentos", /all that the chain pays/],
    ],
  ],
  [
    "the number of clients, of clientes and visitas",
    async () => [await totalOf("clientes", "clientes"), await totalOf("visitas", "clientes")],
  ],
  [
    "the value of October, of clientes and visitas",
    async () => [await totalOf("clientes", "valor_total"), await totalOf("visitas", "valor_total")],
    [["clientes", /without visits that name no client/]],
  ],
])(
  "two tools agree, or the first sentence of each says how it differs: %s (M2)",
  async (_question, ask, differs) => {
    const [one, other] = await ask();
    expect(one).toBeGreaterThan(0);
    if (differs === undefined) return expect(one).toBe(other);
    expect(one).not.toBe(other);
    for (const [tool, how] of differs) expect(firstSentences.get(tool), tool).toMatch(how);
  },
);
