// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { type AgentSession, ask as askAgent, startWithLlmsTxt, startWithTools } from "./support/agents.ts";
import { sql } from "./support/api.ts";
import { BY_NAME } from "./support/by-name.ts";

/**
 * Questions of a manager, answered by an agent that reads only /llms.txt and by one that reads only the tools.
 * Their answers are compared with SQL over the tables. Each session has a budget of requests and bytes.
 */
const MAX_REQUESTS = 24;
const MAX_BYTES = 300_000;

let session: AgentSession;

const ask = <T>(path: string, params: Record<string, string> = {}) => askAgent<T>(session, path, params);
type Rows<T> = { data: T[] };

const DAY_MS = 86_400_000;
const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
/** The calendar month in Brasília of so many months ago, as a range. */
const month = (ago: number) => {
  const [year, now] = new Intl.DateTimeFormat("en-CA", { timeZone: "America/Sao_Paulo" })
    .format()
    .split("-")
    .map(Number) as [number, number];
  const first = (months: number) => Date.UTC(year, now - 1 - months, 1, 3);
  return {
    data_inicio: new Date(first(ago)).toISOString(),
    data_fim: new Date(first(ago - 1) - 1).toISOString(),
  };
};

interface Unit {
  estabelecimento_id: string;
  total_transacoes: number;
  valor_total: number;
  pendentes_erp: number;
  valor_pendente: number;
}
interface Form {
  forma_pagamento: string | null;
  valor_total: number;
  taxa_cobrada_profissional: number | null;
}

