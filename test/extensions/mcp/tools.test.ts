import type { Client, Tool } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { defaultMeasures } from "../../../src/api/v1/relatorios/question.ts";
import type { Source } from "../../../src/api/v1/relatorios/source.ts";
import { SOURCES } from "../../../src/api/v1/relatorios/sources/index.ts";
import { ARGUMENT_TEXTS, TOOL_TEXTS } from "../../../src/extensions/mcp/texts.ts";
import { type Operation, operationsOf, type Schema } from "../../support/document.ts";
import {
  breakDatabase,
  databaseRequests,
  get,
  mendDatabase,
  readDocument,
  sql,
  statements,
} from "../../support/worker/api.ts";
import { insertEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";
import { callTool, connectClient, parseToolResult } from "../../support/worker/mcp.ts";
import { recordsByPath } from "../../support/worker/tables.ts";

interface Read {
  path: string;
  tool: Tool;
  operation: Operation;
}

let client: Client;
let reads: Read[];
let ids: Map<string, string[]>;
/** The fields of a record, by the path of its list. */
let fields: Record<string, string[]>;

beforeAll(async () => {
  await insertEdgeCaseRows();
  client = await connectClient();
  const { tools } = await client.listTools();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  reads = operationsOf(await readDocument())
    .filter(({ method, path }) => method === "GET" && /^\/v1\/(?!alteracoes\/)/.test(path))
    .map(({ path, operation }) => ({ path, operation, tool: byName.get(operation.operationId) as Tool }));
  const records = Object.entries(await recordsByPath("campos"));
  fields = Object.fromEntries(records.map(([path, record]) => [path, Object.keys(record)]));
  const idsOf = async (rows: Promise<Record<string, unknown>[]>) =>
    (await rows).map(({ id }) => String(id)).concat("nothing", "..", "a/b?c#d%", "");
  ids = new Map([
    ["/v1/transacoes/{id}", await idsOf(sql`select salon_id as id from transacoes order by id limit 20`)],
    ["/v1/lancamentos/{id}", await idsOf(sql`select salon_id as id from lancamentos order by id limit 20`)],
    [
      "/v1/pagamentos-erp/{id}",
      await idsOf(sql`select erp_id as id from pagamentos_erp order by id limit 20`),
    ],
    ["/v1/profissionais/{id}", await idsOf(sql`select id from profissionais order by id limit 20`)],
    ["/v1/estabelecimentos/{id}", await idsOf(sql`select id from estabelecimentos order by id`)],
    ["/v1/fechamentos/{mes}", await idsOf(sql`select mes as id from fechamentos order by id`)],
  ]);
});

afterEach(async () => {
  await mendDatabase();
});

// These records are too long for a tool, and other tests read the newest entry.
afterAll(async () => {
  await sql`delete from lancamentos where estabelecimento_id in ('long', 'longest', 'past')`;
  await sql`delete from lancamentos where salon_id = 'digits-of-a-tool'`;
  await sql`delete from transacoes where estabelecimento_id = 'years'`;
});

/** A tool's answer is JSON, and never a whole list (X1, X2). */
const parametersOf = ({ parameters = [] }: Operation) =>
  parameters.filter(
    ({ name, schema }) => name !== "formato" && name !== "tudo" && schema["x-only-with"] !== "tudo",
  );

const propertiesOf = ({ inputSchema }: Tool) => (inputSchema.properties ?? {}) as Record<string, Schema>;

describe("the list of tools", () => {
  it("has one tool for each GET route under /v1 but the change feeds, with its arguments (M2)", async () => {
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(reads.length);
    for (const { path, tool, operation } of reads) {
      expect(tool, path).toMatchObject({
        title: operation.summary,
        annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
        inputSchema: { type: "object" },
      });
      const parameters = parametersOf(operation);
      expect(Object.keys(propertiesOf(tool)), path).toEqual(parameters.map(({ name }) => name));
      expect(tool.inputSchema.required ?? [], path).toEqual(
        parameters.filter((one) => one.required).map(({ name }) => name),
      );
      for (const { name, schema } of parameters)
        expect(propertiesOf(tool)[name], `${path} ${name}`).toEqual({
          ...(/^true(,false)?$/.test(String(schema.enum))
            ? { type: "boolean" }
            : { type: schema.type, enum: schema.enum }),
          default: name === "per_page" ? 10 : schema.enum && schema.default,
          description: expect.stringMatching(/^(?!undefined).{8,}[^ ]$/),
        });
    }
  });

  it("has one text for an argument of several tools, except rows, columns, ids and what clients are counted by (M6)", () => {
    const texts = Map.groupBy(
      reads.flatMap(({ tool }) => Object.entries(propertiesOf(tool))),
      ([name]) => name,
    );
    const several = [...texts].filter(
      ([, all]) => new Set(all.map(([, schema]) => schema.description)).size > 1,
    );
    expect(several.map(([name]) => name).sort()).toEqual([
      "id",
      "limite",
      "medidas",
      "novos",
      "ordem",
      "por",
      "valor_min",
    ]);
    const described = reads.flatMap(({ tool: { name, inputSchema } }) => [
      name,
      ...Object.keys(inputSchema.properties ?? {}).flatMap((argument) => [argument, `${name}.${argument}`]),
    ]);
    expect(described).toEqual(
      expect.arrayContaining([...Object.keys(TOOL_TEXTS), ...Object.keys(ARGUMENT_TEXTS)]),
    );
  });

  it("has at most 30,000 characters for a user with all rights, and no tool over 2,600 (M6)", async () => {
    const { tools } = await client.listTools();
    const size = (value: unknown) => JSON.stringify(value).length;
    const lines = tools
      .toSorted((a, b) => size(b) - size(a))
      .map((tool) => {
        const parts = Object.entries({ description: tool.description, ...tool.inputSchema.properties });
        const sizes = parts.map(([name, value]) => `${name} ${size(value)}`);
        return `${size(tool)} ${tool.name}: ${sizes.join(", ")}`;
      });
    const total = size({ tools });
    await expect([`${total} in all`, ...lines, ""].join("\n")).toMatchFileSnapshot("./sizes.snapshot.txt");
    expect(total).toBeLessThanOrEqual(30_000);
    for (const tool of tools) expect(size(tool), tool.name).toBeLessThanOrEqual(2600);
  });

  it("names tools where the document names paths (M2)", () => {
    const names = new Set(reads.map(({ tool }) => tool.name));
    for (const { tool } of reads) {
      const toolText = JSON.stringify(tool);
      expect(toolText, tool.name).not.toMatch(/\/v1\/|GET /);
      for (const [, name = ""] of toolText.matchAll(/\b((?:list|find|follow)[A-Z]\w*|\w+Por[A-Z]\w*)/g))
        expect(names, `${tool.name} speaks of ${name}`).toContain(name);
    }
    const instructions = client.getInstructions() ?? "";
    const words = [...instructions.matchAll(/`([a-z]+[A-Z]\w+|frescor|faturamento)`/g)].map(
      ([, word]) => word,
    );
    expect(words.length).toBeGreaterThan(2);
    for (const word of words) expect(names, `the instructions speak of ${word}`).toContain(word);
  });
});

/** The names in an answer, as a tool's description lists them. Rows have the names of the first one. */
const columnsIn = (value: unknown): string => {
  if (Array.isArray(value)) return columnsIn(value[0]);
  if (typeof value !== "object" || value === null) return "";
  const { data, ...others } = value as Record<string, unknown>;
  if (data !== undefined && Object.keys(others).length === 0) return columnsIn(data);
  // The columns of a general report are those of its default measures.
  if ("linhas" in others) return Object.keys(value).join(", ");
  return Object.entries(value)
    .map(([name, inner]) => {
      const names = columnsIn(inner);
      return names === "" ? name : `${name} {${names}}`;
    })
    .join(", ");
};

describe("the description of a report", () => {
  it("names the columns of its answer, in their order (M8)", async () => {
    const reports = reads.filter(
      ({ path, tool }) => path.startsWith("/v1/relatorios/") && !("medidas" in propertiesOf(tool)),
    );
    expect(reports.length).toBeGreaterThan(4);
    for (const { tool } of reports) {
      const args = "periodo" in propertiesOf(tool) ? { periodo: "2026" } : {};
      const { text } = await callTool(tool.name, args);
      const columns = columnsIn(JSON.parse(text));
      expect(columns, tool.name).not.toBe("");
      // A body of several reports has too many: its description says what they are.
      const [, listed] = / Columns: (.*)\.$/.exec(tool.description ?? "") ?? [];
      expect(listed, tool.name).toBe(columns.length > 300 ? undefined : columns);
    }
  });

  it("leaves the columns of a general report to the arguments that choose them (M8, R21)", () => {
    for (const source of SOURCES as readonly Source[]) {
      const { tool } = reads.find(({ path }) => path === `/v1/relatorios/${source.name}`) as Read;
      expect(tool.name).toBe(source.name);
      expect(tool.description).not.toContain("Columns:");
      const { por, medidas } = propertiesOf(tool);
      for (const name of Object.keys(source.dimensions)) expect(por?.description).toContain(name);
      for (const name of Object.keys(source.measures)) expect(medidas?.description).toContain(name);
    }
  });

  it("does not end with columns in a list, which names its fields (M8)", () => {
    for (const { path, tool } of reads.filter((one) => !one.path.startsWith("/v1/relatorios/"))) {
      expect(tool.description, tool.name).not.toContain("Columns:");
      const names = path.includes("{") ? undefined : fields[path];
      if (names !== undefined) expect(tool.description, tool.name).toContain(` Fields: ${names.join(", ")}.`);
    }
  });
});

/** Valid values of a parameter, including text that no record has. */
const goodValue = (schema: Schema): fc.Arbitrary<unknown> => {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "integer") {
    const [min, max] = [Number(schema.minimum ?? 0), Number(schema.maximum ?? 300)];
    const number = fc.integer({ min, max: Math.min(max, min + 60) });
    return fc.oneof(number, number.map(String));
  }
  if (schema.type === "number") return fc.constantFrom(0, 1500.5, "1500.50", "0.01");
  if (schema.format === "date-time")
    return fc
      .tuple(
        fc.date({ min: new Date("2025-06-01"), max: new Date("2026-12-31"), noInvalidDate: true }),
        fc.constantFrom("Z", "-03:00", "+05:30"),
      )
      .map(([date, zone]) => `${date.toISOString().slice(0, 19)}${zone}`);
  const example = String(schema.example);
  return fc.constantFrom("101", "202", "7001", "Aluguel", "leo", "é+&=%#", "nobody", example, example);
};

