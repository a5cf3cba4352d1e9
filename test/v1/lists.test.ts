// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BY_NAME } from "../support/by-name.ts";
import { operationsOf } from "../support/document.ts";
import { EDGE_CASE_UNIT } from "../support/requests.ts";
import { get, read, readDocument, sql } from "../support/worker/api.ts";
import { insertEdgeCaseRows } from "../support/worker/edge-case-rows.ts";

interface ListCase {
  table: string;
  /** The fields that identify a record, in the response and in SQL. */
  key: string[];
  /** The expected order of records, in SQL (L1). */
  order: string;
  /** Two values of each filter, each with the equivalent SQL condition. */
  filters: Record<string, [value: string, condition: string][]>;
}

const range = (column: string): ListCase["filters"] => ({
  data_inicio: [
    ["2025-06-01T00:00:00-03:00", `${column} >= '2025-06-01 03:00:00+00'`],
    ["2038-01-19T03:14:08Z", `${column} >= '2038-01-19 03:14:08+00'`],
  ],
  data_fim: [
    ["2026-02-28T23:59:59.999999-03:00", `${column} <= '2026-03-01 02:59:59.999999+00'`],
    ["2025-06-01T12:00:00+14:00", `${column} <= '2025-05-31 22:00:00+00'`],
  ],
});
const unit = (column: string): ListCase["filters"] => ({
  estabelecimento_id: [
    ["103", `${column} = '103'`],
    [EDGE_CASE_UNIT, `${column} = 'nasty é''%_\\'`],
  ],
});
/** A filter by exact text, with a value of the demo data and one of the rows with extreme values. */
const text = (column: string, value: string): [value: string, condition: string][] => [
  [value, `${column} = '${value}'`],
  ["'; drop table users; --", `${column} = '''; drop table users; --'`],
];
const flag = (name: string): ListCase["filters"] => ({
  [name]: [
    ["true", name],
    ["false", `not ${name}`],
  ],
});

const LIST_CASES: Record<string, ListCase> = {
  "/v1/transacoes": {
    table: "transacoes",
    key: ["salon_id"],
    order: "data_hora desc nulls last, id desc",
    filters: {
      ...range("data_hora"),
      ...unit("estabelecimento_id"),
      ...flag("sent_to_erp"),
      cliente_salon_id: text("cliente_salon_id", "C17"),
    },
  },
  "/v1/lancamentos": {
    table: "lancamentos",
    key: ["id"],
    order: "id desc",
    filters: { ...range("synced_at"), ...unit("estabelecimento_id"), ...flag("sent_to_salon") },
  },
  "/v1/pagamentos-erp": {
    table: "pagamentos_erp",
    key: ["id"],
    order: "id desc",
    filters: {
      // Calendar dates: an instant counts as the day it falls on in Brasília (L2).
      data_inicio: [
        ["2025-06-01T00:00:00-03:00", "data_vencimento >= '2025-06-01'"],
        ["2025-06-02T02:59:59Z", "data_vencimento >= '2025-06-01'"],
      ],
      data_fim: [
        ["2026-02-28T23:59:59-03:00", "data_vencimento <= '2026-02-28'"],
        ["2026-03-01T03:00:00Z", "data_vencimento <= '2026-03-01'"],
      ],
      situacao: [
        ["1", "situacao = 1"],
        ["2", "situacao = 2"],
      ],
      id_centro_custo: [
        ["7003", "id_centro_custo = '7003'"],
        ["'; drop table users; --", "id_centro_custo = '''; drop table users; --'"],
      ],
      nome_conta_classificacao: [
        ["Água", "nome_conta_classificacao = 'Água'"],
        ["água", "false"],
      ],
      valor_min: [
        ["1500.50", "valor >= 1500.50 and valor <> 'NaN'"],
        ["0", "valor >= 0 and valor <> 'NaN'"],
      ],
    },
  },
  "/v1/profissionais": {
    table: "profissionais",
    key: ["id"],
    order: `${BY_NAME}, id`,
    filters: {
      ...unit("salon_estabelecimento_id"),
      ...flag("ativo"),
      salon_id: text("salon_id", "5001"),
    },
  },
  "/v1/produtos": {
    table: "produtos",
    key: ["estabelecimento_id", "salon_id"],
    order: `${BY_NAME}, estabelecimento_id, salon_id`,
    filters: {
      ...unit("estabelecimento_id"),
      nome: [
        ["óLEO de", "nome like 'Óleo de%'"],
        ["%", "strpos(nome, '%') > 0"],
      ],
      salon_id: text("salon_id", "P1"),
    },
  },
  "/v1/vendas-produto": {
    table: "vendas_produto",
    key: ["transacao_id", "data_hora", "valor_total"],
    order: "data_hora desc nulls last, id desc",
    filters: {
      ...range("data_hora"),
      estabelecimento_id: [
        ["201", "estabelecimento_id = '201'"],
        ["104", "estabelecimento_id = '104'"],
      ],
      origem: [
        ["salao", "origem = 'salao'"],
        ["loja", "origem = 'loja'"],
      ],
      cliente_id: text("cliente_id", "C17"),
      produto_id: text("produto_id", "P1"),
    },
  },
  "/v1/jobs-log": {
    table: "jobs_log",
    key: ["id"],
    order: "created_at desc, id desc",
    filters: {
      ...range("created_at"),
      data_inicio: [
        ["2026-11-01T00:00:00-03:00", "created_at >= '2026-11-01 03:00:00+00'"],
        ["2038-01-19T03:14:08Z", "created_at >= '2038-01-19 03:14:08+00'"],
      ],
      job_name: [
        ["send-pagar", "job_name = 'send-pagar'"],
        ["sync-transacoes", "job_name = 'sync-transacoes'"],
      ],
      status: [
        ["failed", "status = 'failed'"],
        ["started", "status = 'started'"],
      ],
    },
  },
};

