import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../support/api.ts";
import { insertNastyRows } from "../support/nasty.ts";

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

beforeAll(insertNastyRows);

describe.each(CASES)("reports from $start to $end of unit $unit", (one) => {
  it("resumo is a plain count and sum (R1)", async () => {
    const [visits] =
      await sql.query(`select count(*)::int as total, coalesce(sum(total), 0)::float8 as valor_total,
      count(*) filter (where sent_to_erp)::int as enviadas_erp, count(*) filter (where not sent_to_erp)::int as pendentes_erp
      from transacoes t where ${where("data_hora", one)}`);
    const [entries] = await sql.query(
      `select count(*)::int as total from lancamentos t where ${where("synced_at", one)}`,
    );
    const [jobs] = await sql.query(`select count(*) filter (where status = 'completed')::int as concluidos,
      count(*) filter (where status = 'failed')::int as falhados from jobs_log where created_at between now() - interval '24 hours' and now()`);
    expect(await read(path("resumo", one))).toEqual({
      transacoes: visits,
      lancamentos: entries,
      jobs_ultimas_24h: jobs,
    });
  });

  it("transacoes-por-forma-pagamento is a plain GROUP BY (R3, V6)", async () => {
    const expected =
      await sql.query(`select forma_pagamento_principal as forma_pagamento, count(*)::int as total_transacoes,
      sum(total)::float8 as valor_total, round(sum(total) / count(*), 2)::float8 as ticket_medio,
      (select f.taxa_cobrada_profissional::float8 from taxas_cartao f where f.forma_pagamento = forma_pagamento_principal) as taxa_cobrada_profissional
      from transacoes t where ${where("data_hora", one)} group by 1 order by sum(total) desc, 1`);
    expect(await read(path("transacoes-por-forma-pagamento", one))).toEqual({ data: expected });
  });

  it("transacoes-por-profissional is a plain GROUP BY (R2)", async () => {
    const expected = await sql.query(`
      with took_part as (
        select distinct t.id, t.estabelecimento_id, t.total, nullif(s.item ->> 'idProfissionalQueRealizouServico', '') as pro
        from transacoes t, jsonb_array_elements(t.servicos) as s(item)
        where jsonb_typeof(t.servicos) = 'array' and ${where("data_hora", one)}
      ), everyone as (
        select * from took_part where pro is not null
        union all
        select t.id, t.estabelecimento_id, t.total, null from transacoes t
        where ${where("data_hora", one)} and not exists (select from took_part p where p.id = t.id and p.pro is not null)
      )
      select (select p.nome from profissionais p where p.salon_id = e.pro
          order by coalesce(p.salon_estabelecimento_id = e.estabelecimento_id, false) desc, p.ativo desc, p.id limit 1) as profissional,
        pro as profissional_salon_id, estabelecimento_id, count(*)::int as total_transacoes, sum(total)::float8 as valor_total
      from everyone e group by pro, estabelecimento_id order by sum(total) desc, estabelecimento_id, pro`);
    expect(await read(path("transacoes-por-profissional", one))).toEqual({ data: expected });
  });

  it("transacoes-por-estabelecimento is a plain GROUP BY (R5)", async () => {
    const expected = await sql.query(`select estabelecimento_id,
        (select nome from estabelecimentos e where e.salon_id = estabelecimento_id) as nome,
        count(*)::int as total_transacoes, sum(total)::float8 as valor_total,
        round(sum(total) / count(*), 2)::float8 as ticket_medio,
        count(*) filter (where sent_to_erp)::int as enviadas_erp, count(*) filter (where not sent_to_erp)::int as pendentes_erp,
        coalesce(sum(total) filter (where not sent_to_erp), 0)::float8 as valor_pendente
      from transacoes t where ${where("data_hora", one)} group by 1 order by sum(total) desc, 1`);
    expect(await read(path("transacoes-por-estabelecimento", one))).toEqual({ data: expected });
  });

  it("nao-mapeados is what of the report by professional has no cost centre, and the units without one (R9)", async () => {
    type Row = { profissional_salon_id: string | null; estabelecimento_id: string };
    const { data } = await read<{ data: Row[] }>(path("transacoes-por-profissional", one));
    const isMapped = async ({ profissional_salon_id, estabelecimento_id }: Row) => {
      const [found] =
        await sql`select erp_centro_custo_id from profissionais p where salon_id = ${profissional_salon_id}
        order by coalesce(salon_estabelecimento_id = ${estabelecimento_id}, false) desc, ativo desc, id limit 1`;
      return (found?.erp_centro_custo_id ?? null) !== null;
    };
    const mapped = await Promise.all(data.map(isMapped));
    const { data: units } = await read<{ data: { erp_centro_custo_id: unknown }[] }>(
      "/v1/estabelecimentos?ativo=true",
    );
    expect(await read(path("nao-mapeados", one))).toEqual({
      profissionais: data.filter((_, n) => !mapped[n]),
      estabelecimentos: units.filter((unit) => unit.erp_centro_custo_id === null),
    });
  });
});

