// @module-tag server
import { describe, expect, it } from "vitest";
import { expectError, get, read } from "../../support/worker/api.ts";

const LIST = "/v1/pagamentos-erp";

interface Page {
  data: { id: number; data_vencimento: string | null }[];
}

const urlOf = (query: Record<string, string>) => `${LIST}?${new URLSearchParams(query)}`;

describe("GET /v1/pagamentos-erp with ordem, data and valor_min", () => {
  it.each<Record<string, string>>([
    {},
    { valor_min: "1500.50" },
    { data: "pagamento", data_inicio: "2025-06-01T12:00:00Z" },
  ])("has the rows of a page as CSV in the same order: %j (L10, X1)", async (given) => {
    const query = { ...given, ordem: "vencimento", page: "2", per_page: "10", campos: "id,data_vencimento" };
    const { data } = await read<Page>(urlOf(query));
    const lines = (await (await get(urlOf({ ...query, formato: "csv" }))).text()).trim().split("\r\n");
    expect(lines.slice(1)).toEqual(data.map((row) => `${row.id},${row.data_vencimento ?? ""}`));
    expect(data).toHaveLength(10);
  });

  it("keeps them in the links to other pages (L10, L5)", async () => {
    const query = { ordem: "vencimento", data: "pagamento", valor_min: "0.01" };
    const link = (await get(urlOf({ ...query, per_page: "5" }))).headers.get("Link") ?? "";
    const [, next = ""] = /<([^>]+)>; rel="next"/.exec(link) ?? [];
    const target = new URL(next, "https://api.test");
    expect(Object.fromEntries(target.searchParams)).toEqual({ ...query, per_page: "5", page: "2" });
    const { data } = await read<Page>(urlOf({ ...query, per_page: "10" }));
    expect((await read<Page>(target.pathname + target.search)).data).toEqual(data.slice(5));
  });

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
});