interface Page {
  data: Record<string, unknown>[];
  pagination: { total: number; total_pages: number };
}

/** Reads up to five pages of a list. Returns the keys of their records and the total of the first page. */
const readKeys = async (path: string, query: string, key: string[]) => {
  const keys: string[] = [];
  let totals = { total: 0, total_pages: 1 };
  for (let page = 1; page <= totals.total_pages && page <= 5; page += 1) {
    const { data, pagination }: Page = await read(`${path}?per_page=200&page=${page}&${query}`);
    keys.push(...data.map((record) => JSON.stringify(key.map((name) => record[name]))));
    if (page === 1) totals = pagination;
  }
  return { keys, total: totals.total };
};

const queryKeys = async ({ table, key, order }: ListCase, condition: string) => {
  const rows =
    await sql.query(`select json_build_array(${key.map((name) => (name.startsWith("valor") ? `${name}::text` : name)).join(", ")})::text as key
    from (select * from ${table} where ${condition} order by ${order}) as rows`);
  return rows.map(({ key: text }) => JSON.stringify(JSON.parse(text as string)));
};

beforeAll(insertEdgeCaseRows);

describe.each(Object.entries(LIST_CASES))("GET %s", (path, list) => {
  const names = Object.keys(list.filters);
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b] as const));
  const cases = [[] as string[], ...names.map((name) => [name]), ...pairs.map((pair) => [...pair])];

  it.each(cases.map((filters) => [filters.join(" and ") || "no filter", filters] as const))(
    "returns the rows, order and total of an independent SQL query, with %s (L1–L3, L9)",
    async (_, filters) => {
      for (const choice of [0, 1]) {
        const chosen = filters.map(
          (name) => [name, ...(list.filters[name]?.[choice] ?? ["", "true"])] as const,
        );
        const [start, end] = ["data_inicio", "data_fim"].map(
          (name) => chosen.find(([one]) => one === name)?.[1],
        );
        if (start && end && Date.parse(start) > Date.parse(end)) continue;
        const query = chosen.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
        const expected = await queryKeys(
          list,
          chosen.map(([, , condition]) => `(${condition})`).join(" and ") || "true",
        );
        const { keys, total } = await readKeys(path, query, list.key);
        expect(total, query).toBe(expected.length);
        expect(keys, query).toEqual(expected.slice(0, 1000));
      }
    },
  );
});

/**
 * Parameters that filter nothing, and `periodo`, which is replaced by the ends of its range. payments-order.test.ts
 * covers `ordem` and `data`.
 */
const NO_FILTERS = ["page", "per_page", "after_id", "campos", "formato", "periodo", "ordem", "data"];

it("every list with pages has a case for each of its filters in the document (L9)", async () => {
  const documented = operationsOf(await readDocument()).flatMap(
    ({ path, operation: { parameters = [] } }) => {
      const names = parameters.filter((one) => one.in === "query").map(({ name }) => name);
      const filters = names.filter((name) => !NO_FILTERS.includes(name));
      return names.includes("page") ? [[path, filters.sort()]] : [];
    },
  );
  const cases = Object.entries(LIST_CASES).map(([path, { filters }]) => [path, Object.keys(filters).sort()]);
  expect(Object.fromEntries(cases)).toEqual(Object.fromEntries(documented));
});

it("every filter in these tests matches at least one row", async () => {
  for (const [path, list] of Object.entries(LIST_CASES)) {
    for (const [name, values] of Object.entries(list.filters)) {
      const counts = await Promise.all(
        values.map(async ([, condition]) => (await queryKeys(list, condition)).length),
      );
      expect(Math.max(...counts), `${path} ${name}`).toBeGreaterThan(0);
    }
  }
});

