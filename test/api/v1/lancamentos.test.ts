// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/worker/api.ts";
import { callTool } from "../../support/worker/mcp.ts";

interface Lancamento {
  id: number;
  raw_data: Record<string, unknown>;
}
interface CursorPage {
  data: Lancamento[];
  pagination: { per_page: number; next_after_id: number | null; has_more: boolean };
}

const UNIT = "ledger test";
const LIST = `/v1/lancamentos?estabelecimento_id=${encodeURIComponent(UNIT)}`;
const EDGE_CASE_JSON =
  '{"big": 12345678901234567890, "price": 1.10, "tiny": 1e-7, "text": "é\\u0001\\"\\\\ 💇", "deep": {"a": [null, true]}}';

beforeAll(async () => {
  await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, sent_to_salon)
    select 'ledger ' || i, ${UNIT}, jsonb_build_object('n', i), i % 3 = 0 from generate_series(1, 10) i`;
  await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
    values ('nasty é/?#', 'nasty ledger', ${EDGE_CASE_JSON}::jsonb)`;
});
afterAll(async () => {
  await sql`delete from lancamentos where estabelecimento_id in (${UNIT}, 'nasty ledger')`;
});

const numbers = (page: { data: Lancamento[] }) => page.data.map(({ raw_data }) => raw_data.n);

describe("GET /v1/lancamentos by page", () => {
  it("returns no records and the true totals past the last page (L3)", async () => {
    expect(await read(`${LIST}&page=9000000000000000`)).toEqual({
      data: [],
      pagination: { page: 9000000000000000, per_page: 50, total: 10, total_pages: 1 },
    });
    expect(await read("/v1/lancamentos?estabelecimento_id=nowhere")).toEqual({
      data: [],
      pagination: { page: 1, per_page: 50, total: 0, total_pages: 0 },
    });
  });

  it("links the next, previous, first and last page (L5)", async () => {
    const link = async (page: number) => (await get(`${LIST}&per_page=4&page=${page}`)).headers.get("Link");
    const url = (page: number) => `</v1/lancamentos?estabelecimento_id=ledger+test&per_page=4&page=${page}>`;
    expect(await link(1)).toBe(`${url(2)}; rel="next", ${url(1)}; rel="first", ${url(3)}; rel="last"`);
    expect(await link(2)).toBe(
      `${url(3)}; rel="next", ${url(1)}; rel="prev", ${url(1)}; rel="first", ${url(3)}; rel="last"`,
    );
    expect(await link(9)).toBe(`${url(3)}; rel="prev", ${url(1)}; rel="first", ${url(3)}; rel="last"`);
  });
});

describe("GET /v1/lancamentos by cursor", () => {
  it("sets has_more to false on a last page that is exactly full, and ignores page (L4)", async () => {
    const first = await read<CursorPage>(`${LIST}&after_id=0&per_page=5&page=7`);
    expect(numbers(first)).toEqual([1, 2, 3, 4, 5]);
    expect(first.pagination).toEqual({ per_page: 5, next_after_id: first.data[4]?.id, has_more: true });
    const last = await read<CursorPage>(`${LIST}&after_id=${first.pagination.next_after_id}&per_page=5`);
    expect(numbers(last)).toEqual([6, 7, 8, 9, 10]);
    expect(last.pagination).toEqual({ per_page: 5, next_after_id: null, has_more: false });
  });

  it("applies the filters, links the next page and returns no totals (L4, L5)", async () => {
    const response = await get(`${LIST}&sent_to_salon=true&after_id=0&per_page=2`);
    const page = await response.json<CursorPage>();
    expect(numbers(page)).toEqual([3, 6]);
    expect(Object.keys(page.pagination)).toEqual(["per_page", "next_after_id", "has_more"]);
    expect(response.headers.get("Link")).toBe(
      `</v1/lancamentos?estabelecimento_id=ledger+test&sent_to_salon=true&after_id=${page.pagination.next_after_id}&per_page=2>; rel="next"`,
    );
  });
});

