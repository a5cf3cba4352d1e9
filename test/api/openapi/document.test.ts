import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SOURCES } from "../../../src/api/v1/relatorios/sources/index.ts";
import { REASON_PHRASES, type RefusalStatus } from "../../../src/core/errors.ts";
import { RELATIVE_PERIODS } from "../../../src/core/periods.ts";
import { answerOf, type Document, operationsOf, type Schema } from "../../support/document.ts";
import { get, readDocument, send } from "../../support/worker/api.ts";

/** The columns of a general report are those that were asked for. */
const OF_GENERAL = new RegExp(`^(${SOURCES.map(({ name }) => name).join("|")})(Linha|Medidas|Totais)$`, "i");
const isOptional = (schema: string, field: string) =>
  OF_GENERAL.test(schema) ||
  schema === "LogoutRequest" ||
  field === "anterior" ||
  field === "explicacao" ||
  (schema === "Servico" && field === "idProfissionalQueRealizouServico");

const DEFAULTS: Record<string, unknown> = { page: 1, per_page: 50, data: "vencimento", granularidade: "mes" };

let document: Document;

beforeAll(async () => {
  document = await readDocument();
});

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1, has version 1.0.0 and declares the bearer scheme", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.0.0");
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    });
  });

  it("requires every field that a body always has, and no column of a general report (R20)", () => {
    for (const [name, { properties = {}, required = [] }] of Object.entries(document.components.schemas)) {
      const always = Object.keys(properties).filter((field) => !isOptional(name, field));
      expect([name, required.toSorted()]).toEqual([name, always.sort()]);
    }
  });

  it("has a parameter of several operations once, in its components (I1)", async () => {
    const sent: Document = parse(await (await get("/openapi.yaml")).text());
    const used = operationsOf(sent).flatMap(({ operation: { parameters = [] } }) =>
      parameters.map((one) => JSON.stringify(one)),
    );
    const isReference = (one: string) => one.startsWith('{"$ref"');
    const shared = Object.values(sent.components.parameters).map((one) => JSON.stringify(one));
    const all = [...shared, ...used.filter((one) => !isReference(one))];
    expect(all).toEqual([...new Set(all)]);
    expect(new Set(used.filter(isReference)).size).toBe(shared.length);
  });

  it("requires a parameter if and only if it is in the path, and no default is unknown", () => {
    for (const { path, operation } of operationsOf(document))
      for (const { name, required = false, in: place, schema } of operation.parameters ?? []) {
        expect([path, name, required]).toEqual([path, name, place === "path"]);
        expect([path, name, schema.default]).toEqual([path, name, DEFAULTS[name]]);
      }
  });

  it("gives the last instant of a day in Brasília as the example of every `data_fim` (I3)", () => {
    const examples = operationsOf(document).flatMap(({ operation: { parameters = [] } }) =>
      parameters.flatMap(({ name, schema }) => (name === "data_fim" ? [String(schema.example)] : [])),
    );
    expect(examples.length).toBeGreaterThan(10);
    expect(examples.filter((example) => !example.endsWith("T23:59:59.999999-03:00"))).toEqual([]);
  });

  it("says that irregular data of the source passes unchanged in raw_data and servicos (V2)", () => {
    const fields = Object.values(document.components.schemas).flatMap(({ properties = {} }) =>
      Object.entries(properties),
    );
    // A report has a field `servicos`, too: a count.
    const payloads = fields.filter(
      ([name, field]) => /^(raw_data|servicos)$/.test(name) && ![field.type].flat().includes("integer"),
    );
    expect(payloads).toHaveLength(6);
    for (const [, { description }] of payloads)
      expect(description).toMatch(/Irregular data of the source passes through unchanged/);
  });

  it("has an example of its own for each error of each operation, as the service words it (E1, D2)", async () => {
    const messages = new Map<string, Set<string>>();
    for (const { path, operation } of operationsOf(document))
      for (const status of Object.keys(operation.responses).filter((one) => Number(one) >= 400)) {
        const { content } = answerOf(document, operation, status);
        const example = content?.["application/json"]?.example as { error: string; message: string };
        expect([path, status, example?.error]).toEqual([
          path,
          status,
          REASON_PHRASES[Number(status) as RefusalStatus],
        ]);
        messages.set(example.message, new Set([...(messages.get(example.message) ?? []), status]));
      }
    expect([...messages.values()].filter(({ size }) => size > 1)).toEqual([]);
    const answered = async (answer: Promise<Response>) =>
      ((await (await answer).json()) as { message: string }).message;
    for (const message of [
      await answered(send("/v1/frescor", { headers: { Authorization: "Bearer x" } })),
      await answered(get("/v1/jobs-log?per_page=0")),
    ])
      expect(messages.has(message)).toBe(true);
  });

  it("lists every name that `periodo` takes beside the parameter (I7)", async () => {
    const { paths } = await readDocument();
    const described = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === "periodo"));
    expect(described.length).toBeGreaterThan(5);
    for (const { description } of described)
      for (const name of [...RELATIVE_PERIODS, "2026-T4", "2026-S48", "2026-11-30"])
        expect(description).toContain(name);
  });

  it("gives every integer the format int64 and every other number the format double (D2)", () => {
    const numbers: Schema[] = [];
    const collect = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const { type } = node as Schema;
      if ([type].flat().some((one) => one === "integer" || one === "number")) numbers.push(node as Schema);
      for (const [name, child] of Object.entries(node)) if (name !== "example") collect(child);
    };
    collect(document);
    expect(numbers.length).toBeGreaterThan(100);
    const formats = numbers.map(({ type, format }) => `${[type].flat()[0]} ${format}`);
    expect(new Set(formats)).toEqual(new Set(["integer int64", "number double"]));
  });

  it("has {data, pagination} in lists, {data} in fixed reports and in the list of units, and more in general reports (R20, R22)", () => {
    const keys = (path: string) => {
      const schema = document.paths[path]?.get?.responses["200"]?.content?.["application/json"]?.schema;
      return Object.keys(document.components.schemas[schema?.$ref?.split("/").pop() ?? ""]?.properties ?? {});
    };
    for (const path of [
      "transacoes",
      "lancamentos",
      "pagamentos-erp",
      "profissionais",
      "produtos",
      "vendas-produto",
      "jobs-log",
    ]) {
      expect(keys(`/v1/${path}`), path).toEqual(["data", "pagination"]);
    }
    for (const path of [
      "estabelecimentos",
      "relatorios/transacoes-por-profissional",
      "relatorios/transacoes-por-forma-pagamento",
    ]) {
      expect(keys(`/v1/${path}`), path).toEqual(["data"]);
    }
    for (const { name } of SOURCES)
      expect(keys(`/v1/relatorios/${name}`), name).toEqual([
        "data",
        "linhas",
        "totais",
        "anterior",
        "explicacao",
      ]);
  });
});
