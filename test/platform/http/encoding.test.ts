// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { operationsOf } from "../../support/document.ts";
import {
  databaseRequests,
  expectError,
  get,
  mendDatabase,
  read,
  readDocument,
  send,
  sql,
} from "../../support/worker/api.ts";
import { callTool } from "../../support/worker/mcp.ts";

const STRICT = { Prefer: "handling=strict" };

/** Texts that are not percent-encoded UTF-8. */
const MALFORMED: [what: string, text: string][] = [
  ["an é in Latin-1", "Caf%E9"],
  ["a lone %", "%"],
  ["a % after text", "100%"],
  ["one hex digit", "%4"],
  ["a letter that is no hex digit", "%4G"],
  ["an incomplete sequence", "%C3"],
  ["a sequence that ends early", "%E2%82x"],
  ["an overlong slash", "%C0%AF"],
  ["a surrogate", "%ED%A0%80"],
  ["a code point above U+10FFFF", "%F4%90%80%80"],
  ["the BOM of UTF-16", "%FF%FE"],
];

beforeAll(async () => {
  await sql`insert into produtos (salon_id, estabelecimento_id, nome, raw_data)
    values ('encoded', 'encoding', 'Caf%E9 100% é', '{}')`;
  await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('50% é', 'encoding', '{}')`;
  // The sign-in runs statements, too.
  await get("/health");
  return async () => {
    await sql`delete from produtos where estabelecimento_id = 'encoding'`;
    await sql`delete from lancamentos where estabelecimento_id = 'encoding'`;
  };
});

describe("a query that is not percent-encoded UTF-8", () => {
  it.each(MALFORMED)("with %s is a 400 that names the parameter (I1)", async (_, value) => {
    await mendDatabase();
    for (const query of [`nome=${value}`, `formato=csv&nome=${value}&page=1`, `page=1&nome=x&nome=${value}`])
      for (const headers of [{}, STRICT])
        await expectError(
          await get(`/v1/produtos?${query}`, headers),
          400,
          "Bad Request",
          /^`nome` is not percent-encoded UTF-8\. Encode its value as UTF-8, and write a literal `%` as `%25`\.$/,
        );
    expect(await databaseRequests()).toBe(0);
  });

  it("is a 400 on every route that takes a token, also for an unknown parameter (I1)", async () => {
    const routes = operationsOf(await readDocument()).filter(
      ({ method, operation }) => method === "GET" && operation.security?.length,
    );
    expect(routes.length).toBeGreaterThan(30);
    for (const { path } of routes)
      await expectError(
        await get(`${path.replace(/\{\w+\}/, "1")}?color=%E9`),
        400,
        "Bad Request",
        /^`color` is not percent-encoded UTF-8/,
      );
  });

  it("names a malformed name as it was written, and never more than 64 characters of it (I1)", async () => {
    await expectError(await get("/v1/produtos?n%E9=1"), 400, "Bad Request", /^`n%E9` is not/);
    await expectError(await get("/v1/produtos?%"), 400, "Bad Request", /^`%` is not/);
    await expectError(await get("/v1/produtos?nome=x&=%"), 400, "Bad Request", /^`=%` is not/);
    await expectError(
      await get(`/v1/produtos?${"x".repeat(200)}=%`),
      400,
      "Bad Request",
      /^`x{64}` is not percent-encoded/,
    );
    await expectError(await get("/v1/produtos?a%0Ab=%"), 400, "Bad Request", /^`a%0Ab` is not/);
  });

  it("comes after the token and the rights, and has Preference-Applied (I1, A3, A11, I5)", async () => {
    await expectError(await send("/v1/produtos?nome=%"), 401, "Unauthorized", /access token is missing/);
    const strict = await get("/v1/produtos?nome=%&color=x", STRICT);
    expect([strict.status, strict.headers.get("Preference-Applied")]).toEqual([400, "handling=strict"]);
  });

  it("of an assistant's sign-in is a 400: a changed state would go back to the client (I1, A14)", async () => {
    await expectError(
      await send("/oauth/authorize?client_id=x&redirect_uri=y&state=%E9"),
      400,
      "Bad Request",
      /^`state` is not percent-encoded UTF-8/,
    );
  });
});

describe("percent-encoded UTF-8", () => {
  it.each(["Caf%25E9", "100%25", "%C3%A9", "%63af%25", "caf%25e9+100"])(
    "in a query is the text that it encodes: %s (I1)",
    async (nome) => {
      const page = await read<{ data: { salon_id: string }[] }>(
        `/v1/produtos?estabelecimento_id=encoding&nome=${nome}`,
      );
      expect(page.data.map(({ salon_id }) => salon_id)).toEqual(["encoded"]);
    },
  );

  it("in a path is the id that it encodes (I1)", async () => {
    expect(await read("/v1/lancamentos/50%25%20%C3%A9")).toMatchObject({ salon_id: "50% é" });
  });

  it("is not decoded in an argument of a tool (I1)", async () => {
    const { text } = await callTool("listProdutos", { estabelecimento_id: "encoding", nome: "Caf%E9 100%" });
    expect(JSON.parse(text).data).toMatchObject([{ salon_id: "encoded" }]);
    expect((await callTool("findLancamento", { id: "50% é" })).isError).toBe(false);
  });
});

describe("a path that is not percent-encoded UTF-8", () => {
  it.each([...MALFORMED, ["a stored id with a bare %", "50%%20%C3%A9"]])(
    "with %s is a 404 without a statement (I1)",
    async (_, id) => {
      await mendDatabase();
      for (const list of ["transacoes", "lancamentos", "pagamentos-erp", "profissionais", "estabelecimentos"])
        await expectError(
          await get(`/v1/${list}/${id}`),
          404,
          "Not Found",
          /^The path is not percent-encoded UTF-8\. Encode the id in the path as UTF-8, and write a literal `%` as `%25`\.$/,
        );
      expect(await databaseRequests()).toBe(0);
      await expectError(await get(`/v1/${id}`), 404, "Not Found", /^This path does not exist/);
      await expectError(await send(`/v1/lancamentos/${id}`), 401, "Unauthorized", /access token is missing/);
    },
  );
});