const PERIODS = ["mes", "semana", "30-dias", "2026-T4", "2026-S53", "2026", 2026, "2026-10", "2026-02-30"];

const fieldSets = (path: string) => {
  const names = fields[path.replace(/\{\w+\}/, "1")] ?? fields[path] ?? [];
  return [...names, names.toReversed().join(), names.slice(1, 4).join()];
};

/** Keeps one way to name a range, and one order. */
const withOneRange = ({ periodo, ordem, ...given }: Record<string, unknown>, isNamed: boolean) => {
  // A general report is ordered by one of its columns.
  const isColumn =
    given.medidas === undefined || String(given.medidas).includes(String(ordem).replace(/^-/, ""));
  const args = ordem === undefined || "after_id" in given || !isColumn ? given : { ...given, ordem };
  const { data_inicio, data_fim, ...others } = args;
  return isNamed && periodo !== undefined ? { ...others, periodo } : args;
};

/** The names that an argument of a general report lists. */
const namesOf = (path: string, argument: string): string[] | undefined => {
  const source = SOURCES.find(({ name }) => path === `/v1/relatorios/${name}`);
  if (argument === "por") return source && Object.keys(source.dimensions);
  if (argument === "ordem") return source && defaultMeasures(source);
  return argument === "medidas" ? source && Object.keys(source.measures) : undefined;
};