describe("after_id", () => {
  it.each(["/v1/lancamentos", "/v1/pagamentos-erp"])(
    "returns every id of %s once, in ascending order, with and without a filter (L4)",
    async (path) => {
      const list = LIST_CASES[path] as ListCase;
      for (const [query, condition] of [
        ["", "true"],
        ["&data_inicio=2025-06-01T00:00:00-03:00", list.filters.data_inicio?.[0]?.[1] ?? ""],
      ]) {
        const ids: string[] = [];
        let after: number | null = 0;
        while (after !== null) {
          const page: {
            data: { id: number }[];
            pagination: { next_after_id: number | null; has_more: boolean };
          } = await read(`${path}?after_id=${after}&per_page=17${query}`);
          ids.push(...page.data.map(({ id }) => JSON.stringify([id])));
          after = page.pagination.next_after_id;
        }
        expect(ids).toEqual(await queryKeys({ ...list, order: "id" }, condition ?? ""));
      }
    },
  );

  it("is an unknown parameter of every other list (L4)", async () => {
    for (const path of Object.keys(LIST_CASES).filter((one) => !/lancamentos|pagamentos/.test(one))) {
      const page = await read<Page>(`${path}?after_id=x&per_page=1`);
      expect(page.pagination).toHaveProperty("total");
    }
  });
});

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

describe("computed fields", () => {
  it("pago is true if and only if situacao is 2", async () => {
    const { data } = await read<Page>("/v1/pagamentos-erp?per_page=200");
    expect(new Set(data.map(({ situacao, pago }) => `${situacao} ${pago}`))).toEqual(
      new Set(["1 false", "2 true"]),
    );
  });

  it("unidade_nome is the name in estabelecimentos, or null if the unit is not registered (V6)", async () => {
    const { data } = await read<Page>("/v1/vendas-produto?per_page=200");
    const units = await sql`select salon_id, nome from estabelecimentos where salon_id is not null`;
    const names = new Map(units.map(({ salon_id, nome }) => [salon_id, nome]));
    for (const line of data) expect(line.unidade_nome).toBe(names.get(line.estabelecimento_id) ?? null);
    const stray = await read<Page>("/v1/vendas-produto?estabelecimento_id=unregistered");
    expect(stray.data.length).toBeGreaterThan(0);
    expect(new Set(stray.data.map((line) => line.unidade_nome))).toEqual(new Set([null]));
  });

  it("money has two decimals, quantidade has its stored decimals, and a date is YYYY-MM-DD (V1, V3)", async () => {
    await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, quantidade, valor_unitario, valor_total)
      values ('loja', 'exact', 'exact', 1.500, 0.1, 123456789012.3)`;
    const { data } = await read<Page>("/v1/vendas-produto?estabelecimento_id=exact");
    expect(data[0]).toMatchObject({
      quantidade: "1.500",
      valor_unitario: "0.10",
      valor_total: "123456789012.30",
      data_hora: null,
    });
    const payments = await read<Page>("/v1/pagamentos-erp?per_page=200");
    for (const { data_vencimento } of payments.data)
      if (data_vencimento !== null) expect(data_vencimento).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
});

describe("nome (I6)", () => {
  beforeAll(async () => {
    await sql`insert into produtos (salon_id, estabelecimento_id, nome, raw_data)
      select 'find ' || n, 'find', nome, '{}' from unnest(array['AÇAÍ 100% puro', 'açaí_mix', 'Acai', 'Pó\\Ção (novo) [x]', 'ΣΊΓΜΑ', 'a.b*c']) with ordinality as t(nome, n)`;
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

describe("a record of the last day that Postgres can store", () => {
  const LAST = "294276-12-31T23:00:00Z";
  const KEYS = ["last 1", "last 2", "last 3"];

  it.each([
    [
      "/v1/transacoes",
      (key: string) => sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
        values (${key}, 'last', 1, ${LAST}, '{}')`,
      () => sql`delete from transacoes where salon_id = any(${KEYS})`,
    ],
    [
      "/v1/vendas-produto",
      (key: string) => sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora)
        values ('loja', ${key}, 'last', ${LAST})`,
      () => sql`delete from vendas_produto where transacao_id = any(${KEYS})`,
    ],
    [
      "/v1/jobs-log",
      (key: string) => sql`insert into jobs_log (queue, job_name, status, job_id, created_at)
        values ('q', 'send-pagar', 'started', ${key}, ${LAST})`,
      () => sql`delete from jobs_log where job_id = any(${KEYS})`,
    ],
  ])("is in order on the pages of %s (L1)", async (path, insert, remove) => {
    try {
      for (const key of KEYS) await insert(key);
      const shown: unknown[] = [];
      for (const page of [1, 2, 3]) {
        const { data } = await read<{ data: Record<string, unknown>[] }>(`${path}?per_page=1&page=${page}`);
        shown.push(data[0]?.salon_id ?? data[0]?.transacao_id ?? data[0]?.job_id);
      }
      expect(shown).toEqual(KEYS.toReversed());
    } finally {
      await remove();
    }
  });
});
