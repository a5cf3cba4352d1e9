import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { z } from "zod";
import { SOURCES } from "../../../src/api/v1/relatorios/sources/index.ts";
import { type Rights, UNRESTRICTED } from "../../../src/core/rights.ts";
import { metadataOf } from "../../../src/core/schema-metadata.ts";
import { expectError, get, readDocument, send, sql } from "../../support/worker/api.ts";
import { signTokenOf } from "../../support/worker/client.ts";
import { connectClient, parseToolResult } from "../../support/worker/mcp.ts";

const ONE: Rights = { units: ["101"], personalData: true, payments: false };
const TWO: Rights = { units: ["101", "102"], personalData: true, payments: true };
const AUDITOR: Rights = { units: null, personalData: false, payments: true };

let nextUser = 900_000;
const readerWith = async (rights: Rights) => {
  nextUser += 1;
  const headers = { Authorization: `Bearer ${await signTokenOf(nextUser, rights)}` };
  return (path: string, init: RequestInit = {}) =>
    send(path, { ...init, headers: { ...headers, ...(init.headers as object) } });
};

/** Questions to a general report, one by each dimension. */
const questionsOf = (path: string) => {
  const source = SOURCES.find(({ name }) => path === `/v1/relatorios/${name}`);
  return Object.keys(source?.dimensions ?? {}).map((name) => `?por=${name}&periodo=2026`);
};

/** Every path of a list, a report or a feed, by whether it filters by unit. */
const dataPaths = async () => {
  const { paths } = await readDocument();
  return Object.entries(paths)
    .filter(([path, { get }]) => path.startsWith("/v1/") && !path.includes("{") && get)
    .map(([path, { get }]) => ({
      path,
      hasUnit: (get?.parameters ?? []).some((one) => one.name === "estabelecimento_id"),
      refuses: "403" in (get?.responses ?? {}),
    }));
};

describe("GET /v1/frescor", () => {
  it.each([
    UNRESTRICTED,
    ONE,
    TWO,
    AUDITOR,
    { units: ["101", `ç"'\\ 😀`], personalData: false, payments: false },
  ])("says what its reader may read: %j (M7)", async (rights) => {
    const response = await (await readerWith(rights))("/v1/frescor");
    expect((await response.json<{ direitos: unknown }>()).direitos).toEqual({
      unidades: rights.units,
      dados_pessoais: rights.personalData,
      pagamentos: rights.payments,
    });
  });
});

