// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { databaseRequests, expectError, get, mendDatabase, read, sql } from "../support/worker/api.ts";
import { callTool } from "../support/worker/mcp.ts";

interface Lancamento {
  id: number;
  salon_id: string;
  estabelecimento_id: string;
  raw_data: Record<string, unknown>;
  synced_at: string;
  sent_to_salon: boolean;
  sent_at: string | null;
}
interface Page {
  data: Lancamento[];
  pagination: { page: number; per_page: number; total: number; total_pages: number };
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
  await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at, sent_to_salon, sent_at)
    select 'ledger ' || i, ${UNIT}, jsonb_build_object('n', i), timestamptz '2025-03-01T00:00:00Z' + i * interval '1 day',
      i % 3 = 0, case when i % 3 = 0 then timestamptz '2025-06-01T12:34:56.789Z' end
    from generate_series(1, 10) i`;
  await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
    values ('nasty é/?#', 'nasty ledger', ${EDGE_CASE_JSON}::jsonb)`;
});

const numbers = (page: { data: Lancamento[] }) => page.data.map(({ raw_data }) => raw_data.n);

describe("GET /v1/lancamentos by page", () => {
  it("returns exactly the documented fields, highest id first (L1)", async () => {
    const page = await read<Page>(`${LIST}&per_page=2`);
    expect(numbers(page)).toEqual([10, 9]);
    expect(page.pagination).toEqual({ page: 1, per_page: 2, total: 10, total_pages: 5 });
    expect(page.data[1]).toEqual({
      id: expect.any(Number),
      salon_id: "ledger 9",
      estabelecimento_id: UNIT,
      raw_data: { n: 9 },
      synced_at: "2025-03-10T00:00:00+00:00",
      sent_to_salon: true,
      sent_at: "2025-06-01T12:34:56.789+00:00",
    });
    expect(page.data[0]?.sent_at).toBeNull();
  });

  it("returns 50 records per page by default", async () => {
    const page = await read<Page>("/v1/lancamentos");
    expect(page.data).toHaveLength(50);
    const [row] = await sql`select count(*)::int as n from lancamentos`;
    expect(page.pagination).toEqual({
      page: 1,
      per_page: 50,
      total: row?.n,
      total_pages: Math.ceil(row?.n / 50),
    });
  });

  it("returns each record once over all pages (L1)", async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((n) => read<Page>(`${LIST}&per_page=3&page=${n}`)));
    expect(pages.flatMap(numbers)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

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

  it.each([
    ["sent_to_salon=true", [9, 6, 3]],
    ["sent_to_salon=false", [10, 8, 7, 5, 4, 2, 1]],
    ["data_inicio=2025-03-09T00:00:00Z", [10, 9, 8]],
    ["data_fim=2025-03-03T00:00:00Z", [2, 1]],
    ["data_inicio=2025-03-03T00:00:00Z&data_fim=2025-03-03T00:00:00Z", [2]],
    ["data_inicio=2025-03-02T21:00:00-03:00&data_fim=2025-03-04T03:00:00%2B03:00", [3, 2]],
    ["data_inicio=2025-03-03T03:00:00+03:00&data_fim=2025-03-04T23:59:59.999999Z", [3, 2]],
    ["data_inicio=2025-03-03T00:00Z&data_fim=2025-03-04T00:00Z", [3, 2]],
    ["sent_to_salon=true&data_fim=2025-03-07T00:00:00Z", [6, 3]],
    // Digits beyond microseconds are cut.
    ["data_inicio=2025-03-03T00:00:00.0000009Z&data_fim=2025-03-04T00:00:00.000000999Z", [3, 2]],
    ["data_inicio=2025-03-02T23:59:59.9999999Z&data_fim=2025-03-02T23:59:59.999999999Z", []],
    ["data_inicio=2025-03-03t00:00:00z&data_fim=2025-03-04t00:00z", [3, 2]],
    ["data_inicio=2025-03-02T21:00-03&data_fim=2025-03-04T03:00:00%2B03", [3, 2]],
    ["data_inicio=2025-03-02T21:00:00-0300&data_fim=2025-03-04T03:00+0300", [3, 2]],
    ["data_inicio=2025-03-02T23:59:60Z&data_fim=2025-03-03T20:59:60.000000-03", [3, 2]],
  ])("filters by %s, with both ends of a range included (L2, I3)", async (filter, expected) => {
    const page = await read<Page>(`${LIST}&${filter}`);
    expect(numbers(page)).toEqual(expected);
    expect(page.pagination.total).toBe(expected.length);
  });
});

describe("GET /v1/lancamentos by cursor", () => {
  it("returns every id once, in ascending order, and ends (L4)", async () => {
    const seen: number[] = [];
    let after: number | null = 0;
    while (after !== null) {
      const page: CursorPage = await read(`/v1/lancamentos?after_id=${after}&per_page=33`);
      seen.push(...page.data.map(({ id }) => id));
      expect(page.pagination.has_more).toBe(page.pagination.next_after_id !== null);
      after = page.pagination.next_after_id;
    }
    const rows = await sql`select id::int from lancamentos order by id`;
    expect(seen).toEqual(rows.map(({ id }) => id));
  });

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

  it("returns an empty page without a next id after the last id (L4, L7)", async () => {
    expect(await read("/v1/lancamentos?after_id=9007199254740991")).toEqual({
      data: [],
      pagination: { per_page: 50, next_after_id: null, has_more: false },
    });
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

describe("GET /v1/lancamentos/{id}", () => {
  it("returns the entry with this salon_id", async () => {
    expect(await read("/v1/lancamentos/ledger%209")).toEqual(
      (await read<Page>(`${LIST}&per_page=2`)).data[1],
    );
  });

  it.each([
    "nothing",
    "LEDGER 9",
    "%00",
    "ledger%209%00",
    "'; drop table users; --",
    "x".repeat(65),
    "x".repeat(5000),
  ])("returns 404 and names the id for %s (I2)", async (id) => {
    await expectError(
      await get(`/v1/lancamentos/${id}`),
      404,
      "Not Found",
      /^No record that you may read has the id "/,
    );
  });
});

describe("GET /v1/lancamentos with invalid parameters", () => {
  const NUL = "%00";
  it.each([
    ...["page", "per_page", "after_id"].flatMap((name) =>
      [
        "",
        "%20",
        "-1",
        "1.0",
        "1e2",
        "0x10",
        "%2B1",
        "1,5",
        "x",
        "١",
        "1%20",
        "12345678901234567890",
        `1${NUL}`,
      ].map((value) => [name, value]),
    ),
    ...["page", "per_page"].flatMap((name) =>
      ["12345678901234567", "9007199254740992"].map((value) => [name, value]),
    ),
    ["after_id", "9223372036854775808"],
    ["page", "0"],
    ["per_page", "0"],
    ["per_page", "201"],
    ...["sent_to_salon"].flatMap((name) =>
      ["", "1", "TRUE", "yes", "null", `true${NUL}`].map((value) => [name, value]),
    ),
    ...["", "%20%20", "a%00b", "a%0Ab", "a%C2%85b", "x".repeat(65)].map((value) => [
      "estabelecimento_id",
      value,
    ]),
    ...["data_inicio", "data_fim"].flatMap((name) =>
      [
        "",
        "x",
        "2025-01-01",
        "2025-01-01T00:00:00",
        "2025-02-29T00:00:00Z",
        "2025-13-01T00:00:00Z",
        "2025-00-10T00:00:00Z",
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
        `2025-01-01T00:00:00Z${NUL}`,
      ].map((value) => [name, value]),
    ),
  ])("rejects %s=%s with 400 and names the parameter (I1–I4)", async (name, value) => {
    await expectError(
      await get(`/v1/lancamentos?${name}=${value}`),
      400,
      "Bad Request",
      new RegExp(`^\`${name}\` `),
    );
  });

  it.each(["page", "per_page", "after_id", "sent_to_salon", "estabelecimento_id", "data_inicio", "data_fim"])(
    "rejects %s given twice with 400 (I4)",
    async (name) => {
      const response = await get(`/v1/lancamentos?${name}=1&${name}=1`);
      await expectError(
        response,
        400,
        "Bad Request",
        new RegExp(`^\`${name}\` must be given once, not 2 times`),
      );
    },
  );

  it("rejects a range that ends before it begins with 400 (I3)", async () => {
    const path = "/v1/lancamentos?data_inicio=2025-01-02T00:00:00Z&data_fim=2025-01-01T23:59:59.999999Z";
    await expectError(
      await get(path),
      400,
      "Bad Request",
      /^`data_inicio` must not be later than `data_fim`/,
    );
  });

  it("shows a valid date-time when it rejects a bare date (I3)", async () => {
    const response = await get("/v1/lancamentos?data_inicio=2025-01-01");
    await expectError(
      response,
      400,
      "Bad Request",
      /for example 2026-11-01T00:00:00-03:00.*got "2025-01-01"/,
    );
  });

  it("ignores unknown parameters (I5)", async () => {
    await read("/v1/lancamentos?per_page=1&color=red");
  });
});

describe("a data request", () => {
  it.each([LIST, `${LIST}&after_id=0`, "/v1/lancamentos/ledger%209", "/v1/lancamentos/nothing"])(
    "to %s sends one database request",
    async (path) => {
      await get(path);
      await mendDatabase();
      await get(path);
      expect(await databaseRequests()).toBe(1);
    },
  );

  it("with invalid parameters or path ids sends no database request (I1)", async () => {
    await mendDatabase();
    await get("/v1/lancamentos?page=0");
    await get("/v1/lancamentos/%00");
    expect(await databaseRequests()).toBe(0);
  });
});
