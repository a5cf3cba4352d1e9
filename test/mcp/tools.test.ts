import type { Client, Tool } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import {
  breakDatabase,
  databaseRequests,
  get,
  mendDatabase,
  readDocument,
  sql,
  statements,
} from "../support/api.ts";
import { operationsOf, type Schema } from "../support/document.ts";
import { insertEdgeCaseRows } from "../support/edge-case-rows.ts";
import { askTool, connect, saidBy } from "../support/mcp.ts";

interface Read {
  path: string;
  tool: Tool;
}

let client: Client;
let reads: Read[];
let ids: Map<string, string[]>;

beforeAll(async () => {
  await insertEdgeCaseRows();
  client = await connect();
  const { tools } = await client.listTools();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  reads = operationsOf(await readDocument())
    .filter(({ method, path }) => method === "GET" && path.startsWith("/v1/"))
    .map(({ path, operation }) => ({ path, tool: byName.get(operation.operationId) as Tool }));
  const some = async (rows: Promise<Record<string, unknown>[]>) =>
    (await rows).map(({ id }) => String(id)).concat("nothing", "..", "a/b?c#d%", "");
  ids = new Map([
    ["/v1/transacoes/{id}", await some(sql`select salon_id as id from transacoes order by id limit 20`)],
    ["/v1/lancamentos/{id}", await some(sql`select salon_id as id from lancamentos order by id limit 20`)],
    [
      "/v1/pagamentos-erp/{id}",
      await some(sql`select erp_id as id from pagamentos_erp order by id limit 20`),
    ],
    ["/v1/profissionais/{id}", await some(sql`select id from profissionais order by id limit 20`)],
    ["/v1/estabelecimentos/{id}", await some(sql`select id from estabelecimentos order by id`)],
  ]);
});

afterEach(async () => {
  await mendDatabase();
});

// Whoever looks at the newest entry elsewhere would find one too long for a tool.
afterAll(async () => {
  await sql`delete from lancamentos where estabelecimento_id in ('long', 'longest', 'past')`;
  await sql`delete from transacoes where estabelecimento_id = 'years'`;
});

const propertiesOf = ({ inputSchema }: Tool) => (inputSchema.properties ?? {}) as Record<string, Schema>;

describe("the list", () => {
  it("has one tool for each GET of /v1 and no other, made of what the document says of it (M2)", async () => {
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(reads.length);
    const operations = operationsOf(await readDocument());
    for (const { path, tool } of reads) {
      const operation = operations.find((one) => one.path === path)?.operation;
      expect(tool, path).toMatchObject({
        title: operation?.summary,
        annotations: { readOnlyHint: true },
        inputSchema: { type: "object", additionalProperties: false },
      });
      const parameters = operation?.parameters ?? [];
      expect(Object.keys(propertiesOf(tool)), path).toEqual(parameters.map(({ name }) => name));
      expect(tool.inputSchema.required, path).toEqual(
        parameters.filter((one) => one.required).map(({ name }) => name),
      );
      for (const { name, schema } of parameters) {
        const { example, description: _, ...rest } = schema;
        const expected = name === "per_page" ? { ...rest, default: 10 } : rest;
        expect(propertiesOf(tool)[name], `${path} ${name}`).toMatchObject({
          ...expected,
          examples: [example],
        });
      }
    }
  });

  it("speaks of tools where the document speaks of paths (M2)", () => {
    const names = new Set(reads.map(({ tool }) => tool.name));
    for (const { tool } of reads) {
      const said = JSON.stringify(tool);
      expect(said, tool.name).not.toMatch(/\/v1\/|GET /);
      for (const [, name = ""] of said.matchAll(/\b((?:list|find|follow)[A-Z]\w*|\w+Por[A-Z]\w*)/g))
        expect(names, `${tool.name} speaks of ${name}`).toContain(name);
    }
    expect(client.getInstructions()).toContain("Never add up rows of transacoesPorProfissional");
  });
});