/** The answer to `explicar` names a tool instead of a URL (R28). */
const isSameInTool = ({ name }: { name: string }) => name !== "explicar";

/** Whether it is a parameter in a path. */
const isId = (name: string) => name === "id" || name === "mes";

const argumentsOf = ({ path, tool, operation }: Read): fc.Arbitrary<Record<string, unknown>> => {
  const args = fc.record(
    Object.fromEntries(
      parametersOf(operation)
        .filter(isSameInTool)
        .map(({ name, schema }) => {
          if (name === "periodo") return [name, fc.constantFrom(...PERIODS)];
          if (name === "campos") return [name, fc.constantFrom(...fieldSets(path))];
          const names = namesOf(path, name);
          if (names && name === "ordem")
            return [name, fc.constantFrom(...names.flatMap((one) => [one, `-${one}`]))];
          if (names) return [name, fc.subarray(names, { minLength: 1, maxLength: 2 }).map(String)];
          return [name, isId(name) ? fc.constantFrom(...(ids.get(path) ?? [])) : goodValue(schema)];
        }),
    ),
    { requiredKeys: ["id", "mes", "per_page"].filter((name) => name in propertiesOf(tool)) },
  );
  return fc.tuple(args, fc.boolean()).map(([all, isNamed]) => withOneRange(all, isNamed));
};