describe("a reader limited to units (A11)", () => {
  it("gets a 403 that lists the units for a unit outside, on every route with that filter (A11)", async () => {
    const read = await readerWith(TWO);
    const withUnit = (await dataPaths()).filter(({ hasUnit }) => hasUnit);
    expect(withUnit.length).toBeGreaterThan(10);
    for (const { path, refuses } of withUnit) {
      expect([path, refuses]).toEqual([path, true]);
      const range = "data_inicio=2026-01-01T00:00:00Z&data_fim=2026-12-31T00:00:00Z";
      const of = (unit: string) => read(`${path}?estabelecimento_id=${unit}&${range}`);
      await expectError(await of("201"), 403, "Forbidden", /"101", "102"/);
      expect([path, (await of("102")).status]).toEqual([path, 200]);
    }
  });

  it("gets the bills of these units alone, and none without a unit (R27, A11)", async () => {
    const read = await readerWith({ ...ONE, payments: true });
    const rowsOf = async (path: string, as: (path: string) => Promise<Response> = read) =>
      (await (await as(`/v1/pagamentos-erp?per_page=200&${path}`)).json<{ data: object[] }>()).data;
    expect(await rowsOf("da_unidade=101")).toEqual(await rowsOf("da_unidade=101", get));
    expect((await rowsOf("da_unidade=101")).length).toBeGreaterThan(0);
    for (const outside of ["da_unidade=102", "sem_unidade=true"]) {
      expect([outside, await rowsOf(outside)]).toEqual([outside, []]);
      expect((await rowsOf(outside, get)).length, outside).toBeGreaterThan(0);
    }
  });

  it("gets a 404 for a record of another unit, as for one that does not exist (A11)", async () => {
    const read = await readerWith(ONE);
    const rows = await sql`
      select 'transacoes/' || (select salon_id from transacoes where estabelecimento_id <> '101' limit 1) as path
      union all select 'lancamentos/' || (select salon_id from lancamentos where estabelecimento_id <> '101' limit 1)
      union all select 'estabelecimentos/' || (select id from estabelecimentos where salon_id <> '101' limit 1)
      union all select 'profissionais/' || (select id from profissionais where salon_estabelecimento_id <> '101' limit 1)`;
    expect(rows.map(({ path }) => typeof path)).toEqual(Array(4).fill("string"));
    const [own] = await sql`select salon_id from transacoes where estabelecimento_id = '101' limit 1`;
    expect((await read(`/v1/transacoes/${own?.salon_id}`)).status).toBe(200);
    for (const { path } of rows) {
      const message = async (at: string) =>
        (await (await read(`/v1/${at}`)).json<{ message: string }>()).message;
      expect([path, (await read(`/v1/${path}`)).status]).toEqual([path, 404]);
      const [list] = String(path).split("/");
      const unknown = list === "estabelecimentos" || list === "profissionais" ? "987654321" : "unknown";
      const same = (text: string, id: string) => text.replace(JSON.stringify(id), "");
      expect(same(await message(String(path)), String(path).split("/")[1] ?? "")).toBe(
        same(await message(`${list}/${unknown}`), unknown),
      );
    }
  });

  it("gets a 403 for payments, wherever they are, and a tool error over MCP (A11, M3)", async () => {
    const read = await readerWith(ONE);
    for (const path of [
      "/v1/pagamentos-erp",
      "/v1/pagamentos-erp?after_id=0",
      "/v1/pagamentos-erp/900003",
      "/v1/pagamentos-erp/abc",
      "/v1/pagamentos-erp?page=x",
      "/v1/alteracoes/pagamentos-erp?after=x",
      "/v1/alteracoes/pagamentos-erp",
      "/v1/relatorios/pagamentos",
      "/v1/relatorios/pagamentos?situacao=3",
    ])
      await expectError(
        await read(path),
        403,
        "Forbidden",
        /^This token may not read payments\. Ask the operator for the right\.$/,
      );
    const client = await connectClient(undefined, { Authorization: `Bearer ${await signTokenOf(1, ONE)}` });
    const result = await client.callTool({ name: "listPagamentosErp", arguments: {} });
    expect(parseToolResult(result)).toEqual({
      text: "This token may not read payments. Ask the operator for the right.",
      isError: true,
    });
  });

  it("rejects a marker that was given under other rights with 410 (A11, C4)", async () => {
    const path = "/v1/alteracoes/lancamentos";
    const markerOf = async (rights: Rights) => {
      const page = await (await (await readerWith(rights))(`${path}?per_page=5`)).json<{
        pagination: { next_after: string };
      }>();
      return page.pagination.next_after;
    };
    const all: Rights[] = [
      UNRESTRICTED,
      ONE,
      TWO,
      AUDITOR,
      { ...TWO, payments: false },
      { ...TWO, units: ["101"] },
    ];
    for (const [n, given] of all.entries()) {
      const marker = await markerOf(given);
      for (const [m, used] of all.entries())
        expect([n, m, (await (await readerWith(used))(`${path}?after=${marker}`)).status]).toEqual([
          n,
          m,
          n === m ? 200 : 410,
        ]);
    }
  });

  it("returns only id, email and name from /auth/me (A11)", async () => {
    expect(Object.keys(await (await (await readerWith(ONE))("/auth/me")).json<object>())).toEqual([
      "id",
      "email",
      "name",
    ]);
  });
});

