// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Rights, UNRESTRICTED } from "../../src/core/rights.ts";
import { CLOSED_UNITS, closedUnits } from "../../tools/warehouse/invented/closed-units.ts";
import { mendDatabase, send, sql, statements } from "../support/worker/api.ts";
import { signTokenOf } from "../support/worker/client.ts";

interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  Plans?: Node[];
}

/** Counts of clients read the facts of the range. The panel has none without personal data. */
const readerOf = (path: string, rights: Rights): Rights =>
  path.startsWith("/v1/relatorios/painel") ? { ...rights, personalData: false } : rights;

/** The query plan of a path's last statement. @param rights those of the reader */
const explain = async (path: string, rights: Rights = UNRESTRICTED) => {
  await mendDatabase();
  const headers = { Authorization: `Bearer ${await signTokenOf(1, readerOf(path, rights))}` };
  expect([path, (await send(path, { headers })).status]).toEqual([path, 200]);
  const before = await statements();
  const statement = before.pop();
  if (statement === undefined) throw new Error(`${path} sent no statement`);
  const { query, params } = statement;
  const explained = sql.query(
    `explain (analyze, buffers, timing off, format json) ${query}`,
    params as string[],
  );
  // A page by cursor depends on a setting that the statement before it sets.
  const [[row] = []] = (
    await sql.transaction([
      ...before.map(({ query, params }) => sql.query(query, params as string[])),
      explained,
    ])
  ).slice(-1);
  const root = row?.["QUERY PLAN"][0].Plan as Node;
  const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
  return {
    buffers: root["Shared Hit Blocks"] + root["Shared Read Blocks"],
    sequentialScans: all(root)
      .filter((node) => node["Node Type"] === "Seq Scan")
      .map((node) => node["Relation Name"]),
    indexes: all(root).map((node) => node["Index Name"]),
    mostRowsSorted: Math.max(
      0,
      ...all(root)
        .filter((node) => node["Node Type"].endsWith("Sort"))
        .map((node) => node.Plans?.[0]?.["Actual Rows"] ?? 0),
    ),
  };
};

// Small enough that a sequential scan is faster than an index.
const SMALL = [
  "profissionais",
  "estabelecimentos",
  "taxas_cartao",
  "metas",
  "produtos",
  "jobs_log",
  "change_feeds",
];

const YEAR = "data_inicio=2025-12-01T00:00:00-03:00&data_fim=2026-11-15T23:59:59-03:00";
/** A range whose ends cut a day and a month, which reads the most rows besides the rollups. */
const CUT = "data_inicio=2025-12-15T12:00:00-03:00&data_fim=2026-10-15T12:00:00-03:00";

/**
 * Paths by the most buffers they may read: every route over a large table, with every filter, at the start and
 * at the end. A page of 50 reads four buffers per row, and as many for its rollups, at any size of the table.
 */
