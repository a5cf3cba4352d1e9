// @module-tag server
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { expectError, get, read, sql } from "../support/worker/api.ts";

const LIST = "/v1/pagamentos-erp";

interface Page {
  data: Record<string, unknown>[];
  pagination: { total: number; total_pages: number; next_after_id: number | null; has_more: boolean };
}

const DATES = [null, null, "-infinity", "infinity", "0001-01-01", "2025-06-01", "2025-06-02", "2026-03-31"];
const AMOUNTS = [null, "NaN", "-1", "0", "0.01", "1500.49", "1500.50", "1500.50", "999999999999.99"];
/** Enough rows for pages that start and end among dated and undated ones. */
const ROWS = 90;

beforeAll(async () => {
  for (let i = 0; i < ROWS; i += 1) {
    const [due, paid, amount] = [DATES[i % 8], DATES[(i * 5 + 3) % 8], AMOUNTS[i % 9]];
    await sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, valor, data_vencimento, data_pagamento, raw_data)
      values (${95_000 + i}, ${`order ${i % 2}`}, ${1 + (i % 3 === 0 ? 1 : 0)}, ${i % 7 === 0 ? null : `order é ${i % 3}`}, ${amount}, ${due}, ${paid}, '{}')`;
  }
});
afterAll(() => sql`delete from pagamentos_erp where erp_id between 95000 and ${95_000 + ROWS}`);

interface Question {
  ordem?: "id" | "vencimento";
  data?: "vencimento" | "pagamento";
  valor_min?: string;
  data_inicio?: string;
  data_fim?: string;
  situacao?: "1" | "2";
  id_centro_custo?: string;
  nome_conta_classificacao?: string;
}

const question: fc.Arbitrary<Question> = fc.record(
  {
    ordem: fc.constantFrom("id", "vencimento"),
    data: fc.constantFrom("vencimento", "pagamento"),
    valor_min: fc.constantFrom("0", "0.01", "1500.5", "1500.50", "1500.51", "999999999999.99"),
    data_inicio: fc.constantFrom("1900-01-01T00:00:00Z", "2025-06-01T00:00:00-03:00", "2025-06-02T02:59:59Z"),
    data_fim: fc.constantFrom("2025-06-02T23:00:00-03:00", "2026-04-01T02:59:59Z", "2200-12-30T00:00:00Z"),
    situacao: fc.constantFrom("1", "2"),
    id_centro_custo: fc.constantFrom("order 0", "order 1", "7003"),
    nome_conta_classificacao: fc.constantFrom("order é 1", "order é 2".normalize("NFD"), "Aluguel"),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Question>;

const IN_BRASILIA = "at time zone 'America/Sao_Paulo'";

/** The ids that match, in order, by plain SQL. */
const expectedIds = async ({ ordem = "id", data = "vencimento", ...q }: Question): Promise<number[]> => {
  const date = `data_${data}`;
  const conditions: [string, unknown][] = [
    ["valor >= $::numeric and valor <> 'NaN'", q.valor_min],
    [`isfinite(${date}) and ${date} >= ($::timestamptz ${IN_BRASILIA})::date`, q.data_inicio],
    [`isfinite(${date}) and ${date} <= ($::timestamptz ${IN_BRASILIA})::date`, q.data_fim],
    ["situacao = $::smallint", q.situacao],
    ["id_centro_custo = $", q.id_centro_custo],
    ["nome_conta_classificacao = $", q.nome_conta_classificacao?.normalize("NFC")],
  ];
  const given = conditions.filter(([, value]) => value !== undefined);
  const where = given.map(([condition], i) => condition.replaceAll("$", `$${i + 1}`)).join(" and ") || "true";
  const order =
    ordem === "id"
      ? "id desc"
      : "case when isfinite(data_vencimento) then data_vencimento end nulls last, id";
  const rows = await sql.query(
    `select id::int from pagamentos_erp where ${where} order by ${order}`,
    given.map(([, value]) => value),
  );
  return rows.map(({ id }) => id);
};

const urlOf = (q: object) => `${LIST}?${new URLSearchParams(Object.entries(q) as [string, string][])}`;
const idsOf = ({ data }: Page) => data.map(({ id }) => id);

describe("GET /v1/pagamentos-erp with ordem, data and valor_min", () => {
  const runs = { numRuns: 60, seed: inject("fuzzSeed") };

  it("returns the pages and totals of an independent SQL query (L10, L3)", async () => {
    const property = fc.asyncProperty(
      question,
      fc.constantFrom(1, 7, 50, 200),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (q, per_page, place) => {
        const expected = await expectedIds(q);
        const last = Math.ceil(expected.length / per_page);
        for (const page of new Set([1, 2, 1 + Math.floor(place * last), last, last + 1])) {
          if (page < 1) continue;
          const shown = await read<Page>(urlOf({ ...q, per_page, page, campos: "id" }));
          expect(idsOf(shown)).toEqual(expected.slice((page - 1) * per_page, page * per_page));
          expect(shown.pagination).toEqual({ page, per_page, total: expected.length, total_pages: last });
        }
      },
    );
    await fc.assert(property, runs);
  });

  it("returns every match once by cursor, lowest id first (L10, L4)", async () => {
    const property = fc.asyncProperty(
      question,
      fc.constantFrom(40, 200),
      async ({ ordem: _, ...q }, per_page) => {
        const found: unknown[] = [];
        let after: number | null = 0;
        while (after !== null) {
          const page: Page = await read(urlOf({ ...q, per_page, after_id: after, campos: "id" }));
          found.push(...idsOf(page));
          after = page.pagination.next_after_id;
        }
        expect(found).toEqual((await expectedIds(q)).reverse());
      },
    );
    await fc.assert(property, runs);
  });

  it("has the rows of a page as CSV in the same order (L10, X1)", async () => {
    for (const q of [
      {},
      { valor_min: "1500.50" },
      { data: "pagamento", data_inicio: "2025-06-01T12:00:00Z" },
    ]) {
      const query = { ...q, ordem: "vencimento", page: 2, per_page: 30, campos: "id,data_vencimento" };
      const { data } = await read<Page>(urlOf(query));
      const lines = (await (await get(urlOf({ ...query, formato: "csv" }))).text()).trim().split("\r\n");
      expect(lines.slice(1)).toEqual(data.map((row) => `${row.id},${row.data_vencimento ?? ""}`));
    }
  });

  it("keeps them in the links to other pages (L10, L5)", async () => {
    const q = { ordem: "vencimento", data: "pagamento", valor_min: "0.01", per_page: 5 };
    const link = (await get(urlOf(q))).headers.get("Link") ?? "";
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(link) ?? [];
    const target = new URL(next, "https://api.test");
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ ...q, per_page: "5", page: "2" });
    expect(idsOf(await read(target.pathname + target.search))).toEqual(
      (await expectedIds({ ordem: "vencimento", data: "pagamento", valor_min: "0.01" })).slice(5, 10),
    );
  });

  it.each([
    ["order 0", "-infinity"],
    ["order 1", "infinity"],
  ])(
    "shows undated payments of %s last, by id, whether the date is null or %s (L10, L2, R21)",
    async (id_centro_custo, date) => {
      const all = await read<Page>(urlOf({ ordem: "vencimento", id_centro_custo, per_page: 200 }));
      const isDated = all.data.map(({ data_vencimento: due }) => due !== null && due !== date);
      expect(isDated).toContain(false);
      expect(isDated.lastIndexOf(true)).toBeLessThan(isDated.indexOf(false));
      const undated = all.data.slice(isDated.indexOf(false));
      expect(new Set(undated.map((one) => one.data_vencimento))).toEqual(new Set([null, date]));
      expect(undated).toEqual(undated.toSorted((a, b) => Number(a.id) - Number(b.id)));
    },
  );

  it.each([
    ["ordem=vencimento", {}],
    ["ordem=id", {}],
    ["ordem=id", { Prefer: "handling=strict" }],
  ])(
    "rejects %s together with after_id with a 400 that says what to do, with headers %j (L10)",
    async (order, headers) => {
      await expectError(
        await get(`${LIST}?after_id=0&${order}`, headers),
        400,
        "Bad Request",
        /^`ordem` must not be given together with `after_id`.* Omit one of them\.$/,
      );
    },
  );

  it.each(["", "-1", "1,50", "1.505", "1e3", "NaN", "1234567890123"])(
    "rejects valor_min=%s with a 400 that has an example (L10)",
    async (value) => {
      await expectError(
        await get(`${LIST}?valor_min=${value}`),
        400,
        "Bad Request",
        /^`valor_min` must be a number of at least 0 with a decimal point, .* for example 1500\.50; got /,
      );
    },
  );
});