describe("nothing about others leaks (A11)", () => {
  it.each<[string, Rights]>([
    ["one unit", ONE],
    ["two units", TWO],
    ["no personal data", AUDITOR],
    ["one unit without personal data", { ...ONE, personalData: false }],
  ])("in a body, a header or a tool of a reader with %s (A11)", async (_, rights) => {
    const inside = rights.units ?? [];
    const canaries = (
      await sql`
        select cliente_nome as value, estabelecimento_id as unit from transacoes where cliente_nome is not null
        union select cliente_salon_id, estabelecimento_id from transacoes where length(cliente_salon_id) > 4
        union select cpf, salon_estabelecimento_id from profissionais where length(cpf) > 6
        union select cliente_nome, estabelecimento_id from vendas_produto where cliente_nome is not null
        union select salon_id, estabelecimento_id from transacoes where length(salon_id) > 6
        union select error, null from jobs_log where length(error) > 6`
    ).map(({ value, unit }) => ({ value: String(value), unit: unit === null ? null : String(unit) }));
    const allowed = new Set(
      rights.personalData
        ? canaries.filter(({ unit }) => unit !== null && inside.includes(unit)).map(({ value }) => value)
        : [],
    );
    const names = new Set((await sql`select nome from profissionais`).map(({ nome }) => nome));
    const ids =
      rights.units === null
        ? new Set((await sql`select salon_id from transacoes`).map(({ salon_id }) => salon_id))
        : new Set();
    const forbidden = [...new Set(canaries.map(({ value }) => value))].filter(
      (value) => !allowed.has(value) && !names.has(value) && !ids.has(value) && value.length > 6,
    );
    expect(forbidden.length).toBeGreaterThan(5);
    const read = await readerWith(rights);
    const texts: string[] = [];
    let pages = 0;
    for (const { path } of await dataPaths())
      for (const query of [
        "?per_page=200",
        "?per_page=200&page=2",
        "?after_id=0&per_page=200",
        "?data_inicio=2020-01-01T00:00:00Z",
        ...questionsOf(path),
      ]) {
        const response = await read(`${path}${query}`);
        if (query === "?per_page=200" && response.status === 200) pages += 1;
        texts.push(`${path}${query} ${JSON.stringify([...response.headers])} ${await response.text()}`);
      }
    const client = await connectClient(undefined, {
      Authorization: `Bearer ${await signTokenOf(1, rights)}`,
    });
    expect(pages).toBeGreaterThan(14);
    let answered = 0;
    for (const { name, inputSchema } of (await client.listTools()).tools) {
      const known = Object.keys(inputSchema.properties ?? {});
      const args = Object.fromEntries(
        Object.entries({ id: "1", per_page: 100 }).filter(([key]) => known.includes(key)),
      );
      const result = parseToolResult(await client.callTool({ name, arguments: args }));
      if (!result.isError) answered += 1;
      texts.push(`${result.text} ${result.note}`);
    }
    expect(answered).toBeGreaterThan(12);
    const leaks = texts.flatMap((text) =>
      forbidden.filter((value) => text.includes(value)).map((value) => `${text.slice(0, 60)}: ${value}`),
    );
    expect(leaks.slice(0, 5)).toEqual([]);
  });
});

describe("a filter by client (A11, L9)", () => {
  it("finds only visits of the reader's units, on each page and in the total (A11, L9)", async () => {
    const visit = (n: number, unit: string, at: string) => sql`
      insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, raw_data)
      values (${`rights-client ${n}`}, ${unit}, 1, ${at}, 'rights-client', '{}')`;
    await visit(1, "103", "1955-01-01T12:00:00Z");
    await visit(2, "101", "1955-05-05T12:00:00Z");
    await visit(3, "102", "1955-05-06T12:00:00Z");
    try {
      const shown = async (rights: Rights, query = "") => {
        const path = `/v1/transacoes?cliente_salon_id=rights-client${query}`;
        const body = await (await (await readerWith(rights))(path)).json<{
          data: { salon_id: string }[];
          pagination: { total: number };
        }>();
        return [body.pagination.total, ...body.data.map(({ salon_id }) => salon_id.slice(-1))];
      };
      expect(await shown(UNRESTRICTED)).toEqual([3, "3", "2", "1"]);
      expect(await shown(TWO)).toEqual([2, "3", "2"]);
      expect(await shown(TWO, "&data_inicio=1955-05-05T12:00:00.000001Z")).toEqual([1, "3"]);
      expect(await shown(TWO, "&page=2&per_page=1")).toEqual([2, "2"]);
      expect(await shown(ONE)).toEqual([1, "2"]);
    } finally {
      await sql`delete from transacoes where cliente_salon_id = 'rights-client'`;
    }
  });

  const refusal = (name: string) =>
    `^This token may not read personal data\\. Omit \`${name}\`, or ask the operator for the right\\.$`;

  it.each([
    ["transacoes", "listTransacoes", "cliente_salon_id"],
    ["vendas-produto", "listVendasProduto", "cliente_id"],
  ])(
    "of %s is a 403 without the right to personal data, whatever else is wrong (A11, L9)",
    async (list, tool, name) => {
      const rights = { ...ONE, personalData: false };
      const read = await readerWith(rights);
      for (const query of ["=C1", "=", `=C1&${name}=C2`, "=C1&page=x", "=C1&estabelecimento_id=201"])
        for (const headers of [{}, { Prefer: "handling=strict" }])
          await expectError(
            await read(`/v1/${list}?${name}${query}`, { headers }),
            403,
            "Forbidden",
            new RegExp(refusal(name)),
          );
      const client = await connectClient(undefined, {
        Authorization: `Bearer ${await signTokenOf(1, rights)}`,
      });
      const result = parseToolResult(await client.callTool({ name: tool, arguments: { [name]: "C1" } }));
      expect(result).toEqual({ text: expect.stringMatching(refusal(name)), isError: true });
    },
  );
});