const CEILINGS: Record<number, string[]> = {
  100: ["/v1/frescor"],
  60: ["/v1/transacoes/T777", "/v1/lancamentos/L777", "/v1/pagamentos-erp/900300"],
  600: [
    "/v1/transacoes",
    "/v1/transacoes?page=3999",
    "/v1/transacoes?page=2000",
    "/v1/transacoes?estabelecimento_id=103",
    "/v1/transacoes?estabelecimento_id=103&page=600",
    "/v1/transacoes?sent_to_erp=false",
    "/v1/transacoes?sent_to_erp=true&page=3000",
    "/v1/transacoes?estabelecimento_id=103&sent_to_erp=false",
    `/v1/transacoes?${YEAR}`,
    `/v1/transacoes?${CUT}&page=700`,
    `/v1/transacoes?estabelecimento_id=103&${CUT}`,
    "/v1/transacoes?cliente_salon_id=C17",
    "/v1/transacoes?cliente_salon_id=C17&sent_to_erp=true",
    `/v1/transacoes?cliente_salon_id=C17&estabelecimento_id=103&${CUT}`,
    "/v1/lancamentos",
    "/v1/lancamentos?page=1599",
    "/v1/lancamentos?estabelecimento_id=103&page=200",
    "/v1/lancamentos?sent_to_salon=false",
    "/v1/lancamentos?sent_to_salon=true&page=1000",
    "/v1/lancamentos?estabelecimento_id=103&sent_to_salon=false",
    `/v1/lancamentos?${YEAR}`,
    `/v1/lancamentos?${CUT}&page=300`,
    `/v1/lancamentos?estabelecimento_id=103&${YEAR}`,
    "/v1/lancamentos?after_id=0",
    "/v1/lancamentos?after_id=0&estabelecimento_id=103",
    "/v1/lancamentos?after_id=0&sent_to_salon=false",
    `/v1/lancamentos?after_id=0&${YEAR}`,
    `/v1/lancamentos?after_id=0&estabelecimento_id=103&${YEAR}`,
    "/v1/pagamentos-erp",
    "/v1/pagamentos-erp?page=399",
    "/v1/pagamentos-erp?situacao=1",
    "/v1/pagamentos-erp?id_centro_custo=7003&page=50",
    "/v1/pagamentos-erp?nome_conta_classificacao=Aluguel",
    "/v1/pagamentos-erp?nome_conta_classificacao=%C3%81gua&situacao=1",
    "/v1/pagamentos-erp?nome_conta_classificacao=%C3%81gua&page=9",
    "/v1/pagamentos-erp?after_id=0&nome_conta_classificacao=%C3%81gua",
    `/v1/pagamentos-erp?${YEAR}`,
    `/v1/pagamentos-erp?situacao=2&${YEAR}&page=50`,
    "/v1/pagamentos-erp?after_id=0",
    "/v1/pagamentos-erp?after_id=0&situacao=1",
    `/v1/pagamentos-erp?after_id=0&${YEAR}`,
    "/v1/vendas-produto",
    "/v1/alteracoes/transacoes",
    "/v1/alteracoes/lancamentos",
    "/v1/alteracoes/pagamentos-erp",
    "/v1/alteracoes/vendas-produto",
    "/v1/vendas-produto?page=300",
    // Lines without a date are the last bucket. Its skipped rows are read from the index only.
    "/v1/vendas-produto?page=599",
    "/v1/vendas-produto?origem=loja&page=479",
    "/v1/vendas-produto?estabelecimento_id=201&page=50",
    "/v1/vendas-produto?origem=salao",
    `/v1/vendas-produto?${YEAR}`,
    "/v1/vendas-produto?cliente_id=C17",
    `/v1/vendas-produto?cliente_id=C17&origem=loja&${CUT}`,
    "/v1/vendas-produto?produto_id=P17",
    `/v1/vendas-produto?produto_id=P17&${CUT}`,
    "/v1/vendas-produto?produto_id=P17&cliente_id=C17",
    "/v1/jobs-log",
    "/v1/jobs-log?page=170",
    "/v1/jobs-log?job_name=send-pagar",
    "/v1/jobs-log?status=failed",
    "/v1/jobs-log?data_inicio=2026-11-01T00:00:00Z",
    "/v1/relatorios/resumo",
    `/v1/relatorios/resumo?${YEAR}`,
    `/v1/relatorios/resumo?estabelecimento_id=103&${CUT}`,
    "/v1/relatorios/transacoes-por-forma-pagamento",
    `/v1/relatorios/transacoes-por-forma-pagamento?${YEAR}`,
    "/v1/relatorios/transacoes-por-profissional",
    `/v1/relatorios/transacoes-por-profissional?${YEAR}`,
    `/v1/relatorios/nao-mapeados?${YEAR}`,
    "/v1/relatorios/faturamento?por=mes,unidade,origem",
    `/v1/relatorios/faturamento?por=mes,unidade&medidas=valor_total,meta&${YEAR}`,
    "/v1/relatorios/visitas?por=mes",
    `/v1/relatorios/visitas?por=mes&${YEAR}`,
    `/v1/relatorios/visitas?por=dia&medidas=visitas,valor_total&${YEAR}`,
    `/v1/relatorios/visitas?por=dia&medidas=visitas,valor_total&estabelecimento_id=103&${CUT}`,
    "/v1/relatorios/visitas?por=unidade",
    `/v1/relatorios/visitas?por=unidade&${YEAR}`,
    "/v1/relatorios/visitas?por=dia_semana,hora&medidas=visitas,valor_total",
    `/v1/relatorios/visitas?por=dia_semana,hora&medidas=visitas,valor_total&${YEAR}`,
    "/v1/relatorios/servicos?por=servico",
    `/v1/relatorios/servicos?por=servico&${YEAR}`,
    "/v1/relatorios/servicos?por=unidade,profissional",
    `/v1/relatorios/servicos?por=unidade,profissional&${YEAR}`,
    "/v1/relatorios/vendas?por=unidade,origem",
    `/v1/relatorios/vendas?por=unidade,origem&${CUT}`,
    "/v1/relatorios/vendas?por=produto",
    `/v1/relatorios/vendas?por=produto&${YEAR}`,
    `/v1/relatorios/vendas?por=produto&estabelecimento_id=203&${YEAR}`,
    `/v1/relatorios/lancamentos?por=mes,centro_custo&${YEAR}`,
    `/v1/relatorios/pagamentos?por=centro_custo&${YEAR}`,
    `/v1/relatorios/pagamentos?por=mes,conta&${YEAR}`,
  ],
  1200: [
    `/v1/relatorios/pagamentos?por=mes,conta&data=pagamento&id_centro_custo=7003&${CUT}`,
    `/v1/relatorios/transacoes-por-forma-pagamento?${CUT}`,
    `/v1/relatorios/transacoes-por-profissional?${CUT}`,
    `/v1/relatorios/visitas?por=mes&${CUT}`,
    `/v1/relatorios/vendas?por=produto&${CUT}`,
    `/v1/relatorios/servicos?por=servico&${CUT}`,
    `/v1/relatorios/servicos?por=unidade,profissional&${CUT}`,
    `/v1/relatorios/visitas?por=dia_semana,hora&medidas=visitas,valor_total&${CUT}`,
  ],
  1400: ["/v1/relatorios/painel"],
  2400: ["/v1/relatorios/painel?granularidade=dia&data_inicio=2025-12-01T00:00:00-03:00"],
};

