import { describe, expect, it } from "vitest";
import { mendDatabase, read, sql, statements } from "../support/api.ts";

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Node[];
}

/** How Postgres answers the one statement behind a path. */
const explain = async (path: string) => {
  await mendDatabase();
  await read(path);
  const statement = (await statements()).at(-1);
  if (statement === undefined) throw new Error(`${path} sent no statement`);
  const { query, params } = statement;
  const [row] = await sql.query(
    `explain (analyze, buffers, timing off, format json) ${query}`,
    params as string[],
  );
  const root = row?.["QUERY PLAN"][0].Plan as Node;
  const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return {
    buffers: root["Shared Hit Blocks"] + root["Shared Read Blocks"],
    readWhole: all(root)
      .filter((node) => node["Node Type"] === "Seq Scan")
      .map((node) => node["Relation Name"]),
  };
};

// Small enough to be read whole faster than through any index.
const SMALL = ["profissionais", "estabelecimentos", "taxas_cartao", "produtos"];

const FILTERED = [
  "/v1/transacoes?estabelecimento_id=103",
  "/v1/transacoes?sent_to_erp=false",
  "/v1/transacoes?sent_to_erp=true",
  "/v1/transacoes?estabelecimento_id=103&sent_to_erp=false",
  "/v1/transacoes?data_inicio=2026-06-01T00:00:00Z&data_fim=2026-06-30T23:59:59Z",
  "/v1/transacoes?estabelecimento_id=103&data_inicio=2026-06-01T00:00:00Z",
  "/v1/transacoes/T777",
  "/v1/lancamentos?estabelecimento_id=103",
  "/v1/lancamentos?sent_to_salon=false",
  "/v1/lancamentos?sent_to_salon=true",
  "/v1/lancamentos?estabelecimento_id=103&sent_to_salon=false",
  "/v1/lancamentos?data_inicio=2026-06-01T00:00:00Z&data_fim=2026-06-30T23:59:59Z",
  "/v1/lancamentos?estabelecimento_id=103&data_inicio=2026-06-01T00:00:00Z",
  "/v1/lancamentos?after_id=0&estabelecimento_id=103",
  "/v1/lancamentos?after_id=0&sent_to_salon=false",
  "/v1/lancamentos/L777",
  "/v1/pagamentos-erp?situacao=1",
  "/v1/pagamentos-erp?id_centro_custo=7003",
  "/v1/pagamentos-erp?nome_conta_classificacao=Aluguel",
  "/v1/pagamentos-erp?data_inicio=2026-06-01T00:00:00Z&data_fim=2026-06-30T23:59:59Z",
  "/v1/pagamentos-erp?after_id=0&situacao=1",
  "/v1/pagamentos-erp/900300",
  "/v1/vendas-produto?estabelecimento_id=201",
  "/v1/vendas-produto?origem=salao",
  "/v1/vendas-produto?data_inicio=2026-06-01T00:00:00Z&data_fim=2026-06-30T23:59:59Z",
  "/v1/jobs-log?job_name=send-pagar",
  "/v1/jobs-log?status=failed",
  "/v1/jobs-log?data_inicio=2026-11-01T00:00:00Z",
  "/v1/relatorios/resumo?data_inicio=2026-06-01T00:00:00Z&data_fim=2026-06-30T23:59:59Z",
];

describe("plans", () => {
  it.each(FILTERED)("%s reads no large table whole", async (path) => {
    const { readWhole } = await explain(path);
    expect(readWhole.filter((table) => !SMALL.includes(table ?? ""))).toEqual([]);
  });

  it.each(["lancamentos", "pagamentos-erp"])(
    "%s: a cursor page reads as many buffers at the end as at the start",
    async (list) => {
      const table = list.replace("-", "_");
      const [last] = await sql.query(`select id::int from ${table} order by id desc offset 51 limit 1`);
      const start = await explain(`/v1/${list}?after_id=0`);
      const end = await explain(`/v1/${list}?after_id=${last?.id}`);
      expect(start.buffers).toBeGreaterThan(0);
      expect(Math.abs(end.buffers - start.buffers)).toBeLessThanOrEqual(5);
    },
  );
});
