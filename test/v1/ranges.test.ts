// @module-tag server
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { read, sql } from "../support/worker/api.ts";

/**
 * Instants at which days, months or years end. Brasília had summer time until 2019: one day of 2018 began at
 * 01:00, another had 25 hours.
 */
const EDGES = [
  "2018-02-18T01:59:59.999999Z",
  "2018-02-18T02:30:00.000000Z",
  "2018-02-18T03:00:00.000000Z",
  "2018-11-04T02:59:59.999999Z",
  "2018-11-04T03:00:00.000000Z",
  "2024-02-29T02:59:59.999999Z",
  "2024-02-29T03:00:00.000000Z",
  "2024-03-01T02:59:59.999999Z",
  "2024-03-01T03:00:00.000000Z",
  "2024-03-15T15:00:00.000000Z",
  "2024-03-16T14:59:59.999999Z",
  "2024-12-31T23:59:59.000000Z",
  "2025-01-01T02:59:59.999999Z",
  "2025-01-01T03:00:00.000000Z",
  "2025-01-31T12:00:00.000000Z",
  "2038-01-19T03:14:07.000000Z",
  "2038-01-19T03:14:08.000000Z",
  "2100-02-28T23:30:00.000000Z",
  "2100-03-01T03:00:00.000000Z",
  "2200-12-31T12:00:00.000000Z",
];
const UNIT = "range";

beforeAll(async () => {
  // Each edge, one microsecond before and after it, and some instants around it.
  const moments = `select e::timestamptz + d as at, row_number() over () as n from unnest($1::text[]) e,
    unnest(array[interval '-1 microsecond', '0', '1 microsecond', '-11 hours', '13 hours', '17 days']) d`;
  await sql.query(
    `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, servicos, sent_to_erp, raw_data)
     select 'range-' || n, '${UNIT}', n + 0.01, at, (array['Pix', null])[1 + n % 2],
       jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', 5001 + n % 3)), n % 3 = 0, '{}' from (${moments}) m`,
    [EDGES],
  );
  await sql.query(
    `insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
     select 'range-' || n, '${UNIT}', '{}', at from (${moments}) m order by random()`,
    [EDGES],
  );
  await sql.query(
    `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora)
     select 'loja', 'range-' || n, '${UNIT}', at from (${moments}) m
     union all select 'loja', 'range-undated', '${UNIT}', null from generate_series(1, 5)`,
    [EDGES],
  );
  await sql.query(
    `insert into pagamentos_erp (erp_id, situacao, id_centro_custo, data_vencimento, raw_data)
     select 7000000 + n, 1 + n % 2, '${UNIT}', case when n % 9 > 0 then (at at time zone 'America/Sao_Paulo')::date end, '{}' from (${moments}) m`,
    [EDGES],
  );
});

afterAll(async () => {
  for (const table of ["transacoes", "lancamentos", "vendas_produto"])
    await sql.query(`delete from ${table} where estabelecimento_id = '${UNIT}'`);
  await sql.query(`delete from pagamentos_erp where id_centro_custo = '${UNIT}'`);
});

const instant = fc
  .tuple(fc.constantFrom(...EDGES), fc.constantFrom(0, 0, -1, 1, -43_200, 43_199, 86_400 * 16))
  .map(([edge, seconds]) => {
    const moved = new Date(Date.parse(edge) + seconds * 1000);
    // A Date has no microseconds: keep those of the edge.
    return `${moved.toISOString().slice(0, 19)}${edge.slice(19)}`;
  })
  .filter((text) => Number(text.slice(0, 4)) <= 2200);

const range = fc
  .tuple(fc.option(instant, { nil: undefined }), fc.option(instant, { nil: undefined }))
  .map(([a, b]) => (a !== undefined && b !== undefined && a > b ? [b, a] : [a, b]) as [string?, string?]);

/** The condition of a range on the rows, independent of the service's SQL. */
const where = (column: string, [from, to]: [string?, string?]) =>
  [from && `${column} >= '${from}'::timestamptz`, to && `${column} <= '${to}'::timestamptz`]
    .filter(Boolean)
    .map((condition) => ` and ${condition}`)
    .join("");
const whereDates = ([from, to]: [string?, string?]) =>
  [
    from && `data_vencimento >= ('${from}'::timestamptz at time zone 'America/Sao_Paulo')::date`,
    to && `data_vencimento <= ('${to}'::timestamptz at time zone 'America/Sao_Paulo')::date`,
  ]
    .filter(Boolean)
    .map((condition) => ` and ${condition}`)
    .join("");
const query = ([from, to]: [string?, string?]) =>
  [from && `&data_inicio=${from}`, to && `&data_fim=${to}`].filter(Boolean).join("");

interface Page {
  data: Record<string, unknown>[];
  pagination: { total: number; has_more: boolean };
}