/** Values a parameter takes; text that is in no record among them. */
const goodValue = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "integer") {
    const [min, max] = [Number(schema.minimum ?? 0), Number(schema.maximum ?? 300)];
    const number = fc.integer({ min, max: Math.min(max, min + 60) });
    return fc.oneof(number, number.map(String));
  }
  if (schema.format === "date-time")
    return fc
      .tuple(
        fc.date({ min: new Date("2025-06-01"), max: new Date("2026-12-31"), noInvalidDate: true }),
        fc.constantFrom("Z", "-03:00", "+05:30"),
      )
      .map(([date, zone]) => `${date.toISOString().slice(0, 19)}${zone}`);
  return fc.constantFrom("101", "202", "7001", "Aluguel", "leo", "é+&=%#", "nobody");
};

const argumentsOf = ({ path, tool }: Read): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(propertiesOf(tool)).map(([name, schema]) => {
        // A marker is an answer's, and none of another day is taken.
        if (name === "after") return [name, fc.constant(`${path.split("/").pop()}.000000000000.0.0`)];
        return [name, name === "id" ? fc.constantFrom(...(ids.get(path) ?? [])) : goodValue(schema)];
      }),
    ),
    { requiredKeys: ["id", "per_page"].filter((name) => name in propertiesOf(tool)) },
  );

/** What the route itself answers to the same arguments. */
const answerOf = async (path: string, args: Record<string, unknown>) => {
  const { id, ...query } = args as Record<string, string>;
  const response = await get(
    `${path.replace("{id}", encodeURIComponent(id ?? ""))}?${new URLSearchParams(query)}`,
  );
  const text = await response.text();
  return { ok: response.status === 200, text: response.status === 200 ? text : JSON.parse(text).message };
};

/** A text without the seconds that go by from one answer to the next. */
const atOneTime = (text: string) => text.replace(/("atraso_segundos"\s*:\s*)\d+/g, "$1…");

/** A route's message without what is for those who write its URL. */
const inTools = (message: string) =>
  message
    .replaceAll(" (in a URL, write a + as %2B)", "")
    .replace(/^(No record .*) The id in this path/, "$1 The `id`");

describe("a call", () => {
  it("answers what the route answers to the same arguments, text for text (M3)", {
    timeout: 600_000,
  }, async () => {
    let answered = 0;
    for (const read of reads) {
      const property = fc.asyncProperty(argumentsOf(read), async (args) => {
        // What the last day holds may differ between the two.
        const before = await answerOf(read.path, args);
        const { text, isError } = saidBy(await client.callTool({ name: read.tool.name, arguments: args }));
        const after = await answerOf(read.path, args);
        if (before.ok && before.text.length > 100_000) {
          expect(text).toMatch(/^The answer has \d+ characters/);
        } else if (!before.ok && /^\.{0,2}$/.test(String(args.id))) {
          // No URL holds such an id: without one the path is another.
          expect(text).toMatch(/^No record has the id "\.{0,2}"\. What goes there: The record's `/);
        } else {
          expect(
            [before.text, after.text].map(inTools).map(atOneTime),
            `${read.tool.name} ${JSON.stringify(args)}`,
          ).toContain(atOneTime(text));
          expect(isError).toBe(!before.ok);
        }
        if (!isError) answered += 1;
      });
      await fc.assert(property, { numRuns: 8, seed: inject("fuzzSeed") });
    }
    expect(answered).toBeGreaterThan(reads.length * 3);
  });

  it("keeps every digit and space of a payload (M3)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      values ('digits-of-a-tool', '101', '{"n": 12345678901234567890, "m": 1.10, "t": "a\\"b\\\\c☃"}', now())`;
    const { text } = await askTool("findLancamento", { id: "digits-of-a-tool" });
    expect(text).toContain("12345678901234567890");
    expect(text).toContain("1.10");
    expect(text).toBe((await answerOf("/v1/lancamentos/{id}", { id: "digits-of-a-tool" })).text);
  });

  it("is one statement, the route's own, and none when it is refused (M3)", async () => {
    const args = { per_page: 3, estabelecimento_id: "101" };
    await mendDatabase();
    await get("/v1/transacoes?per_page=3&estabelecimento_id=101");
    await askTool("listTransacoes", args);
    const [route, tool] = await statements();
    expect(tool).toEqual(route);
    expect(await databaseRequests()).toBe(2);
    await askTool("listTransacoes", { ...args, per_page: 0 });
    await askTool("listTransacoes", { ...args, color: "red" });
    await askTool("findTransacao");
    expect(await databaseRequests()).toBe(2);
  });

  it("has ten records a page unless it says otherwise (M4)", async () => {
    for (const { path, tool } of reads.filter((one) => "per_page" in propertiesOf(one.tool))) {
      const { text } = await askTool(tool.name);
      expect([JSON.parse(text).pagination.per_page, text], tool.name).toEqual([
        10,
        (await answerOf(path, { per_page: 10 })).text,
      ]);
    }
  });

  it("takes numbers and flags as what they are, or as text (M2)", async () => {
    const asked = await askTool("listTransacoes", {
      per_page: 2,
      page: 2,
      sent_to_erp: false,
      estabelecimento_id: 101,
    });
    expect(asked).toEqual(
      await askTool("listTransacoes", {
        per_page: "2",
        page: "2",
        sent_to_erp: "false",
        estabelecimento_id: "101",
      }),
    );
    expect(asked.isError).toBe(false);
    expect(JSON.parse(asked.text).pagination).toMatchObject({ page: 2, per_page: 2 });
  });
});