/** The route's own response to the same arguments. A list leaves out `raw_data` by default (M4). */
const answerOf = async (path: string, args: Record<string, unknown>) => {
  const names = path.includes("{") ? [] : (fields[path] ?? []);
  const campos = names.includes("raw_data") && { campos: names.filter((name) => name !== "raw_data").join() };
  const { id, mes, ...query } = { ...campos, ...args } as Record<string, string>;
  // Strict handling would refuse `page` beside a cursor, and a tool ignores it.
  if ("after_id" in query) delete query.page;
  const response = await get(
    `${path.replace(/\{\w+\}/, encodeURIComponent(id ?? mes ?? ""))}?${new URLSearchParams(query)}`,
    { Prefer: "handling=strict" },
  );
  const text = await response.text();
  return { ok: response.status === 200, text: response.status === 200 ? text : JSON.parse(text).message };
};

/** The text without the seconds that differ between two responses, and without the list that a tool names (R28). */
const withoutSeconds = (text: string) =>
  text
    .replace(/("atraso_segundos"\s*:\s*)\d+/g, "$1…")
    .replace(/("agora"\s*:\s*)"[^"]+"/, "$1…")
    .replace(/("registros":)"(?:[^"\\]|\\.)+"/, "$1…");

describe("a tool call", () => {
  it("returns exactly the text of the route for the same arguments (M3)", {
    timeout: 600_000,
  }, async () => {
    let answered = 0;
    for (const read of reads) {
      const property = fc.asyncProperty(argumentsOf(read), async (args) => {
        const before = await answerOf(read.path, args);
        const { text, isError } = parseToolResult(
          await client.callTool({ name: read.tool.name, arguments: args }),
        );
        if (before.ok && before.text.length > 100_000) {
          expect(text).toMatch(/^The result has \d+ characters/);
        } else if (!before.ok && /^\.{0,2}$/.test(String(args.id ?? args.mes))) {
          // No URL can contain such an id, because it would be another path.
          expect(text).toMatch(
            /^No record that you may read has the (id|mes) "\.{0,2}"\. The description of `\1` /,
          );
        } else {
          const expectedText = (answer: { text: string }) => withoutSeconds(answer.text);
          // Counts of the last 24 hours can change between two responses. If they differ, read the route again.
          const isSame = expectedText(before) === withoutSeconds(text);
          const after = isSame ? before : await answerOf(read.path, args);
          expect(withoutSeconds(text), `${read.tool.name} ${JSON.stringify(args)}`).toBe(expectedText(after));
          expect(isError).toBe(!before.ok);
        }
        if (!isError) answered += 1;
      });
      await fc.assert(property, { numRuns: 8, seed: inject("fuzzSeed") });
    }
    expect(answered).toBeGreaterThan(reads.length * 2);
  });

  it("keeps every digit and space of a payload (M3, V2)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      values ('digits-of-a-tool', '101', '{"n": 12345678901234567890, "m": 1.10, "t": "a\\"b\\\\c☃"}', now())`;
    const { text } = await callTool("findLancamento", { id: "digits-of-a-tool" });
    expect(text).toContain("12345678901234567890");
    expect(text).toContain("1.10");
    expect(text).toBe((await answerOf("/v1/lancamentos/{id}", { id: "digits-of-a-tool" })).text);
  });

  it("sends the statements of the route, and none when it is rejected (M3)", async () => {
    const args = { per_page: 3, estabelecimento_id: "101" };
    await mendDatabase();
    await get("/v1/transacoes?per_page=3&estabelecimento_id=101", { Prefer: "handling=strict" });
    await callTool("listTransacoes", args);
    const [page, ...ofTool] = await statements();
    expect(ofTool).toEqual([page]);
    await callTool("listTransacoes", { ...args, per_page: 0 });
    await callTool("listTransacoes", { ...args, color: "red" });
    await callTool("findTransacao");
    expect(await databaseRequests()).toBe(2);
  });

  it("returns ten records per page by default (M4)", async () => {
    for (const { path, tool } of reads.filter((one) => "per_page" in propertiesOf(one.tool))) {
      const { text } = await callTool(tool.name);
      expect([JSON.parse(text).pagination.per_page, text], tool.name).toEqual([
        10,
        (await answerOf(path, { per_page: 10 })).text,
      ]);
    }
  });

  it("leaves raw_data out of a list unless campos names it, and has it in a record (M4)", async () => {
    const lists = reads.filter(({ path }) => !path.includes("{") && fields[path]?.includes("raw_data"));
    expect(lists.map(({ tool }) => tool.name).sort()).toEqual([
      "listLancamentos",
      "listPagamentosErp",
      "listProdutos",
    ]);
    for (const { tool } of lists) {
      expect((await callTool(tool.name)).text).not.toContain('"raw_data"');
      expect((await callTool(tool.name, { campos: "raw_data" })).text).toContain('"raw_data"');
    }
    expect((await callTool("findLancamento", { id: "L1" })).text).toContain('"raw_data"');
  });

  it("accepts numbers and booleans as JSON values or as text (M2)", async () => {
    const result = await callTool("listTransacoes", {
      per_page: 2,
      page: 2,
      sent_to_erp: false,
      estabelecimento_id: 101,
    });
    expect(result).toEqual(
      await callTool("listTransacoes", {
        per_page: "2",
        page: "2",
        sent_to_erp: "false",
        estabelecimento_id: "101",
      }),
    );
    expect(result.isError).toBe(false);
    expect(JSON.parse(result.text).pagination).toMatchObject({ page: 2, per_page: 2 });
  });
});

