// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BY_NAME } from "../../support/by-name.ts";
import { get, read, sql } from "../../support/worker/api.ts";

interface Page {
  data: Record<string, unknown>[];
  pagination: { total: number; total_pages: number };
}

// The lists with pages are in test/oracle.
describe("GET /v1/estabelecimentos", () => {
  it.each([
    ["", "true"],
    ["?ativo=true", "ativo"],
    ["?ativo=false", "not ativo"],
    ["?salon_id=103", "salon_id = '103'"],
    ["?salon_id=103&ativo=false", "false"],
    ["?salon_id=o%27ne", "false"],
  ])(
    "returns all units by name, without pagination, for the query '%s' (L1, L9)",
    async (query, condition) => {
      const body = await read<{ data: { id: number }[] }>(`/v1/estabelecimentos${query}`);
      const rows = await sql.query(
        `select id::int from estabelecimentos where ${condition} order by ${BY_NAME}, id`,
      );
      expect(Object.keys(body)).toEqual(["data"]);
      expect(body.data.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    },
  );
});

describe("lists by name", () => {
  const LONG = "ç".repeat(70);
  /** Equal letters are in the order of the stored text: here of the bytes. */
  const NAMES = [
    ...[
      " 1",
      "!",
      "Álamo".normalize("NFD"),
      "alamo",
      "Álamo",
      "Alba",
      LONG,
      `${LONG}A`,
      `${LONG}áb`,
      `${LONG}B`,
    ],
    ...["Cedro", "Éden".normalize("NFD"), "Éden 2", "zebra", "Zélia", "Æ", "æ b", "\u{1f487}"],
  ];
  beforeAll(async () => {
    for (const nome of NAMES.toReversed()) {
      await sql`insert into produtos (salon_id, estabelecimento_id, nome, raw_data) values (${`by-name ${nome}`}, 'by-name', ${nome}, '{}')`;
      await sql`insert into profissionais (nome, salon_estabelecimento_id) values (${nome}, 'by-name')`;
      await sql`insert into estabelecimentos (nome, salon_id) values (${nome}, ${`by-name ${nome}`})`;
    }
    await sql`insert into produtos (salon_id, estabelecimento_id, raw_data) values ('by-name', 'by-name', '{}')`;
  });
  afterAll(async () => {
    await sql`delete from produtos where estabelecimento_id = 'by-name'`;
    await sql`delete from profissionais where salon_estabelecimento_id = 'by-name'`;
    await sql`delete from estabelecimentos where salon_id like 'by-name%'`;
  });

  it.each([
    ["/v1/produtos?estabelecimento_id=by-name&per_page=7", [...NAMES, null]],
    ["/v1/profissionais?estabelecimento_id=by-name&per_page=7", NAMES],
    ["/v1/estabelecimentos?x=y", NAMES],
    ["/v1/relatorios/nao-mapeados?x=y", NAMES],
  ])("sorts %s by letters without case and accents (L1, R9)", async (path, expected) => {
    const names: unknown[] = [];
    for (let page = 1; page <= (path.includes("per_page") ? 3 : 1); page += 1) {
      const { data, estabelecimentos = data } = await read<Record<string, Record<string, unknown>[]>>(
        `${path}&page=${page}`,
      );
      names.push(...(estabelecimentos ?? []).map(({ nome }) => nome));
    }
    expect(names.filter((nome) => expected.includes(nome as string))).toEqual(expected);
  });
});

it("a line of a sale has exact decimals, and the name of its unit or null (V1, V6)", async () => {
  await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, quantidade, valor_unitario, valor_total)
    values ('loja', 'exact', 'exact', 1.500, 0.1, 123456789012.3)`;
  try {
    const linesOf = async (unit: string) =>
      (await read<Page>(`/v1/vendas-produto?estabelecimento_id=${unit}`)).data;
    const [{ nome } = { nome: "" }] = await sql`select nome from estabelecimentos where salon_id = '201'`;
    expect(await linesOf("exact")).toMatchObject([
      { unidade_nome: null, quantidade: "1.500", valor_unitario: "0.10", valor_total: "123456789012.30" },
    ]);
    expect((await linesOf("201"))[0]).toMatchObject({ unidade_nome: nome });
  } finally {
    await sql`delete from vendas_produto where transacao_id = 'exact'`;
  }
});

describe("nome (I6)", () => {
  beforeAll(async () => {
    await sql`insert into produtos (salon_id, estabelecimento_id, nome, raw_data)
      select 'find ' || n, 'find', nome, '{}' from unnest(array['AÇAÍ 100% puro', 'açaí_mix', 'Acai', 'Pó\\Ção (novo) [x]', 'ΣΊΓΜΑ', 'a.b*c']) with ordinality as t(nome, n)`;
  });
  afterAll(async () => {
    await sql`delete from produtos where estabelecimento_id = 'find'`;
  });

  it.each([
    ["açaí", ["AÇAÍ 100% puro", "açaí_mix"]],
    ["AÇAÍ", ["AÇAÍ 100% puro", "açaí_mix"]],
    ["acai", ["Acai"]],
    ["100%", ["AÇAÍ 100% puro"]],
    ["%", ["AÇAÍ 100% puro"]],
    ["_", ["açaí_mix"]],
    ["\\", ["Pó\\Ção (novo) [x]"]],
    ["pÓ\\çÃO (NOVO) [X]", ["Pó\\Ção (novo) [x]"]],
    ["σίγμα", ["ΣΊΓΜΑ"]],
    [".", ["a.b*c"]],
    ["a.b*", ["a.b*c"]],
    ["i m", []],
    ["í_m", ["açaí_mix"]],
  ])("matches %s literally and in any case (I6)", async (nome, expected) => {
    const { data } = await read<Page>(
      `/v1/produtos?estabelecimento_id=find&nome=${encodeURIComponent(nome)}`,
    );
    expect(data.map((product) => product.nome).sort()).toEqual([...expected].sort());
  });
});

const FORMS = ["NFC", "NFD"] as const;

describe("human text (I4)", () => {
  const ACCOUNT = "Manutenção e água";
  const MIXED = `${"Manutenção".normalize("NFD")} e óleo`;
  beforeAll(async () => {
    await sql`insert into pagamentos_erp (erp_id, situacao, nome_conta_classificacao, data_vencimento, raw_data)
      select 94000 + n, 1, case when n % 3 = 0 then ${ACCOUNT} else normalize(${ACCOUNT}, nfd) end, date '2031-01-01' + n, '{}'
      from generate_series(1, 9) n`;
    await sql`insert into pagamentos_erp (erp_id, situacao, nome_conta_classificacao, raw_data) values (94010, 1, ${MIXED}, '{}')`;
    await sql`insert into pagamentos_erp (erp_id, situacao, nome_conta_classificacao, id_centro_custo, raw_data) values (94011, 1, 'Forma', ${"Ção".normalize("NFD")}, '{}')`;
    await sql`insert into produtos (salon_id, estabelecimento_id, nome, raw_data)
      select 'form ' || n, 'form', nome, '{}' from unnest(array[${"Açaí É".normalize("NFC")}, ${"Açaí É".normalize("NFD")}, 'Acai E', ${`${"Aça".normalize("NFD")}í É`}]) with ordinality as t(nome, n)`;
  });
  afterAll(async () => {
    await sql`delete from pagamentos_erp where erp_id between 94001 and 94011`;
    await sql`delete from produtos where estabelecimento_id = 'form'`;
  });
  const escaped = (text: string) =>
    text.replaceAll(/\p{M}/gu, (mark) => `\\u{0${mark.codePointAt(0)?.toString(16)}}`);
  const search = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;
  const idsOf = ({ data }: { data: Record<string, unknown>[] }) =>
    data.map(({ erp_id }) => Number(erp_id) - 94000);

  it.each(FORMS)("in a filter finds what is stored in NFC and in NFD, sent in %s (I4)", async (form) => {
    const account = search("nome_conta_classificacao", ACCOUNT.normalize(form));
    const first = await read<Page>(`/v1/pagamentos-erp?${account}&per_page=5`);
    expect([idsOf(first), first.pagination.total]).toEqual([[9, 8, 7, 6, 5], 9]);
    expect(idsOf(await read(`/v1/pagamentos-erp?${account}&per_page=5&page=2&situacao=1`))).toEqual([
      4, 3, 2, 1,
    ]);
    expect(idsOf(await read(`/v1/pagamentos-erp?${account}&after_id=0&per_page=2`))).toEqual([1, 2]);
    const range = "data_inicio=2031-01-03T00:00:00-03:00&data_fim=2031-01-06T00:00:00-03:00";
    expect(idsOf(await read(`/v1/pagamentos-erp?${account}&${range}`))).toEqual([5, 4, 3, 2]);
    expect(idsOf(await read(`/v1/pagamentos-erp?${account}&${range}&after_id=0`))).toEqual([2, 3, 4, 5]);
    const strict = await get(`/v1/pagamentos-erp?${account}&per_page=1`, { Prefer: "handling=strict" });
    expect([strict.status, await strict.json()]).toMatchObject([200, { pagination: { total: 9 } }]);
  });

  it("in a filter is exact otherwise, also in a form that is neither (I4)", async () => {
    const total = async (account: string) =>
      (await read<Page>(`/v1/pagamentos-erp?${search("nome_conta_classificacao", account)}`)).pagination
        .total;
    expect(await total(MIXED)).toBe(1);
    expect(await total("Manutencao e agua")).toBe(0);
    expect(await total(ACCOUNT.toLowerCase())).toBe(0);
  });

  it("of the longest length is accepted in either form (I4)", async () => {
    for (const form of FORMS)
      for (const path of ["/v1/pagamentos-erp?nome_conta_classificacao=", "/v1/produtos?nome="])
        expect((await get(path + encodeURIComponent("ç".repeat(100).normalize(form)))).status).toBe(200);
  });

  it("in an id stays bytes, and a 400 tells both forms apart (I4, I8)", async () => {
    const ask = (value: string, headers = {}) =>
      get(`/v1/pagamentos-erp?${search("id_centro_custo", value)}`, headers);
    expect(await (await ask("Ção".normalize("NFC"))).json()).toMatchObject({ data: [] });
    const refused = await ask("Ção".normalize("NFC"), { Prefer: "handling=strict" });
    const { message } = await refused.json<{ message: string }>();
    expect([refused.status, message]).toEqual([
      400,
      expect.stringContaining(`nearest first: "${escaped("Ção".normalize("NFD"))}"`),
    ]);
    const mixed = await get(
      `/v1/pagamentos-erp?${search("nome_conta_classificacao", MIXED.normalize("NFC"))}`,
      { Prefer: "handling=strict" },
    );
    expect((await mixed.json<{ message: string }>()).message).toContain(`nearest first: "${escaped(MIXED)}"`);
  });

  it.each(FORMS)("in a search finds every form and keeps accents apart, sent in %s (I6)", async (form) => {
    const found = async (nome: string) => {
      const { data } = await read<Page>(
        `/v1/produtos?estabelecimento_id=form&${search("nome", nome.normalize(form))}`,
      );
      return data.map(({ salon_id }) => Number(String(salon_id).slice(5))).sort();
    };
    expect(await found("Açaí")).toEqual([1, 2]);
    expect(await found("AÇAÍ é")).toEqual([1, 2]);
    expect(await found("ç")).toEqual([1, 2, 4]);
    expect(await found("acai")).toEqual([3]);
    expect(await found("Aç")).toEqual([1, 2, 4]);
    expect(await found("ac")).toEqual([3]);
    expect(await found("e")).toEqual([3]);
    expect(await found("i")).toEqual([3]);
  });
});