describe.each([
  ["/llms.txt", startWithLlmsTxt],
  ["the tools", startWithTools],
])("an agent that reads only %s (M2)", (_, start) => {
  beforeAll(async () => {
    session = await start();
  });

  it("compares the takings of each unit in two months (R5)", async () => {
    for (const range of [month(1), month(0)]) {
      const { data } = await ask<Rows<Unit>>("/v1/relatorios/transacoes-por-estabelecimento", range);
      const rows = await sql`select estabelecimento_id, sum(total)::float8 as valor_total from transacoes
        where data_hora between ${range.data_inicio} and ${range.data_fim} group by 1 order by 2 desc, 1`;
      expect(
        data.map(({ estabelecimento_id, valor_total }) => ({ estabelecimento_id, valor_total })),
      ).toEqual(rows);
    }
  });

  it("finds the payment form that grew most, and its fee (R3, V6)", async () => {
    const forms = async (ago: number) =>
      (await ask<Rows<Form>>("/v1/relatorios/transacoes-por-forma-pagamento", month(ago))).data;
    const [before, now] = [await forms(1), await forms(0)];
    const growth = ({ forma_pagamento, valor_total }: Form) =>
      valor_total - (before.find((one) => one.forma_pagamento === forma_pagamento)?.valor_total ?? 0);
    const [best] = now.sort((a, b) => growth(b) - growth(a));
    const [row] = await sql`select forma_pagamento_principal as forma,
        max(taxa_cobrada_profissional)::float8 as taxa
      from transacoes left join taxas_cartao on forma_pagamento = forma_pagamento_principal
      where data_hora >= ${month(1).data_inicio} and data_hora <= ${month(0).data_fim}
      group by 1 having count(*) filter (where data_hora >= ${month(0).data_inicio}) > 0
      order by sum(case when data_hora >= ${month(0).data_inicio} then total else -total end) desc limit 1`;
    expect([best?.forma_pagamento, best?.taxa_cobrada_profissional]).toEqual([row?.forma, row?.taxa]);
  });

  it("ranks the top three professionals of a unit in a quarter (R2)", async () => {
    const { data } = await ask<Rows<{ profissional_salon_id: string | null; valor_total: number }>>(
      "/v1/relatorios/transacoes-por-profissional",
      { estabelecimento_id: "101", data_inicio: daysFromNow(-92) },
    );
    const best = data.filter((row) => row.profissional_salon_id !== null).slice(0, 3);
    expect(best).toHaveLength(3);
    for (const { profissional_salon_id, valor_total } of best) {
      const [row] = await sql`select sum(total)::float8 as total from transacoes
        where estabelecimento_id = '101' and data_hora >= ${daysFromNow(-92)} and exists (
          select from jsonb_array_elements(servicos) as s
          where s ->> 'idProfissionalQueRealizouServico' = ${profissional_salon_id})`;
      expect(valor_total).toBe(row?.total);
    }
  });

  it("counts and sums the visits not sent yet, by unit (R5)", async () => {
    const { data } = await ask<Rows<Unit>>("/v1/relatorios/transacoes-por-estabelecimento");
    const rows =
      await sql`select estabelecimento_id, count(*)::int as pendentes_erp, sum(total)::float8 as valor_pendente
      from transacoes where not sent_to_erp group by 1 order by 1`;
    const pending = data
      .filter((row) => row.pendentes_erp > 0)
      .map(({ estabelecimento_id, pendentes_erp, valor_pendente }) => ({
        estabelecimento_id,
        pendentes_erp,
        valor_pendente,
      }))
      .sort((a, b) => a.estabelecimento_id.localeCompare(b.estabelecimento_id));
    expect(pending).toEqual(rows);
  });

  it("sums the payments due within seven days, by cost centre (L2)", async () => {
    const sums = new Map<string | null, number>();
    const { data, pagination } = await ask<{
      data: { id_centro_custo: string | null; valor: string }[];
      pagination: { total_pages: number };
    }>("/v1/pagamentos-erp", {
      situacao: "1",
      data_inicio: daysFromNow(0),
      data_fim: daysFromNow(7),
      per_page: "200",
    });
    expect(pagination.total_pages).toBeLessThanOrEqual(1);
    for (const { id_centro_custo, valor } of data)
      sums.set(id_centro_custo, (sums.get(id_centro_custo) ?? 0) + Math.round(Number(valor) * 100));
    const rows = await sql`select id_centro_custo, (sum(valor) * 100)::int as cents from pagamentos_erp
      where situacao = 1 and valor between -1e15 and 1e15 and data_vencimento between (now() at time zone 'America/Sao_Paulo')::date
        and (now() at time zone 'America/Sao_Paulo')::date + 7 group by 1`;
    expect(sums).toEqual(new Map(rows.map(({ id_centro_custo, cents }) => [id_centro_custo, cents])));
  });

  it("sums the electricity paid in each month (R8)", async () => {
    const { data } = await ask<
      Rows<{ inicio: string; nome_conta_classificacao: string; valor_total: number }>
    >("/v1/relatorios/pagamentos-por-conta", { data: "pagamento", situacao: "2" });
    const rows = await sql`select to_char(date_trunc('month', data_pagamento), 'YYYY-MM-DD') as inicio,
        sum(valor)::float8 as valor_total
      from pagamentos_erp where situacao = 2 and valor between -1e15 and 1e15 and data_pagamento < 'infinity' and nome_conta_classificacao ilike '%energia%' group by 1 order by 1`;
    expect(rows.length).toBeGreaterThan(0);
    expect(
      data
        .filter((row) => /energia/i.test(row.nome_conta_classificacao))
        .map(({ inicio, valor_total }) => ({ inicio, valor_total })),
    ).toEqual(rows);
  });

  it("counts the ledger entries since yesterday, and those pending for more than three days (L2)", async () => {
    const total = async (params: Record<string, string>) =>
      (await ask<{ pagination: { total: number } }>("/v1/lancamentos", { per_page: "1", ...params }))
        .pagination.total;
    const yesterday = daysFromNow(-1);
    const threeDaysAgo = daysFromNow(-3);
    const [row] = await sql`select count(*) filter (where synced_at >= ${yesterday})::int as new,
      count(*) filter (where not sent_to_salon and synced_at <= ${threeDaysAgo})::int as waiting from lancamentos`;
    expect(await total({ data_inicio: yesterday })).toBe(row?.new);
    expect(await total({ sent_to_salon: "false", data_fim: threeDaysAgo })).toBe(row?.waiting);
  });

  it("lists the best-selling store products, and sums what professionals took (R6)", async () => {
    const { data } = await ask<
      Rows<{ produto_nome: string | null; valor_total: number; quantidade_profissional: number }>
    >("/v1/relatorios/vendas-por-produto", { origem: "loja", limite: "5" });
    const taken = await ask<Rows<{ quantidade_profissional: number }>>("/v1/relatorios/vendas-por-produto", {
      limite: "200",
    });
    const [row] = await sql`select
        (select json_agg(total order by total desc) from (select round(sum(valor_total), 2)::float8 as total from vendas_produto
          where origem = 'loja' and valor_total between -1e15 and 1e15 and forma_pagamento is distinct from 'Descontar do Profissional'
          group by produto_id, produto_nome order by 1 desc limit 5) as best) as best,
        (select sum(quantidade)::float8 from vendas_produto where quantidade between -1e15 and 1e15 and forma_pagamento = 'Descontar do Profissional') as taken`;
    expect(data.map(({ valor_total }) => valor_total)).toEqual(row?.best);
    expect(taken.data.reduce((sum, one) => sum + one.quantidade_profissional, 0)).toBeCloseTo(row?.taken, 6);
  });

  it("finds the last success of each job, and counts today's failures (F1)", async () => {
    const { data } = await ask<Rows<{ job_name: string; ultimo_sucesso: string | null }>>("/v1/frescor");
    expect(data).toHaveLength(3);
    for (const { job_name, ultimo_sucesso } of data) {
      const [row] = await sql`select max(created_at) as last from jobs_log
        where job_name = ${job_name} and status = 'completed'`;
      expect(ultimo_sucesso && new Date(ultimo_sucesso)).toEqual(row?.last);
    }
    const today = `${daysFromNow(-3 / 24).slice(0, 10)}T00:00:00-03:00`;
    const { pagination } = await ask<{ pagination: { total: number } }>("/v1/jobs-log", {
      status: "failed",
      data_inicio: today,
    });
    const [row] = await sql`select count(*)::int as failed from jobs_log
      where status = 'failed' and created_at >= ${today}`;
    expect(pagination.total).toBe(row?.failed);
  });

  it("computes the average ticket of each of thirty days (R4)", async () => {
    const range = { data_inicio: daysFromNow(-30), data_fim: daysFromNow(0) };
    const { data } = await ask<Rows<{ inicio: string; total_transacoes: number; valor_total: number }>>(
      "/v1/relatorios/transacoes-por-periodo",
      { ...range, granularidade: "dia" },
    );
    expect(data.length).toBeGreaterThanOrEqual(30);
    const rows = await sql`select to_char(data_hora at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as inicio,
        round(sum(total) / count(*), 2)::float8 as ticket
      from transacoes where data_hora between ${range.data_inicio} and ${range.data_fim} group by 1 order by 1`;
    expect(
      data
        .filter((day) => day.total_transacoes > 0)
        .map(({ inicio, total_transacoes, valor_total }) => ({
          inicio,
          ticket: Math.round((valor_total / total_transacoes) * 100) / 100,
        })),
    ).toEqual(rows);
  });

  it("finds what is not mapped to the ERP, and the number of visits affected (R9)", async () => {
    const { profissionais, estabelecimentos } = await ask<{
      profissionais: { profissional_salon_id: string | null; total_transacoes: number }[];
      estabelecimentos: { salon_id: string }[];
    }>("/v1/relatorios/nao-mapeados");
    const units = await sql.query(`select salon_id from estabelecimentos
      where ativo and erp_centro_custo_id is null order by ${BY_NAME}, id`);
    expect(estabelecimentos.map(({ salon_id }) => ({ salon_id }))).toEqual(units);
    const [row] = await sql`select count(*)::int as visits from (
      select distinct t.id, s.value ->> 'idProfissionalQueRealizouServico', t.estabelecimento_id from transacoes t,
        jsonb_array_elements(servicos) as s
      where s ->> 'idProfissionalQueRealizouServico' is not null and not exists (
        select from profissionais p where p.salon_id = s ->> 'idProfissionalQueRealizouServico'
          and p.erp_centro_custo_id is not null)) as unmapped`;
    const named = profissionais.filter((one) => one.profissional_salon_id !== null);
    expect(named.reduce((sum, one) => sum + one.total_transacoes, 0)).toBe(row?.visits);
  });

  it("needs at most 24 requests and 300 kB, including sign-in and instructions", () => {
    const { cost } = session;
    expect(cost.requests).toBeGreaterThan(12);
    expect(cost.requests).toBeLessThanOrEqual(MAX_REQUESTS);
    expect(cost.bytes).toBeLessThanOrEqual(MAX_BYTES);
  });
});