describe("null for an optional argument", () => {
  it("counts as left out, in every tool and for every argument (M8)", async () => {
    for (const { tool } of reads) {
      const required = tool.inputSchema.required ?? [];
      const given = Object.fromEntries(required.map((name) => [name, "1"]));
      const nulls = Object.fromEntries(
        Object.keys(propertiesOf(tool)).flatMap((name) => (required.includes(name) ? [] : [[name, null]])),
      );
      const [omitted, sent] = [
        await callTool(tool.name, given),
        await callTool(tool.name, { ...nulls, ...given }),
      ];
      expect({ ...sent, text: withoutSeconds(sent.text) }, tool.name).toEqual({
        ...omitted,
        text: withoutSeconds(omitted.text),
      });
    }
  });

  it("leaves the tool's own defaults, and the cursor (M4, M8)", async () => {
    const { text } = await callTool("listLancamentos", {
      per_page: null,
      campos: null,
      page: null,
      after_id: 0,
    });
    expect(JSON.parse(text).pagination).toMatchObject({ per_page: 10, has_more: expect.any(Boolean) });
    expect(text).not.toContain('"raw_data"');
  });
});

describe("a tool error", () => {
  const noRecord =
    /^No record that you may read has the id "\.{0,2}"\. The description of `id` names what to send\.$/;
  const roundedId = /^`id` is a number that JSON may have rounded\. Send it as a string\.$/;

  it.each<[tool: string, args: Record<string, unknown>, message: RegExp]>([
    ["frescor", { x: 1 }, /^`x` is not an argument of this tool\. There are no arguments\.$/],
    [
      "findTransacao",
      { id: "T1", x: 1, y: 2 },
      /^`x` is not an argument of this tool\. The arguments are `id`, `campos`\. `y` is not/,
    ],
    ["listTransacoes", { color: null }, /^`color` is not an argument of this tool\. /],
    ["listTransacoes", JSON.parse('{"__proto__": 1}'), /^`__proto__` is not an argument/],
    ["listTransacoes", { constructor: 1 }, /^`constructor` is not an argument/],
    ["findTransacao", {}, /^`id` is required\.$/],
    ["findTransacao", { id: null, campos: null }, /^`id` is required\.$/],
    ["listTransacoes", { page: [null] }, /^`page` must be a string, .*, not an array, or be omitted\.$/],
    [
      "listTransacoes",
      { page: { value: null }, sent_to_erp: [true] },
      /^`page` must be a string, .* `sent_to_erp` must be a string, /,
    ],
    ["findTransacao", JSON.parse('{"id": 12345678901234567890}'), roundedId],
    ["findTransacao", { id: 2 ** 53 }, roundedId],
    ["findTransacao", { id: 0.1 }, roundedId],
    ["findLancamento", { id: -(2 ** 60) }, roundedId],
    ["listLancamentos", { after_id: 1e21 }, /^`after_id` is a number .* Send it as a string\.$/],
    ["findTransacao", { id: "" }, noRecord],
    ["findPagamentoErp", { id: "." }, noRecord],
    ["findTransacao", { id: ".." }, noRecord],
    ["findTransacao", { id: "\ud800" }, /^`id` contains a lone surrogate\. Send valid Unicode text\.$/],
    ["listProdutos", { nome: "xampu \udc00" }, /^`nome` contains a lone surrogate/],
    [
      "listTransacoes",
      { page: 0, per_page: 201 },
      /^`page` must be an integer .* `per_page` must be an integer from 1 to 200/,
    ],
    [
      "resumo",
      { periodo: "mes", data_fim: "2026-11-01T00:00:00Z" },
      /^`periodo` must not be given together with `data_fim`\. Omit `periodo` or `data_fim`\.$/,
    ],
    [
      "visitas",
      { por: "dia", data_inicio: "1900-01-01T00:00:00Z", data_fim: "2026-01-01T00:00:00Z" },
      /^The answer would have more than 1,100 periods\. .* Send `semana` or `mes` in `por`, or a shorter range\.$/,
    ],
    [
      "findPagamentoErp",
      { id: "nothing" },
      /^No record that you may read has the id "nothing"\. Send the record's `erp_id` as `id`\.$/,
    ],
  ])("is the response to %s with %j, and says what to do (M2, M3)", async (tool, args, message) => {
    const { text, isError } = await callTool(tool, args);
    expect(text).toMatch(message);
    expect(isError).toBe(true);
  });

  it("is the response to a call while the database is down (M3)", async () => {
    await breakDatabase({ kind: "refuse" });
    expect(await callTool("resumo")).toEqual({
      isError: true,
      text: expect.stringMatching(/^The database is unavailable\. Try again/),
    });
    await mendDatabase();
    expect((await callTool("resumo")).isError).toBe(false);
  });
});

