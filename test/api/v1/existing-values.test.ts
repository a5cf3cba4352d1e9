// @module-tag server
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nearest } from "../../../src/api/v1/nearest.ts";
import {
  breakDatabase,
  databaseRequests,
  expectError,
  get,
  mendDatabase,
  send,
  sql,
} from "../../support/worker/api.ts";
import { signTokenOf } from "../../support/worker/client.ts";
import { callTool } from "../../support/worker/mcp.ts";

const strict = { Prefer: "handling=strict" };
const remaining = (response: Response) =>
  Number(/;?r=(\d+)/.exec(response.headers.get("RateLimit") ?? "")?.[1]);

beforeAll(async () => {
  await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
    values ('unregistered-visit', 'unregistered', 1, '2026-01-05T12:00:00Z', '{}')`;
  await sql`insert into estabelecimentos (nome, salon_id, erp_centro_custo_id) values ('Salão Sem Movimento', '990', 990990)`;
  await sql`insert into profissionais (nome, salon_id, salon_estabelecimento_id) values ('Ana Exemplo', '990', '102')`;
  await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, produto_id, produto_nome, quantidade, valor_total)
    values ('loja', 'existing-values', '102', 'PX990', 'Shampoo Exemplo', 1, 1)`;
});
afterAll(async () => {
  await sql`delete from transacoes where salon_id = 'unregistered-visit'`;
  await sql`delete from estabelecimentos where salon_id = '990'`;
  await sql`delete from profissionais where salon_id = '990'`;
  await sql`delete from vendas_produto where transacao_id = 'existing-values'`;
});

const nowhere = (name: string, value: string) =>
  new RegExp(`^\`${name}\` "${value}" does not exist\\. Existing values, nearest first: `);

