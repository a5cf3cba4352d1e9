// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { read, sql } from "../support/worker/api.ts";
import { insertEdgeCaseRows } from "../support/worker/edge-case-rows.ts";

const RANGES: [start: string | undefined, end: string | undefined][] = [
  [undefined, undefined],
  ["2026-01-01T00:00:00-03:00", "2026-12-31T23:59:59-03:00"],
  ["2025-03-10T13:37:00Z", "2025-11-02T09:15:00.5-05:00"],
  [undefined, "2025-06-30T23:59:59Z"],
  ["2038-01-01T00:00:00Z", undefined],
];
const UNITS = [undefined, "102", "105"];
const CASES = RANGES.flatMap(([start, end]) => UNITS.map((unit) => ({ start, end, unit })));

type Case = (typeof CASES)[number];

const path = (report: string, { start, end, unit }: Case) => {
  const query = new URLSearchParams();
  if (start) query.set("data_inicio", start);
  if (end) query.set("data_fim", end);
  if (unit) query.set("estabelecimento_id", unit);
  return `/v1/relatorios/${report}?${query}`;
};

const where = (column: string, { start, end, unit }: Case) =>
  [
    "true",
    start && `${column} >= timestamptz '${start}'`,
    end && `${column} <= timestamptz '${end}'`,
    unit && `t.estabelecimento_id = '${unit}'`,
  ]
    .filter(Boolean)
    .join(" and ");

beforeAll(insertEdgeCaseRows);

describe.each(CASES)("reports from $start to $end of unit $unit", (criteria) => {
  it("resumo equals a plain COUNT and SUM (R1)", async () => {
    const [visits] =
      await sql.query(`select count(*)::int as total, coalesce(sum(total), 0)::float8 as valor_total,
      count(*) filter (where sent_to_erp)::int as enviadas_erp, count(*) filter (where not sent_to_erp)::int as pendentes_erp
      from transacoes t where ${where("data_hora", criteria)}`);
    const [entries] = await sql.query(
      `select count(*)::int as total from lancamentos t where ${where("synced_at", criteria)}`,
    );
    const [jobs] = await sql.query(`select count(*) filter (where status = 'completed')::int as concluidos,
      count(*) filter (where status = 'failed')::int as falhados from jobs_log where created_at between now() - interval '24 hours' and now()`);
    expect(await read(path("resumo", criteria))).toEqual({
      transacoes: visits,
      lancamentos: entries,
      jobs_ultimas_24h: jobs,
    });
  });

  it("transacoes-por-forma-pagamento equals a plain GROUP BY (R3, V6)", async () => {
    const expected = await sql.query(`select form as forma_pagamento, count(*)::int as total_transacoes,
      sum(total)::float8 as valor_total, round(sum(total) / count(*), 2)::float8 as ticket_medio,
      (select f.taxa_cobrada_profissional::float8 from taxas_cartao f where f.forma_pagamento = form) as taxa_cobrada_profissional
      from (select *, left(forma_pagamento_principal, 200) as form from transacoes) as t where ${where("data_hora", criteria)} group by 1 order by sum(total) desc, 1`);
    expect(await read(path("transacoes-por-forma-pagamento", criteria))).toEqual({ data: expected });
  });

  it("transacoes-por-profissional equals a plain GROUP BY (R2)", async () => {
    const expected = await sql.query(`
      with took_part as (
        select distinct t.id, t.estabelecimento_id, t.total, nullif(s.item ->> 'idProfissionalQueRealizouServico', '') as pro
        from transacoes t, jsonb_array_elements(t.servicos) as s(item)
        where jsonb_typeof(t.servicos) = 'array' and ${where("data_hora", criteria)}
      ), everyone as (
        select * from took_part where pro is not null
        union all
        select t.id, t.estabelecimento_id, t.total, null from transacoes t
        where ${where("data_hora", criteria)} and not exists (select from took_part p where p.id = t.id and p.pro is not null)
      )
      select (select p.nome from profissionais p where p.salon_id = e.pro
          order by coalesce(p.salon_estabelecimento_id = e.estabelecimento_id, false) desc, p.ativo desc, p.id limit 1) as profissional,
        pro as profissional_salon_id, estabelecimento_id, count(*)::int as total_transacoes, sum(total)::float8 as valor_total
      from everyone e group by pro, estabelecimento_id order by sum(total) desc, estabelecimento_id, pro`);
    expect(await read(path("transacoes-por-profissional", criteria))).toEqual({ data: expected });
  });

  it("visitas by unit equals a plain GROUP BY (R20)", async () => {
    const measures = `count(*)::int as visitas, coalesce(sum(total), 0)::float8 as valor_total,
      round(sum(total) / nullif(count(*), 0), 2)::float8 as ticket_medio,
      count(*) filter (where sent_to_erp)::int as enviadas, count(*) filter (where not sent_to_erp)::int as pendentes,
      coalesce(sum(total) filter (where not sent_to_erp), 0)::float8 as valor_pendente,
      coalesce(round(sum(total * (select taxa_cobrada_profissional from taxas_cartao where forma_pagamento = left(forma_pagamento_principal, 200))), 2), 0)::float8 as taxas`;
    const data = await sql.query(`select estabelecimento_id,
        (select nome from estabelecimentos e where e.salon_id = estabelecimento_id) as unidade_nome, ${measures}
      from transacoes t where ${where("data_hora", criteria)} group by 1 order by sum(total) desc, 1`);
    const [totais] = await sql.query(
      `select ${measures} from transacoes t where ${where("data_hora", criteria)}`,
    );
    const question = "&por=unidade&ordem=-valor_total";
    expect(await read(`${path("visitas", criteria)}${question}`)).toEqual({
      data,
      linhas: data.length,
      totais,
    });
  });

  it("nao-mapeados equals the rows by professional without a cost centre and the active units without one (R9)", async () => {
    type Row = { profissional_salon_id: string | null; estabelecimento_id: string };
    const { data } = await read<{ data: Row[] }>(path("transacoes-por-profissional", criteria));
    const isMapped = async ({ profissional_salon_id, estabelecimento_id }: Row) => {
      const [professional] =
        await sql`select erp_centro_custo_id from profissionais p where salon_id = ${profissional_salon_id}
        order by coalesce(salon_estabelecimento_id = ${estabelecimento_id}, false) desc, ativo desc, id limit 1`;
      return (professional?.erp_centro_custo_id ?? null) !== null;
    };
    const mapped = await Promise.all(data.map(isMapped));
    const { data: units } = await read<{ data: { erp_centro_custo_id: unknown }[] }>(
      "/v1/estabelecimentos?ativo=true",
    );
    expect(await read(path("nao-mapeados", criteria))).toEqual({
      profissionais: data.filter((_, n) => !mapped[n]),
      estabelecimentos: units.filter((unit) => unit.erp_centro_custo_id === null),
    });
  });
});