describe("a response over 100,000 characters", () => {
  const long = "x".repeat(60_000);

  it("is a tool error that asks for fewer fields and a smaller per_page (M4)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      select 'long-' || n, 'long', jsonb_build_object('x', ${long}::text), now() from generate_series(1, 2) as n`;
    const result = await callTool("listLancamentos", { estabelecimento_id: "long", campos: "raw_data" });
    expect(result).toEqual({
      isError: true,
      text: expect.stringMatching(
        /^The result has 12\d{4} characters, .* 100000\. Call the tool again with a smaller `per_page`\.$/,
      ),
    });
    const one = await callTool("listLancamentos", {
      estabelecimento_id: "long",
      per_page: 1,
      campos: "raw_data",
    });
    expect(one.isError).toBe(false);
    expect(one.text.length).toBeGreaterThan(60_000);
  });

  it("is a tool error that names the granularity and the range of a report (M4)", async () => {
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data, sent_to_erp, synced_at)
      select 'years-' || n, 'years', 1, '2019-01-01T12:00:00Z'::timestamptz + n * interval '1 day', '{}', true, now()
      from generate_series(0, 1098) as n`;
    const result = await callTool("painel", { estabelecimento_id: "years", granularidade: "dia" });
    expect(result).toEqual({
      isError: true,
      text: expect.stringMatching(
        /Call the tool again with `granularidade` set to `mes` or a later `data_inicio` or an earlier `data_fim`\.$/,
      ),
    });
    expect((await callTool("painel", { estabelecimento_id: "years" })).isError).toBe(false);
    const range = { data_inicio: "2019-01-01T03:00:00Z", data_fim: "2021-12-31T03:00:00Z" };
    const compared = await callTool("painel", {
      ...range,
      estabelecimento_id: "years",
      granularidade: "dia",
      comparar: "ano-anterior",
    });
    expect(compared.text).toMatch(
      /with `granularidade` set to `mes` or no `comparar` or a later `data_inicio` or /,
    );
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data, forma_pagamento_principal)
      select 'forms-' || n, 'years', 1, '2023-06-01', '{}', rpad('Forma ' || n, 200) from generate_series(1, 400) as n`;
    const forms = { estabelecimento_id: "years", periodo: "2023" };
    const methods = await callTool("transacoesPorFormaPagamento", forms);
    expect(methods.text).toMatch(/ Call the tool again with a shorter `periodo`\.$/);
    const general = await callTool("visitas", { ...forms, por: "forma_pagamento", limite: 400 });
    expect(general.text).toMatch(/ Call the tool again with a smaller `limite`\.$/);
    expect((await callTool("visitas", { ...forms, por: "forma_pagamento" })).isError).toBe(false);
  });

  it("is a tool error that says that a single record cannot be shortened (M4)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      values ('longest', 'longest', jsonb_build_object('x', ${long + long}::text), now())`;
    const tooLong = (advice: RegExp) => ({ isError: true, text: expect.stringMatching(advice) });
    expect(await callTool("findLancamento", { id: "longest" })).toEqual(
      tooLong(/Call the tool again with `campos` set to the fields that you need\.$/),
    );
    const args = { campos: "raw_data", estabelecimento_id: "longest", per_page: 1 };
    expect(await callTool("listLancamentos", args)).toEqual(tooLong(/No argument makes it shorter\.$/));
  });

  it("is a tool error that says how to skip a long record in a list by cursor (M4)", async () => {
    await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
      select 'past-' || n, 'past', jsonb_build_object('x', ${long + long}::text), now() from generate_series(1, 2) as n`;
    const [first] = await sql`select min(id) as id from lancamentos where estabelecimento_id = 'past'`;
    const args = { campos: "raw_data", estabelecimento_id: "past", per_page: 1, after_id: 0 };
    const { text, isError } = await callTool("listLancamentos", args);
    expect(isError).toBe(true);
    expect(text).toMatch(/No argument makes it shorter\. To continue after it, send `after_id` \d+\.$/);
    expect(text).toContain(`\`after_id\` ${first?.id}.`);
  });
});