describe("a value that exists nowhere (I8)", () => {
  it.each([
    ["/v1/transacoes", "estabelecimento_id", "Salão Moema", '"102" (Salão Moema)'],
    ["/v1/transacoes", "estabelecimento_id", "moema", '"102" (Salão Moema)'],
    ["/v1/relatorios/resumo", "estabelecimento_id", "SALAO MOEMA", '"102" (Salão Moema)'],
    ["/v1/profissionais", "estabelecimento_id", "1022", '"102" (Salão Moema)'],
    ["/v1/pagamentos-erp", "id_centro_custo", "salao moema", '"7002" (Salão Moema)'],
    ["/v1/relatorios/pagamentos", "id_centro_custo", "70022", '"7002" (Salão Moema)'],
    ["/v1/relatorios/pagamentos", "nome_conta_classificacao", "agua", '"Água"'],
    ["/v1/relatorios/faturamento", "estabelecimento_id", "1022", '"102" (Salão Moema)'],
    ["/v1/pagamentos-erp", "nome_conta_classificacao", "agua", '"Água"'],
    ["/v1/pagamentos-erp", "nome_conta_classificacao", "Aluguéis", '"Aluguel"'],
    ["/v1/relatorios/visitas", "forma_pagamento", "PIX", '"Pix"'],
    ["/v1/relatorios/servicos", "servico", "corte", '"Corte feminino"'],
    ["/v1/relatorios/servicos", "profissional_salon_id", "Ana Exemplo", '"990" (Ana Exemplo)'],
    ["/v1/relatorios/vendas", "produto_id", "shampoo exemplo", '"PX990" (Shampoo Exemplo)'],
    ["/v1/vendas-produto", "produto_id", "shampoo exemplo", '"PX990" (Shampoo Exemplo)'],
  ])("is a 400 on %s that proposes the nearest: %s %s", async (path, name, value, first) => {
    const response = await get(`${path}?${name}=${encodeURIComponent(value)}`, strict);
    const { message } = await response.clone().json<{ message: string }>();
    await expectError(response, 400, "Bad Request", nowhere(name, value));
    expect(message).toContain(`nearest first: ${first}`);
    const lenient = await get(`${path}?${name}=${encodeURIComponent(value)}`);
    expect(lenient.status).toBe(200);
  });

  it.each([
    [
      "/v1/transacoes",
      "cliente_salon_id",
      /^`cliente_salon_id` does not exist\. Clients cannot be searched by name/,
    ],
    ["/v1/relatorios/visitas", "cliente_salon_id", /^`cliente_salon_id` does not exist\. Clients cannot be/],
    ["/v1/vendas-produto", "cliente_id", /^`cliente_id` does not exist\. Clients cannot be searched by name/],
    ["/v1/relatorios/lancamentos", "pessoa", /^`pessoa` does not exist\. To find a person/],
  ])("is a 400 on %s that names no person: %s", async (path, name, message) => {
    const response = await get(`${path}?${name}=Maria%20Exemplo`, strict);
    await expectError(response, 400, "Bad Request", message);
    expect((await get(`${path}?${name}=Maria%20Exemplo`)).status).toBe(200);
  });

  it("is that of the reader's units, also where the value is of a rollup (I8, A11)", async () => {
    const ask = async (units: string[] | null, query: string, user: number) => {
      const token = await signTokenOf(user, { units, personalData: true, payments: true });
      const headers = { ...strict, Authorization: `Bearer ${token}` };
      return (await send(`/v1/relatorios/vendas?${query}`, { headers })).json<{ message?: string }>();
    };
    const query = "produto_id=PX990&periodo=2026-01";
    expect((await ask(null, query, 910_005)).message).toBeUndefined();
    const { message } = await ask(["101"], query, 910_006);
    expect(message).toMatch(/^`produto_id` "PX990" does not exist\./);
    expect(message).not.toContain("Shampoo Exemplo");
  });

  it("is checked in every report and list by plain SQL of the same tables (I8)", async () => {
    const owned = (columns: string, table: string, unit: string) =>
      `select ${columns} as value, ${unit} as unit from ${table}`;
    // A client has visits or bought products.
    const clients = `${owned("cliente_salon_id", "transacoes", "estabelecimento_id")}
      union all ${owned("cliente_id", "vendas_produto", "estabelecimento_id")}`;
    const filters: [path: string, name: string, values: string][] = [
      ["transacoes", "cliente_salon_id", clients],
      ["relatorios/vendas", "cliente_id", clients],
      ["relatorios/vendas", "produto_id", owned("produto_id", "vendas_produto", "estabelecimento_id")],
      [
        "relatorios/visitas",
        "forma_pagamento",
        owned("forma_pagamento_principal", "transacoes", "estabelecimento_id"),
      ],
      [
        "relatorios/servicos",
        "servico",
        owned(
          "s ->> 'nome'",
          "transacoes, jsonb_array_elements(case jsonb_typeof(servicos) when 'array' then servicos else '[]' end) as s",
          "estabelecimento_id",
        ),
      ],
      [
        "relatorios/lancamentos",
        "pessoa",
        owned("raw_data ->> 'Pessoa'", "lancamentos", "estabelecimento_id"),
      ],
    ];
    // A range without rows, so that each value is looked up.
    const range = "data_inicio=2199-01-01T00:00:00Z&data_fim=2199-01-01T00:00:01Z";
    for (const units of [null, ["102"]]) {
      const token = await signTokenOf(910_010, { units, personalData: true, payments: true });
      const headers = { ...strict, Authorization: `Bearer ${token}` };
      for (const [path, name, values] of filters) {
        const rows = await sql.query(
          `select distinct value, bool_or($1::text[] is null or unit = any($1)) as is_own from (${values}) as all_values
           where length(value) between 1 and 60 and value !~ '[[:cntrl:]]' and value = btrim(value) group by value order by value limit 12`,
          [units],
        );
        expect(rows.length, name).toBeGreaterThan(2);
        for (const { value, is_own } of [...rows, { value: "nowhere", is_own: false }]) {
          const response = await send(`/v1/${path}?${name}=${encodeURIComponent(value)}&${range}`, {
            headers,
          });
          expect([name, value, response.status]).toEqual([name, value, is_own ? 200 : 400]);
        }
      }
    }
  });

  it("is an empty answer if the check fails (I8)", async () => {
    const path = "/v1/relatorios/visitas?forma_pagamento=nada";
    const answer = await (await get(path)).text();
    await breakDatabase({
      kind: "status",
      status: 400,
      body: `{"message":"private","code":"57014"}`,
      after: 1,
    });
    const response = await get(path, strict);
    await mendDatabase();
    expect([response.status, await response.text()]).toEqual([200, answer]);
  });

  it("names at most 20 values", async () => {
    const response = await get("/v1/pagamentos-erp?id_centro_custo=zzz", strict);
    const { message } = await response.json<{ message: string }>();
    expect(message.split(', "')).toHaveLength(20);
  });

  it("is reported whatever else is filtered, also with If-None-Match and as CSV (I8)", async () => {
    const path = "/v1/transacoes?estabelecimento_id=nada&sent_to_erp=true&page=3";
    for (const headers of [{}, { "If-None-Match": "*" }, { Accept: "text/csv" }])
      await expectError(
        await get(path, { ...strict, ...headers }),
        400,
        "Bad Request",
        nowhere("estabelecimento_id", "nada"),
      );
    await mendDatabase();
    const token = await signTokenOf(910_004, { units: null, personalData: true, payments: true });
    const headers = { ...strict, Authorization: `Bearer ${token}` };
    expect((await send(path, { method: "HEAD", headers })).status).toBe(400);
    expect(await databaseRequests()).toBe(2);
  });

  it("is reported after the other errors of the request (I8)", async () => {
    const path = "/v1/relatorios/visitas?estabelecimento_id=nada";
    await mendDatabase();
    const query = "comparar=anterior&formato=csv";
    await expectError(await get(`${path}&${query}`, strict), 400, "Bad Request", /^`comparar` must not/);
    expect(await databaseRequests()).toBe(0);
    const rights = { units: null, personalData: false, payments: true };
    const headers = { ...strict, Authorization: `Bearer ${await signTokenOf(910_003, rights)}` };
    const clients = `${path}&medidas=clientes&periodo=2026-10-05`;
    await expectError(await send(clients, { headers }), 400, "Bad Request", /only for whole calendar months/);
    const periods = `${path}&por=dia&data_inicio=1900-01-01T00:00:00Z&data_fim=2100-01-01T00:00:00Z`;
    await expectError(await get(periods, strict), 400, "Bad Request", /more than 1,100 periods/);
  });

  it("is one that neither a registered unit nor a row of the list has, whatever the other filters", async () => {
    const isKnown = async (path: string) => (await get(path, strict)).status === 200;
    const future = "data_inicio=2199-01-01T00:00:00Z";
    expect(await isKnown(`/v1/transacoes?estabelecimento_id=unregistered&${future}`)).toBe(true);
    expect(await isKnown(`/v1/relatorios/visitas?por=mes&estabelecimento_id=unregistered`)).toBe(true);
    expect(await isKnown(`/v1/lancamentos?estabelecimento_id=unregistered`)).toBe(false);
    expect(await isKnown(`/v1/relatorios/resumo?estabelecimento_id=unregistered`)).toBe(true);
    for (const path of [
      "transacoes",
      "lancamentos",
      "produtos",
      "vendas-produto",
      "profissionais",
      "relatorios/resumo",
    ])
      expect(await isKnown(`/v1/${path}?estabelecimento_id=990`), path).toBe(true);
    expect(await isKnown("/v1/pagamentos-erp?id_centro_custo=990990")).toBe(true);
  });

  it("costs one statement after that of the request, and counts once (E11)", async () => {
    const asked = async (query: string) => {
      await mendDatabase();
      const answer = await get(`/v1/transacoes?${query}`, strict);
      return [answer.status, await databaseRequests()];
    };
    expect(await asked("sent_to_erp=true")).toEqual([200, 1]);
    expect(await asked("estabelecimento_id=102")).toEqual([200, 1]);
    expect(await asked("estabelecimento_id=990")).toEqual([200, 2]);
    await get("/nothing");
    const before = remaining(await get("/v1/transacoes", strict));
    expect(await asked("estabelecimento_id=nada")).toEqual([400, 2]);
    expect(before - remaining(await get("/v1/transacoes", strict))).toBe(2);
  });

  it("names no cost centre that only another unit has, to a reader limited to units (I8, A11)", async () => {
    const rights = { units: ["101"], personalData: true, payments: true };
    const headers = { ...strict, Authorization: `Bearer ${await signTokenOf(910_001, rights)}` };
    // 990990 is the cost centre of unit 990, and of no payment.
    const path = "/v1/pagamentos-erp?id_centro_custo=990990";
    const response = await send(path, { headers });
    const { message } = await response.clone().json<{ message: string }>();
    await expectError(response, 400, "Bad Request", nowhere("id_centro_custo", "990990"));
    expect(message).not.toMatch(/990990"? \(|Movimento|Moema/);
    expect(message).toContain("Salão Jardins");
    expect((await get(path, strict)).status).toBe(200);
  });

  it("is looked up for a reader limited to units, also by a filter that has no unit (I8, A11)", async () => {
    const rights = { units: ["101"], personalData: true, payments: true };
    const headers = { ...strict, Authorization: `Bearer ${await signTokenOf(910_002, rights)}` };
    const ask = (query: string) => send(`/v1/pagamentos-erp?${query}`, { headers });
    for (const query of [
      "nome_conta_classificacao=Aluguel",
      "nome_conta_classificacao=Aluguel&id_centro_custo=7001&situacao=1",
      "nome_conta_classificacao=Aluguel&after_id=0",
    ])
      expect([query, (await ask(query)).status]).toEqual([query, 200]);
    await expectError(
      await ask("nome_conta_classificacao=Nada&id_centro_custo=7001"),
      400,
      "Bad Request",
      nowhere("nome_conta_classificacao", "Nada"),
    );
  });

  it("is a tool error, always", async () => {
    const message = expect.stringMatching(nowhere("estabelecimento_id", "nada"));
    for (const args of [{}, { page: 2, after_id: 0 }])
      expect(await callTool("listLancamentos", { ...args, estabelecimento_id: "nada" })).toEqual({
        isError: true,
        text: message,
      });
    expect((await callTool("resumo", { estabelecimento_id: "nada" })).text).toEqual(message);
  });
});

describe("the nearest values (I8)", () => {
  const fold = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  /** The edit distance by its definition. */
  const edits = (a: string, b: string): number => {
    if (a === "" || b === "") return a.length + b.length;
    const rest = [
      edits(a.slice(1), b) + 1,
      edits(a, b.slice(1)) + 1,
      edits(a.slice(1), b.slice(1)) + Number(a[0] !== b[0]),
    ];
    return Math.min(...rest);
  };
  const rank = (wanted: string, one: string): [number, number] => {
    const [a, b] = [fold(wanted), fold(one)];
    if (a === b) return [0, 0];
    const isContained = a !== "" && b !== "" && (a.includes(b) || b.includes(a));
    return isContained ? [1, 0] : [2, edits(a, b)];
  };

  it("are equal ones, then contained ones, then those of the smallest edit distance, by value or name", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "A", "á", "b", "1"), maxLength: 5 });
    const candidate = fc.record({ value: word, name: fc.option(word) });
    const unique = fc.uniqueArray(candidate, { selector: ({ value }) => value, maxLength: 6 });
    fc.assert(
      fc.property(word, unique, (wanted, candidates) => {
        const ranked = nearest(wanted, candidates, 4).map(({ value, name }) => {
          const ranks = [value, ...(name === null ? [] : [name])].map((one) => rank(wanted, one));
          return ranks.sort(([a, b], [c, d]) => a - c || b - d)[0] as [number, number];
        });
        expect(ranked).toEqual(ranked.toSorted(([a, b], [c, d]) => a - c || b - d));
        expect(ranked).toHaveLength(Math.min(4, candidates.length));
      }),
      { numRuns: 300 },
    );
  });
});