describe("the query plan", () => {
  it.each(
    Object.entries(CEILINGS).flatMap(([ceiling, paths]) =>
      paths.map((path) => [path, Number(ceiling)] as const),
    ),
  )("of %s scans no large table and reads at most %i buffers", async (path, ceiling) => {
    const { sequentialScans, buffers } = await explain(path);
    expect(sequentialScans.filter((table) => !SMALL.includes(table ?? ""))).toEqual([]);
    expect(buffers).toBeLessThanOrEqual(ceiling);
  });

  it.each([
    ["pagamentos", "centro_custo", 600],
    ["lancamentos", "mes,centro_custo", 1600],
    ["servicos", "dia_semana", 8000],
  ])(
    "of all %s by %s, which no rollup has, reads the narrow facts once, in %i buffers (R22)",
    async (source, dimensions, ceiling) => {
      const { sequentialScans, buffers } = await explain(`/v1/relatorios/${source}?por=${dimensions}`);
      expect(sequentialScans.filter((table) => !SMALL.includes(table ?? ""))).toEqual([`${source}_facts`]);
      expect(buffers).toBeLessThanOrEqual(ceiling);
    },
  );

  it.each(["lancamentos", "pagamentos-erp"])(
    "of a cursor page of %s reads as many buffers at the end as at the start",
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

describe("the query plan of payments", () => {
  // The count reads an index of all rows, or the rows themselves if it compares amounts.
  it.each([
    ["", 600],
    ["&page=200", 600],
    ["&situacao=1", 1500],
    [`&${YEAR}`, 600],
    ["&valor_min=1500.50", 4000],
  ])("by due date%s reads an index in order and sorts one page (L10)", async (query, ceiling) => {
    const { indexes, mostRowsSorted, buffers } = await explain(`/v1/pagamentos-erp?ordem=vencimento${query}`);
    expect(indexes).toContain("pagamentos_erp_due");
    expect(mostRowsSorted).toBeLessThanOrEqual(50);
    expect(buffers).toBeLessThanOrEqual(ceiling);
  });

  it("by due date with a range of payment dates reads only payments of the range (L10)", async () => {
    const { indexes, buffers } = await explain(
      "/v1/pagamentos-erp?ordem=vencimento&data=pagamento&periodo=2026-10",
    );
    expect(indexes).toContain("pagamentos_erp_paid");
    expect(buffers).toBeLessThanOrEqual(2500);
  });
});

describe("the query plan of the catalogue", () => {
  beforeAll(async () => {
    await sql.query(`insert into produtos (salon_id, estabelecimento_id, nome, raw_data)
      select 'plan ' || n, 'plan ' || n % 5, (array['Óleo ', 'creme ', 'SHAMPOO '])[1 + n % 3] || md5((n / 5)::text), jsonb_build_object('x', repeat(md5(n::text), 12))
      from generate_series(1, 50000) n`);
    await sql.query("vacuum analyze produtos");
  });
  afterAll(async () => {
    await sql.query("delete from produtos where salon_id like 'plan %'");
    await sql.query("vacuum analyze produtos");
  });

  // The count reads an index of all rows, about 700 buffers. Sorting would read every row, about 4,000.
  it.each([
    ["/v1/produtos", 1200],
    ["/v1/produtos?page=700", 2500],
    ["/v1/produtos?estabelecimento_id=plan%203", 600],
    ["/v1/produtos?estabelecimento_id=plan%203&page=150", 900],
  ])("of %s reads an index in the order of the letters, at most %i buffers (L1)", async (path, ceiling) => {
    const { sequentialScans, indexes, buffers } = await explain(path);
    expect(sequentialScans).toEqual([]);
    expect(indexes).toContain(path.includes("plan") ? "produtos_unit_sorted" : "produtos_sorted");
    expect(buffers).toBeLessThanOrEqual(ceiling);
  });
});

describe("the query plan for a reader who is limited to several units", () => {
  beforeAll(async () => {
    for (const insert of closedUnits(20_000)) await sql.query(insert);
    await sql.query("vacuum analyze");
  });

  const paths = Object.entries(CEILINGS).flatMap(([ceiling, all]) =>
    all
      .filter((path) => /^\/v1\/(transacoes|lancamentos|vendas-produto|relatorios|alteracoes)\b/.test(path))
      .filter((path) => !/estabelecimento_id|\/[TL]777|pagamentos/.test(path))
      .map((path) => [path.replace(/page=\d+/, "page=40"), Number(ceiling)] as const)
      .filter(([path], n, list) => list.findIndex(([other]) => other === path) === n),
  );

  it.each(paths)(
    "of %s scans no large table and reads at most twice %i buffers (A11)",
    async (path, ceiling) => {
      for (const units of [["101", "103", "201"], CLOSED_UNITS]) {
        const { sequentialScans, buffers } = await explain(path, { ...UNRESTRICTED, units });
        expect([units, sequentialScans.filter((table) => !SMALL.includes(table ?? ""))]).toEqual([units, []]);
        expect(buffers).toBeLessThanOrEqual(2 * ceiling);
      }
    },
  );
});