describe("a mistake", () => {
  it.each<[tool: string, args: Record<string, unknown>, said: RegExp]>([
    [
      "listTransacoes",
      { color: "red" },
      /^`color` is not an argument of this tool, which has `page`, `per_page`, /,
    ],
    [
      "findTransacao",
      { id: "T1", x: 1, y: 2 },
      /^`x` is not an argument of this tool, which has `id`\. `y` is not/,
    ],
    ["frescor", { x: 1 }, /^`x` is not an argument of this tool, which has none at all\.$/],
    ["findTransacao", {}, /^`id` must be given\.$/],
    ["findTransacao", { id: null }, /^`id` must be text, a number, true or false\.$/],
    ["listTransacoes", { page: null }, /^`page` must be text, .*; leave it out to say nothing of it\.$/],
    [
      "findTransacao",
      JSON.parse('{"id": 12345678901234567890}'),
      /^`id` is a number that does not arrive digit for digit: give it as text\.$/,
    ],
    ["findTransacao", { id: 2 ** 53 }, /^`id` is a number .* give it as text\.$/],
    ["findTransacao", { id: 0.1 }, /^`id` is a number .* give it as text\.$/],
    ["findLancamento", { id: -(2 ** 60) }, /^`id` is a number .* give it as text\.$/],
    ["listLancamentos", { after_id: 1e21 }, /^`after_id` is a number .* give it as text\.$/],
    ["findPagamentoErp", { id: "12345678901234567890" }, /^No record has the id "12345678901234567890"\./],
    [
      "findTransacao",
      { id: "" },
      /^No record has the id ""\. What goes there: The record's `salon_id`, and not its `id`\.$/,
    ],
    [
      "findPagamentoErp",
      { id: "." },
      /^No record has the id "\."\. What goes there: The record's `erp_id`\.$/,
    ],
    ["findTransacao", { id: ".." }, /^No record has the id "\.\."\. What goes there: /],
    [
      "listTransacoes",
      { page: [1], sent_to_erp: {} },
      /^`page` must be text, .* `sent_to_erp` must be text, /,
    ],
    [
      "listTransacoes",
      { page: 0, per_page: 201 },
      /^`page` must be an integer .* `per_page` must be an integer from 1 to 200/,
    ],
    [
      "listTransacoes",
      { page: 1.5 },
      /^`page` must be an integer of at least 1, for example 1; got "1.5"\.$/,
    ],
    ["listTransacoes", { page: 1e21 }, /^`page` is a number .* give it as text\.$/],
    ["listTransacoes", { page: "" }, /^`page` must be an integer .* got an empty value/],
    [
      "listTransacoes",
      { estabelecimento_id: "a\u0000b" },
      /^`estabelecimento_id` must be text of 1 to 64 characters/,
    ],
    [
      "listTransacoes",
      { data_inicio: "2026-01-01" },
      /^`data_inicio` must be an ISO 8601 date-time with offset, for example 2026-11-01T00:00:00-03:00; got "2026-01-01"\.$/,
    ],
    ["listTransacoes", { sent_to_erp: "yes" }, /^`sent_to_erp` must be one of `true`, `false`/],
    [
      "transacoesPorPeriodo",
      { granularidade: "dia", data_inicio: "1900-01-01T00:00:00Z", data_fim: "2026-01-01T00:00:00Z" },
      /`granularidade`/,
    ],
    [
      "findPagamentoErp",
      { id: "nothing" },
      /^No record has the id "nothing"\. The `id` is the record's `erp_id`\.$/,
    ],
    ["findTransacao", { id: "\ud800" }, /^`id` contains a lone surrogate: send valid Unicode text\.$/],
    ["listProdutos", { nome: "xampu \udc00" }, /^`nome` contains a lone surrogate/],
    ["followTransacoes", { after: "transacoes.000000000000.0.0" }, /Begin again without `after`/],
    ["listTransacoes", JSON.parse('{"__proto__": 1}'), /^`__proto__` is not an argument/],
    ["listTransacoes", { constructor: 1 }, /^`constructor` is not an argument/],
  ])("%s %j is a tool error that says how to mend it (M2, M3)", async (tool, args, said) => {
    const { text, isError } = await askTool(tool, args);
    expect(text).toMatch(said);
    expect(isError).toBe(true);
  });

  it("is one too where the database does not answer (M3)", async () => {
    await breakDatabase({ kind: "refuse" });
    expect(await askTool("resumo")).toEqual({
      isError: true,
      text: expect.stringMatching(/^The database does not answer\. Try again/),
    });
    await mendDatabase();
    expect((await askTool("resumo")).isError).toBe(false);
  });

  it("a page beside after_id is ignored, as the route ignores it (M3)", async () => {
    const args = { after_id: 0, page: 7, per_page: 2 };
    expect(await askTool("listLancamentos", args)).toEqual({
      isError: false,
      text: (await answerOf("/v1/lancamentos", args)).text,
    });
  });
});