describe("raw_data", () => {
  it("keeps the digits stored in Postgres, in the list and in the single entry (V2)", async () => {
    for (const path of [
      "/v1/lancamentos?estabelecimento_id=nasty%20ledger",
      "/v1/lancamentos/nasty%20%C3%A9%2F%3F%23",
    ]) {
      const body = await (await get(path)).text();
      expect(body).toMatch(/"big": 12345678901234567890\b/);
      expect(body).toMatch(/"price": 1\.10\b/);
      expect(body).toMatch(/"tiny": 0\.0000001\b/);
      expect(JSON.stringify(JSON.parse(body))).toContain('é\\u0001\\"\\\\ 💇');
    }
  });

  it.each(["[]", "[1.10, null]", '"text"', "1.10", "true", "null"])(
    "of %s passes through unchanged, in lists, records, CSV and tools (V2)",
    async (stored) => {
      await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('odd', 'odd', ${stored}::jsonb)`;
      const list = "/v1/lancamentos?estabelecimento_id=odd&campos=raw_data";
      for (const path of [list, "/v1/lancamentos/odd?campos=raw_data"])
        expect(await (await get(path)).text()).toContain(`{"raw_data":${stored}}`);
      const csv = await (await get(`${list}&formato=csv`)).text();
      const cell = stored === "null" ? "" : stored.replaceAll('"', "");
      expect(csv.replaceAll('"', "")).toBe(`raw_data\r\n${cell}\r\n`);
      const args = { estabelecimento_id: "odd", campos: "raw_data" };
      expect((await callTool("listLancamentos", args)).text).toContain(`{"raw_data":${stored}}`);
      await sql`delete from lancamentos where salon_id = 'odd'`;
    },
  );

  it("changes the ETag even if only the digits of a number change (V2, E6)", async () => {
    const storePrice = async (price: string) => {
      await sql.query(
        `insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('tagged', 'tagged', '{"price": ${price}}')
         on conflict (salon_id) do update set raw_data = excluded.raw_data`,
      );
      return ["/v1/lancamentos/tagged", "/v1/lancamentos?estabelecimento_id=tagged"];
    };
    const readEtags = async (urls: string[]) => {
      const answers = await Promise.all(urls.map((url) => get(url)));
      return answers.map((answer) => answer.headers.get("ETag") ?? "");
    };
    const before = await readEtags(await storePrice("1.10"));
    expect(await readEtags(await storePrice("1.10"))).toEqual(before);
    for (const [n, tag] of (await readEtags(await storePrice("1.1"))).entries())
      expect(tag).not.toBe(before[n]);
    await sql.query("delete from lancamentos where salon_id = 'tagged'");
  });
});

describe("GET /v1/lancamentos with an invalid range", () => {
  // test/platform/http/every-route.test.ts sends other invalid date-times.
  it.each([
    "2025-01-01T24:00:00Z",
    "2025-01-01T00:60:00Z",
    "2025-01-01T23:59:61Z",
    "2025-01-32T23:59:60Z",
    "2025-01-01T00:00:00-14:01",
    "2025-01-01T00:00:00-23:59",
    "2025-01-01T00:00:00-03:60",
    "2025-01-01T00:00:00-3",
    "2025-01-01T00:00:00-300",
    "2025-01-01T00:00:00-03:0",
    "2025-01-01T00:00:00-15",
    "2025-01-01T00:00:00-1401",
    "2025-01-01T00:00:00.0000000001Z",
    "2025-01-01T00:00:00,5Z",
    "2025-01-01T00:00:00y",
    "2025-01-01 00:00:00Z",
    "1899-12-31T00:00:00Z",
    "2201-01-01T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "20250101T000000Z",
    "1735689600",
    "2025-01-01T00:00:00.Z",
    "now",
    "infinity",
    "2025-01-01T00:00:00Z%00",
  ])("rejects data_inicio=%s with 400 (I3)", async (value) => {
    await expectError(
      await get(`${LIST}&data_inicio=${value}`),
      400,
      "Bad Request",
      /^`data_inicio` must be /,
    );
  });

  it("rejects a range that ends before it begins with 400 (I3)", async () => {
    const path = "/v1/lancamentos?data_inicio=2025-01-02T00:00:00Z&data_fim=2025-01-01T23:59:59.999999Z";
    await expectError(
      await get(path),
      400,
      "Bad Request",
      /^`data_inicio` must not be later than `data_fim`/,
    );
  });
});