const MODULES = import.meta.glob<Record<string, unknown>>(
  "../../../src/api/v1/*/{schemas,panel-schemas}.ts",
  {
    eager: true,
  },
);

/** Texts that say nothing about a client, nor the CPF of a professional. A general name is named with its record. */
const HARMLESS = `
  desde erp_centro_custo_id erp_id erp_recebimento_id erp_unidade_negocio_id estabelecimento_id faixa forma_pagamento frequencia
  forma_pagamento_principal hash hash_anterior id_centro_custo job_id mes nota nome_conta_classificacao origem produto_id produto_nome profissional
  profissional_id profissional_nome profissional_salon_id quantidade queue salon_estabelecimento_id salon_id servico
  total transacao_id unidade_nome valor usuario versao_servico valor_pagamento valor_total valor_unitario direitos.unidades Direitos.unidades
  Estabelecimento.nome EstabelecimentoList.data.nome estabelecimentos.nome unidades.nome Produto.nome
  ProdutoPage.data.nome Profissional.nome ProfissionalPage.data.nome`
  .trim()
  .split(/\s+/);

/** Texts and JSON of a schema that are not personal. Each item of a list counts for itself, and dates are no texts. */
const textsOf = (path: string, schema: z.core.$ZodType, isMarked = false): string[] => {
  const isPersonal = isMarked || Boolean(metadataOf(schema).isPersonal);
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return textsOf(path, schema.def.innerType, isPersonal);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => textsOf(path, option));
  if (schema instanceof z.ZodArray) return textsOf(path, schema.def.element);
  const { pagination: _, ...shape } = schema instanceof z.ZodObject ? schema.shape : {};
  const fields = Object.entries(shape);
  if (fields.length > 0)
    return fields.flatMap(([name, field]) => textsOf(`${path}.${name}`, field as z.core.$ZodType));
  const isValue =
    /number|int|boolean|enum|null/.test(schema._zod.def.type) || schema instanceof z.ZodStringFormat;
  return isPersonal || isValue ? [] : [path];
};

it("every text or JSON field of a record is marked as personal or known to be harmless (A11)", async () => {
  const { components } = await readDocument();
  const records = Object.values(MODULES)
    .flatMap(Object.entries)
    .filter(([name, schema]) => name in components.schemas && schema instanceof z.ZodObject);
  expect(records.length).toBeGreaterThan(20);
  const columns = SOURCES.flatMap(({ name, dimensions }) =>
    Object.values(dimensions).flatMap(({ keys, labels }) =>
      Object.entries({ ...keys, ...labels }).map(
        ([column, { field }]) => [`${name}.${column}`, field] as const,
      ),
    ),
  );
  const texts = [...records, ...columns].flatMap(([path, schema]) => textsOf(path, schema));
  const isHarmless = (path: string) => HARMLESS.some((one) => `.${path}`.endsWith(`.${one}`));
  expect(
    texts.filter((path) => !isHarmless(path)),
    "wrap each field in `personal`, or add it to HARMLESS",
  ).toEqual([]);
});