describe("an answer over 100,000 characters", () => {
  const long = "x".repeat(60_000);

  it("names what makes it shorter (M4)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      select 'long-' || n, 'long', jsonb_build_object('x', ${long}::text), now() from generate_series(1, 2) as n`;
    const asked = await askTool("listLancamentos", { estabelecimento_id: "long" });
    expect(asked).toEqual({
      isError: true,
      text: expect.stringMatching(
        /^The answer has 12\d{4} characters, .* 100000\. Ask again with a smaller `per_page`\.$/,
      ),
    });
    const one = await askTool("listLancamentos", { estabelecimento_id: "long", per_page: 1 });
    expect(one.isError).toBe(false);
    expect(one.text.length).toBeGreaterThan(60_000);
  });

  it("names the range and the granularity of a report (M4)", async () => {
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data, sent_to_erp, synced_at)
      select 'years-' || n, 'years', 1, '2019-01-01T12:00:00Z'::timestamptz + n * interval '1 day', '{}', true, now()
      from generate_series(0, 1098) as n`;
    const asked = await askTool("painel", { estabelecimento_id: "years", granularidade: "dia" });
    expect(asked).toEqual({
      isError: true,
      text: expect.stringMatching(
        /Ask again with `granularidade` mes or a later `data_inicio` or an earlier `data_fim`\.$/,
      ),
    });
    expect((await askTool("painel", { estabelecimento_id: "years" })).isError).toBe(false);
  });

  it("says of a single record that nothing does (M4)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      values ('longest', 'longest', jsonb_build_object('x', ${long + long}::text), now())`;
    const none = {
      isError: true,
      text: expect.stringMatching(/It is one record, and no argument makes it shorter\.$/),
    };
    expect(await askTool("findLancamento", { id: "longest" })).toEqual(none);
    expect(await askTool("listLancamentos", { estabelecimento_id: "longest", per_page: 1 })).toEqual(none);
  });

  it("says how a list by cursor goes on behind one record that is too long (M4)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      select 'past-' || n, 'past', jsonb_build_object('x', ${long + long}::text), now() from generate_series(1, 2) as n`;
    const [first] = await sql`select min(id) as id from lancamentos where estabelecimento_id = 'past'`;
    const args = { estabelecimento_id: "past", per_page: 1, after_id: 0 };
    const { text, isError } = await askTool("listLancamentos", args);
    expect(isError).toBe(true);
    expect(text).toMatch(/no argument makes it shorter\. To go past it, ask on with `after_id` \d+\.$/);
    expect(text).toContain(`\`after_id\` ${first?.id}.`);
  });
});