describe("a range that cuts days, months and years", () => {
  it("selects exactly the rows between its ends, on every kind of page and in totals (L1–L4)", async () => {
    const property = fc.asyncProperty(range, fc.integer({ min: 1, max: 60 }), async (ends, perPage) => {
      for (const [path, table, key, condition, order] of [
        ["transacoes", "transacoes", "salon_id", where("data_hora", ends), "data_hora desc, id desc"],
        ["lancamentos", "lancamentos", "salon_id", where("synced_at", ends), "id desc"],
        [
          "vendas-produto",
          "vendas_produto",
          "transacao_id",
          where("data_hora", ends),
          "data_hora desc nulls last, id desc",
        ],
        ["pagamentos-erp", "pagamentos_erp", "erp_id", whereDates(ends), "id desc"],
      ] as const) {
        const filter = path === "pagamentos-erp" ? "id_centro_custo" : "estabelecimento_id";
        const rows = await sql.query(
          `select ${key} as key from ${table} where ${filter} = '${UNIT}'${condition} order by ${order}`,
        );
        const keys = rows.map((row) => row.key);
        const pages = Math.ceil(keys.length / perPage);
        const page = Math.max(1, Math.ceil(pages / 2));
        const body = await read<Page>(
          `/v1/${path}?${filter}=${UNIT}&per_page=${perPage}&page=${page}${query(ends)}`,
        );
        expect(body.pagination.total, `${path} ${ends}`).toBe(keys.length);
        const shown = keys.slice((page - 1) * perPage, page * perPage);
        expect(
          body.data.map((row) => String(row[key])),
          `${path} ${ends} page ${page}`,
        ).toEqual(shown.map(String));
        if (path === "lancamentos" || path === "pagamentos-erp") {
          const cursor = await read<Page>(
            `/v1/${path}?${filter}=${UNIT}&per_page=${perPage}&after_id=0${query(ends)}`,
          );
          const first = [...keys].reverse().slice(0, perPage).map(String);
          expect(
            cursor.data.map((row) => String(row[key])),
            `${path} ${ends} by cursor`,
          ).toEqual(first);
          expect(cursor.pagination.has_more).toBe(keys.length > perPage);
        }
      }
    });
    await fc.assert(property, { numRuns: inject("isServer") ? 150 : 60, seed: inject("fuzzSeed") });
  });

  it("selects exactly the rows between its ends in every sum of a report (R1–R3, R20)", async () => {
    const property = fc.asyncProperty(range, async (ends) => {
      const visits = `from transacoes where estabelecimento_id = '${UNIT}'${where("data_hora", ends)}`;
      const path = (report: string) => `/v1/relatorios/${report}?estabelecimento_id=${UNIT}${query(ends)}`;
      const [expected] = await sql.query(
        `select count(*)::int as total, coalesce(sum(total), 0)::float8 as valor_total,
           count(*) filter (where sent_to_erp)::int as enviadas_erp, count(*) filter (where not sent_to_erp)::int as pendentes_erp ${visits}`,
      );
      const resumo = await read<{ transacoes: unknown; lancamentos: unknown }>(path("resumo"));
      expect(resumo.transacoes, String(ends)).toEqual(expected);
      const [entries] = await sql.query(
        `select count(*)::int as total from lancamentos where estabelecimento_id = '${UNIT}'${where("synced_at", ends)}`,
      );
      expect(resumo.lancamentos, String(ends)).toEqual(entries);
      const [unit] = await sql.query(
        `select count(*)::int as visitas, coalesce(sum(total) filter (where not sent_to_erp), 0)::float8 as valor_pendente ${visits}`,
      );
      const { data: units } = await read<{ data: Record<string, unknown>[] }>(
        `${path("visitas")}&por=unidade`,
      );
      if (unit?.visitas === 0) expect(units, String(ends)).toEqual([]);
      else expect(units, String(ends)).toMatchObject([unit]);
      if (ends[0] && ends[1]) {
        const [{ few } = {}] = await sql.query(
          `select count(*) <= 1100 as few from generate_series(date_trunc('month', timestamptz '${ends[0]}' at time zone 'America/Sao_Paulo'),
             timestamptz '${ends[1]}' at time zone 'America/Sao_Paulo', interval '1 month')`,
        );
        const months = await sql.query(
          `select to_char(data_hora at time zone 'America/Sao_Paulo', 'YYYY-MM-01') as mes, count(*)::int as n, sum(total)::float8 as total
           ${visits} group by 1 order by 1`,
        );
        if (few) {
          const { data } = await read<{ data: Record<string, unknown>[] }>(`${path("visitas")}&por=mes`);
          expect(
            data
              .filter(({ visitas }) => visitas !== 0)
              .map((row) => ({ mes: row.mes, n: row.visitas, total: row.valor_total })),
            `months ${ends}`,
          ).toEqual(months);
        }
      }
      for (const [report, key, name] of [
        ["transacoes-por-forma-pagamento", "forma_pagamento_principal", "forma_pagamento"],
        [
          "transacoes-por-profissional",
          "servicos -> 0 ->> 'idProfissionalQueRealizouServico'",
          "profissional_salon_id",
        ],
      ] as const) {
        const groups = await sql.query(
          `select ${key} as key, count(*)::int as n, sum(total)::float8 as total ${visits} group by 1 order by 3 desc`,
        );
        const { data } = await read<{ data: Record<string, unknown>[] }>(path(report));
        expect(
          data.map((row) => ({ key: row[name], n: row.total_transacoes, total: row.valor_total })),
          `${report} ${ends}`,
        ).toEqual(groups);
      }
    });
    await fc.assert(property, { numRuns: inject("isServer") ? 150 : 60, seed: inject("fuzzSeed") });
  });
});