describe("reports", () => {
  it("add decimals without the rounding errors of binary fractions (V1)", async () => {
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, raw_data)
      select 'cent ' || i, 'cents', 0.1, '1960-01-01T00:00:00Z', 'Pix', '{}' from generate_series(1, 3) i`;
    const report = await read<{ data: unknown[] }>(
      "/v1/relatorios/transacoes-por-forma-pagamento?estabelecimento_id=cents",
    );
    expect(report.data).toEqual([
      {
        forma_pagamento: "Pix",
        total_transacoes: 3,
        valor_total: 0.3,
        ticket_medio: 0.1,
        taxa_cobrada_profissional: null,
      },
    ]);
  });

  it("return zeros or no rows if nothing matches (R1–R3)", async () => {
    const resumo = await read<Record<string, unknown>>("/v1/relatorios/resumo?estabelecimento_id=nowhere");
    expect(resumo.transacoes).toEqual({ total: 0, valor_total: 0, enviadas_erp: 0, pendentes_erp: 0 });
    expect(await read("/v1/relatorios/transacoes-por-profissional?estabelecimento_id=nowhere")).toEqual({
      data: [],
    });
    expect(await read("/v1/relatorios/transacoes-por-forma-pagamento?estabelecimento_id=nowhere")).toEqual({
      data: [],
    });
  });

  it("count a visit of two professionals once, in full, for each of them, and a visit without a professional in a row with null (R2)", async () => {
    const visit = (
      id: string,
      services: string,
    ) => sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
      values (${id}, 'shared', 50, '1961-01-01T00:00:00Z', ${services}::jsonb, '{}')`;
    const by = (...ids: (number | null)[]) =>
      JSON.stringify(ids.map((id) => ({ idProfissionalQueRealizouServico: id })));
    await visit("shared 1", by(91, 92, 91));
    await visit("shared 2", by(91, null));
    await visit("shared 3", by(null));
    await visit("shared 4", "[]");
    const { data } = await read<{ data: Record<string, unknown>[] }>(
      "/v1/relatorios/transacoes-por-profissional?estabelecimento_id=shared",
    );
    expect(
      data.map(({ profissional_salon_id, total_transacoes, valor_total }) => [
        profissional_salon_id,
        total_transacoes,
        valor_total,
      ]),
    ).toEqual([
      ["91", 2, 100],
      [null, 2, 100],
      ["92", 1, 50],
    ]);
  });

  it("take a fee that is NaN for none (R3, R20)", async () => {
    await sql`insert into taxas_cartao (forma_pagamento, taxa_cobrada_profissional) values ('No fee', 'NaN')`;
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, raw_data)
      values ('no fee', 'no fee', 50, '1961-01-01T00:00:00Z', 'No fee', '{}')`;
    const rows = async (report: string) =>
      (await read<{ data: object[] }>(`/v1/relatorios/${report}estabelecimento_id=no+fee`)).data;
    try {
      expect(await rows("transacoes-por-forma-pagamento?")).toMatchObject([
        { taxa_cobrada_profissional: null },
      ]);
      expect(await rows("visitas?medidas=taxas&")).toEqual([{ taxas: 0 }]);
    } finally {
      await sql`delete from taxas_cartao where forma_pagamento = 'No fee'`;
      await sql`delete from transacoes where salon_id = 'no fee'`;
    }
  });
});
