// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/worker/api.ts";
import { callTool } from "../../support/worker/mcp.ts";

const UNIT = "large ids";
/** Three ids that JavaScript numbers cannot tell apart. */
const IDS = ["9007199254740993", "9007199254740994", "9007199254740995"];
const LARGEST = "9223372036854775807";
const PAYMENTS = [...IDS, LARGEST];

beforeAll(async () => {
  const [{ last } = { last: "1" }] = await sql`select last_value::text as last from lancamentos_id_seq`;
  await sql`insert into pagamentos_erp (erp_id, situacao, id_centro_custo, raw_data)
    select id, 1, ${UNIT}, '{}' from unnest(${PAYMENTS}::bigint[]) as id`;
  await sql`insert into lancamentos (id, salon_id, estabelecimento_id, raw_data)
    select id, 'large ' || id, ${UNIT}, '{}' from unnest(${IDS}::bigint[]) as id`;
  await sql`insert into profissionais (id, nome) select id, 'Large ' || id from unnest(${IDS}::bigint[]) as id`;
  await sql`insert into estabelecimentos (id, nome) select id, 'Large ' || id from unnest(${IDS}::bigint[]) as id`;
  await sql`select setval('lancamentos_id_seq', ${IDS[2]}::bigint)`;
  return async () => {
    await sql`select setval('lancamentos_id_seq', ${last}::bigint)`;
  };
});

// Other tests read the highest ids.
afterAll(async () => {
  await sql`delete from pagamentos_erp where id_centro_custo = ${UNIT}`;
  await sql`delete from lancamentos where estabelecimento_id = ${UNIT}`;
  await sql`delete from profissionais where nome like 'Large %'`;
  await sql`delete from estabelecimentos where nome like 'Large %'`;
});

const textOf = async (path: string): Promise<string> => {
  const response = await get(path);
  expect(response.status, path).toBe(200);
  return response.text();
};

/** The value of a field as it is written: `JSON.parse` would round it. */
const digitsOf = (text: string, field: string) =>
  [...text.matchAll(new RegExp(`"${field}":(\\d+)`, "g"))].map(([, digits]) => digits);

describe("an id above 2^53", () => {
  it.each([
    ["/v1/pagamentos-erp", "findPagamentoErp", "erp_id", PAYMENTS],
    ["/v1/profissionais", "findProfissional", "id", IDS],
    ["/v1/estabelecimentos", "findEstabelecimento", "id", IDS],
  ])(
    "in the path of %s finds exactly its record, and so does the tool %s (I2)",
    async (path, tool, key, ids) => {
      for (const id of ids) {
        const text = await textOf(`${path}/${id}`);
        expect(digitsOf(text, key)).toEqual([id]);
        expect(await callTool(tool, { id })).toEqual({ text, isError: false });
      }
    },
  );

  it("that no record has is a 404 that shows every digit, up to 2^63 - 1 and beyond (I2)", async () => {
    for (const id of ["9007199254740992", "9223372036854775806", "9223372036854775808", "9".repeat(60)])
      for (const path of ["pagamentos-erp", "profissionais", "estabelecimentos"])
        await expectError(
          await get(`/v1/${path}/${id}`),
          404,
          "Not Found",
          new RegExp(`^No record that you may read has the id "${id}"\\.`),
        );
  });

  it("is a cursor with every digit, in JSON, CSV, links and tools (I2, L4, L5)", async () => {
    const list = `/v1/lancamentos?estabelecimento_id=${encodeURIComponent(UNIT)}&per_page=1`;
    let after = "9007199254740992";
    for (const [n, id] of IDS.entries()) {
      const response = await get(`${list}&after_id=${after}`);
      const text = await response.text();
      expect(digitsOf(text, "id")).toEqual([id]);
      expect(digitsOf(text, "next_after_id")).toEqual(n < 2 ? [id] : []);
      const link = response.headers.get("Link");
      if (n < 2) expect(link).toContain(`after_id=${id}>; rel="next"`);
      else expect(link).toBeNull();
      expect(await textOf(`${list}&after_id=${after}&formato=csv&campos=id`)).toBe(`id\r\n${id}\r\n`);
      const result = await callTool("listLancamentos", {
        estabelecimento_id: UNIT,
        after_id: after,
        per_page: 1,
      });
      expect(digitsOf(result.text, "id")).toEqual([id]);
      after = id;
    }
    for (const cursor of [IDS[2], LARGEST])
      for (const range of ["", "&data_inicio=2020-01-01T00:00:00Z"])
        expect(await read(`${list}&after_id=${cursor}${range}`)).toMatchObject({ data: [] });
  });

  it("may have leading zeros, as any integer may (I2)", async () => {
    const zeros = "0".repeat(30);
    expect(digitsOf(await textOf(`/v1/pagamentos-erp/${zeros}${LARGEST}`), "erp_id")).toEqual([LARGEST]);
    expect(await read(`/v1/lancamentos?after_id=${zeros}&per_page=${zeros}1`)).toMatchObject({
      pagination: { per_page: 1 },
    });
    expect((await get(`/v1/lancamentos?page=${zeros}9007199254740992`)).status).toBe(400);
  });

  it("is a cursor up to 2^63 - 1 (I2)", async () => {
    for (const path of ["lancamentos", "pagamentos-erp"])
      for (const cursor of ["9223372036854775808", "99999999999999999999"])
        await expectError(
          await get(`/v1/${path}?after_id=${cursor}`),
          400,
          "Bad Request",
          /^`after_id` must be an integer from 0 to 9223372036854775807, for example 0; got "9/,
        );
  });

  it("is named with every digit when a tool says how to continue after a record (I2, M4)", async () => {
    await sql`update lancamentos set raw_data = jsonb_build_object('text', repeat('x', 100000)) where id = ${IDS[0]}::bigint`;
    const { text, isError } = await callTool("listLancamentos", {
      estabelecimento_id: UNIT,
      after_id: "9007199254740992",
      per_page: 1,
      campos: "raw_data",
    });
    expect(isError).toBe(true);
    expect(text).toMatch(new RegExp(`To continue after it, send \`after_id\` ${IDS[0]}\\.$`));
  });

  it("as a number is an error of the tool, because JSON may have rounded it (I2, M2)", async () => {
    for (const name of ["findPagamentoErp", "findProfissional"])
      expect(await callTool(name, { id: 9007199254740992 })).toEqual({
        text: "`id` is a number that JSON may have rounded. Send it as a string.",
        isError: true,
      });
  });
});