describe("reports", () => {
  it("add up exactly where binary fractions would not (V1)", async () => {
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

  it("are empty, not wrong, where nothing matches", async () => {
    const resumo = await read<Record<string, unknown>>("/v1/relatorios/resumo?estabelecimento_id=nowhere");
    expect(resumo.transacoes).toEqual({ total: 0, valor_total: 0, enviadas_erp: 0, pendentes_erp: 0 });
    expect(await read("/v1/relatorios/transacoes-por-profissional?estabelecimento_id=nowhere")).toEqual({
      data: [],
    });
    expect(await read("/v1/relatorios/transacoes-por-forma-pagamento?estabelecimento_id=nowhere")).toEqual({
      data: [],
    });
  });

  it("a visit shared by two counts in full for both, once each; one without anybody for nobody (R2)", async () => {
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
});

describe("transacoes-por-periodo (R4)", () => {
  const ends = (start?: string, end?: string) =>
    `${start ? `&data_inicio=${start}` : ""}${end ? `&data_fim=${end}` : ""}`;
  const url = (granularidade: string, range = "", unit = "periods") =>
    `/v1/relatorios/transacoes-por-periodo?estabelecimento_id=${unit}&granularidade=${granularidade}${range}`;
  const periods = async (...of: Parameters<typeof url>) => {
    const { data } = await read<{ data: { inicio: string; total_transacoes: number }[] }>(url(...of));
    return data.map(({ inicio, total_transacoes }) => [inicio, total_transacoes]);
  };

  beforeAll(async () => {
    const visits = [
      ["2024-01-31T23:59:59.999999-03:00", 10, true],
      ["2024-02-01T00:00:00-03:00", 20, false],
      ["2024-02-03T10:00:00-03:00", 0.1, true],
      ["2024-02-03T14:00:00-03:00", 0.2, true],
      ["2024-04-01T00:00:00-03:00", 5, false],
      ["infinity", 1000, true],
      ["-infinity", 1000, true],
    ];
    for (const [n, [at, total, sent]] of visits.entries())
      await sql.query(
        `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, sent_to_erp, raw_data)
         values ($1, 'periods', $2, $3, $4, '{}')`,
        [`period ${n}`, total, at, sent],
      );
  });
  afterAll(() => sql`delete from transacoes where estabelecimento_id = 'periods'`);

  it("has every month from the first visit to the last, empty ones with zeros; visits without a finite date are in none", async () => {
    const { data } = await read<{ data: unknown[] }>(url("mes"));
    const empty = { total_transacoes: 0, valor_total: 0, enviadas_erp: 0, pendentes_erp: 0 };
    expect(data).toEqual([
      { inicio: "2024-01-01", total_transacoes: 1, valor_total: 10, enviadas_erp: 1, pendentes_erp: 0 },
      { inicio: "2024-02-01", total_transacoes: 3, valor_total: 20.3, enviadas_erp: 2, pendentes_erp: 1 },
      { inicio: "2024-03-01", ...empty },
      { inicio: "2024-04-01", total_transacoes: 1, valor_total: 5, enviadas_erp: 0, pendentes_erp: 1 },
    ]);
    expect(await read(url("mes").replace("&granularidade=mes", ""))).toEqual({ data });
  });

  it("has every day of the range, and counts of a day that is cut what lies in the range", async () => {
    expect(
      await periods("dia", ends("2024-01-31T10:00:00-03:00", "2024-02-03T13:59:59.999999-03:00")),
    ).toEqual([
      ["2024-01-31", 1],
      ["2024-02-01", 1],
      ["2024-02-02", 0],
      ["2024-02-03", 1],
    ]);
    expect(
      await periods("mes", ends("2024-02-01T00:00:00.000001-03:00", "2024-03-31T00:00:00-03:00")),
    ).toEqual([
      ["2024-02-01", 2],
      ["2024-03-01", 0],
    ]);
  });

  it("takes the end that is missing from the visits that match", async () => {
    expect(await periods("dia", ends("2024-03-30T12:00:00-03:00"))).toEqual([
      ["2024-03-30", 0],
      ["2024-03-31", 0],
      ["2024-04-01", 1],
    ]);
    expect(await periods("dia", ends(undefined, "2024-02-01T12:00:00-03:00"))).toEqual([
      ["2024-01-31", 1],
      ["2024-02-01", 1],
    ]);
  });

  it("without visits is empty where an end is missing, and zeros where both are given", async () => {
    for (const granularidade of ["dia", "mes"]) {
      expect(await periods(granularidade, "", "nowhere")).toEqual([]);
      // The last visit is of this very period, and before the range.
      expect(await periods(granularidade, ends("2024-04-01T00:00:00.000001-03:00"))).toEqual([]);
      expect(await periods(granularidade, ends("2024-06-01T00:00:00-03:00"))).toEqual([]);
      expect(await periods(granularidade, ends(undefined, "2024-01-31T23:59:59.999998-03:00"))).toEqual([]);
      expect(await periods(granularidade, ends(undefined, "2023-06-01T00:00:00-03:00"))).toEqual([]);
    }
    expect(await periods("mes", ends("2025-01-01T00:00:00Z", "2025-01-01T12:00:00Z"))).toEqual([
      ["2024-12-01", 0],
      ["2025-01-01", 0],
    ]);
  });

  it("has 1,100 periods at most, whether the range or the visits make more", async () => {
    const from = "2021-01-01T03:00:00Z";
    expect(await periods("dia", ends(from, "2024-01-06T02:59:59Z"))).toHaveLength(1100);
    const tooMany = /^`granularidade` must leave 1,100 periods at most: /;
    await expectError(await get(url("dia", ends(from, "2024-01-06T03:00:00Z"))), 400, "Bad Request", tooMany);
    await expectError(await get(url("dia", ends(from))), 400, "Bad Request", tooMany);
    await expectError(
      await get(url("mes", ends(undefined, "2115-10-01T00:00:00Z"))),
      400,
      "Bad Request",
      tooMany,
    );
    expect(await periods("mes", ends(undefined, "2115-09-01T00:00:00Z"))).toHaveLength(1100);
  });

  it.each(["day", "month"])("adds up every %s as a plain GROUP BY does", async (unit) => {
    const expected = await sql.query(
      `select date_trunc('${unit}', data_hora at time zone 'America/Sao_Paulo')::date::text as inicio, count(*)::int as total_transacoes,
         sum(total)::float8 as valor_total, count(*) filter (where sent_to_erp)::int as enviadas_erp,
         count(*) filter (where not sent_to_erp)::int as pendentes_erp
       from transacoes where estabelecimento_id = '102' and data_hora between '2025-06-10T15:00:00Z' and '2026-08-20T15:00:00Z'
       group by 1 order by 1`,
    );
    const granularidade = unit === "day" ? "dia" : "mes";
    const { data } = await read<{ data: { total_transacoes: number }[] }>(
      url(granularidade, ends("2025-06-10T15:00:00Z", "2026-08-20T15:00:00Z"), "102"),
    );
    expect(data.filter(({ total_transacoes }) => total_transacoes > 0)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(10);
  });
});