it("every field that the document marks as personal is null or empty without the right (A11)", async () => {
  const { components } = await readDocument();
  const schemas = components.schemas as Record<
    string,
    { properties?: Record<string, Record<string, unknown>> }
  >;
  const read = await readerWith(AUDITOR);
  const lists: [schema: string, path: string][] = [
    ["Transacao", "/v1/transacoes"],
    ["Lancamento", "/v1/lancamentos"],
    ["PagamentoErp", "/v1/pagamentos-erp"],
    ["Profissional", "/v1/profissionais"],
    ["Produto", "/v1/produtos"],
    ["VendaProduto", "/v1/vendas-produto"],
    ["JobLog", "/v1/jobs-log"],
  ];
  let checked = 0;
  for (const [name, path] of lists) {
    const marked = Object.entries(schemas[name]?.properties ?? {}).flatMap(([field, schema]) =>
      schema["x-personal-data"] === true ? [field] : [],
    );
    const { data } = await (await read(`${path}?per_page=200`)).json<{ data: Record<string, unknown>[] }>();
    for (const record of data)
      for (const field of marked) {
        checked += 1;
        expect([name, field, record[field] ?? {}]).toEqual([name, field, {}]);
      }
  }
  expect(checked).toBeGreaterThan(500);
});

it("an id of a professional that is an object or an array is null in the reports, too (A11)", async () => {
  await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
    values ('rights-odd', 'rights-odd', 80, now(),
      '[{"idProfissionalQueRealizouServico": {"i": "CANARY"}, "nome": ["CANARY"], "valor": 80}]', '{}')`;
  try {
    const read = await readerWith(AUDITOR);
    for (const path of [
      "transacoes/rights-odd",
      "relatorios/transacoes-por-profissional",
      "relatorios/servicos?por=profissional,unidade",
      "relatorios/servicos?por=servico,profissional&periodo=mes",
      "relatorios/nao-mapeados",
      "relatorios/painel",
    ]) {
      const only = `${path.includes("?") ? "&" : "?"}estabelecimento_id=rights-odd`;
      const text = await (await read(`/v1/${path}${path.startsWith("relatorios") ? only : ""}`)).text();
      expect([path, text.includes("CANARY"), text.includes("80")]).toEqual([path, false, true]);
    }
  } finally {
    await sql`delete from transacoes where salon_id = 'rights-odd'`;
  }
});

it("a visit counts once in the row without an id, whatever ids it has that are not shown (R2, R9, A11)", async () => {
  const FIRST = "1955-05-05T15:00:00.000Z";
  type Row = Record<"profissional_salon_id" | "total_transacoes" | "valor_total", unknown>;
  const ids = fc.array(fc.constantFrom(null, "one", "other", { a: 1 }, { b: 2 }, [5001]), { maxLength: 4 });
  const visits = fc.sample(ids, { numRuns: 60, seed: inject("fuzzSeed") });
  for (const [n, own] of visits.entries())
    await sql.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
       values ($1, 'rights-ids', $2, $3::timestamptz + $4 * interval '1 day', $5, '{}')`,
      [
        `rights-ids ${n}`,
        n + 0.5,
        FIRST,
        n,
        JSON.stringify(own.map((id) => ({ idProfissionalQueRealizouServico: id }))),
      ],
    );
  /** The rows of the visits from a number on, by id. */
  const expectedFrom = (first: number) => {
    const rows = new Map<string | null, [visits: number, total: number]>();
    for (const [n, own] of visits.entries()) {
      if (n < first) continue;
      const hasNone = own.every((id) => id === null);
      const shown = own.flatMap((id) => (id === null ? [] : [typeof id === "string" ? id : null]));
      for (const id of new Set(hasNone ? [null] : shown)) {
        const [count, total] = rows.get(id) ?? [0, 0];
        rows.set(id, [count + 1, total + n + 0.5]);
      }
    }
    return Object.fromEntries(rows);
  };
  try {
    const read = await readerWith(AUDITOR);
    for (const first of [0, 20, 59])
      for (const path of ["transacoes-por-profissional", "nao-mapeados"]) {
        const start = new Date(Date.parse(FIRST) + first * 86_400_000).toISOString();
        const range = first > 0 ? `&data_inicio=${start}&data_fim=1956-01-01T00:00:00Z` : "";
        const url = `/v1/relatorios/${path}?estabelecimento_id=rights-ids${range}`;
        const body = await (await read(url)).json<{ data?: Row[]; profissionais?: Row[] }>();
        const rows = body.data ?? body.profissionais ?? [];
        const found = rows.map((row) => [row.profissional_salon_id, [row.total_transacoes, row.valor_total]]);
        const expected = expectedFrom(first);
        expect([url, Object.fromEntries(found)]).toEqual([url, expected]);
        expect(found).toHaveLength(Object.keys(expected).length);
      }
  } finally {
    await sql`delete from transacoes where estabelecimento_id = 'rights-ids'`;
  }
});
