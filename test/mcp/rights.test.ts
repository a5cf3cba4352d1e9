// @module-tag server
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Rights, UNRESTRICTED } from "../../src/core/rights.ts";
import { type Operation, operationsOf } from "../support/document.ts";
import { get, readDocument, sql } from "../support/worker/api.ts";
import { signTokenOf } from "../support/worker/client.ts";
import { connectClient, parseToolResult } from "../support/worker/mcp.ts";

let operations: { path: string; operation: Operation }[];

beforeAll(async () => {
  operations = operationsOf(await readDocument()).filter(({ path }) => /^\/v1\/(?!alteracoes\/)/.test(path));
});

const headersOf = async (rights: Rights) => ({ Authorization: `Bearer ${await signTokenOf(1, rights)}` });

const connect = async (rights: Rights) => connectClient(undefined, await headersOf(rights));

const call = async (rights: Rights, name: string, args: Record<string, unknown> = {}) =>
  parseToolResult(await (await connect(rights)).callTool({ name, arguments: args }));

const someRights: fc.Arbitrary<Rights> = fc.record({
  units: fc.constantFrom(
    null,
    ["101"],
    ["101", "201"],
    Array.from({ length: 40 }, (_, n) => `u${"x".repeat(60)}${n}`),
  ),
  personalData: fc.boolean(),
  payments: fc.boolean(),
});

describe("an assistant", () => {
  it("sees exactly the tools that it may call, and is told whose data it reads (M6, M7)", async () => {
    const property = fc.asyncProperty(someRights, async (rights) => {
      const client = await connect(rights);
      const names = new Set((await client.listTools()).tools.map(({ name }) => name));
      for (const { path, operation } of operations) {
        const { text, isError } = parseToolResult(
          await client.callTool({
            name: operation.operationId,
            arguments: path.includes("{id}") ? { id: "1" } : {},
          }),
        );
        const isRefused = isError && text.startsWith("This token may not read payments");
        expect([operation.operationId, names.has(operation.operationId)]).toEqual([
          operation.operationId,
          !isRefused,
        ]);
      }
      const instructions = client.getInstructions() ?? "";
      expect(instructions.length).toBeLessThanOrEqual(2000);
      expect(instructions.startsWith("## Sums")).toBe(true);
      expect(instructions.includes("every unit of the chain")).toBe(rights.units === null);
      expect(instructions.includes("You may not read ERP payments")).toBe(!rights.payments);
      expect(instructions.includes("are hidden from you")).toBe(!rights.personalData);
      if (rights.units?.length === 2) expect(instructions).toContain("only the units 101, 201:");
    });
    await fc.assert(property, { numRuns: 6, seed: inject("fuzzSeed") });
  });

  it("reads no description that promises all units (M7)", async () => {
    const { tools } = await (await connect(UNRESTRICTED)).listTools();
    expect(JSON.stringify(tools)).not.toMatch(/\ball (business )?units|every unit|whole chain/i);
  });
});

describe("a note beside a result", () => {
  const ONE: Rights = { units: ["101"], personalData: true, payments: false };
  const MASKED: Rights = { units: null, personalData: false, payments: true };

  it("says whose figures these are where they depend on units (M7)", async () => {
    for (const name of ["resumo", "faturamento", "painel", "listTransacoes"])
      expect((await call(ONE, name)).note, name).toBe("Only of the unit 101, which this token may read.");
    expect((await call(ONE, "resumo", { estabelecimento_id: "101" })).note).toMatch(/^Only of the unit 101/);
    for (const name of ["frescor", "listJobsLog"]) expect((await call(ONE, name)).note, name).toBeUndefined();
    expect((await call(ONE, "resumo", { estabelecimento_id: "201" })).note).toBeUndefined();
  });

  it("names the fields that are hidden, of those in the result (M7)", async () => {
    const [visit] = await sql`select salon_id from transacoes order by id limit 1`;
    const hidden = async (name: string, args?: Record<string, unknown>) =>
      /^Hidden from this token, not missing: (.*)\. It may not read personal data\.$/.exec(
        (await call(MASKED, name, args)).note ?? "",
      )?.[1];
    expect(await hidden("listTransacoes")).toBe("cliente_salon_id, cliente_nome, servicos");
    expect(await hidden("listTransacoes", { campos: "total,cliente_nome" })).toBe("cliente_nome");
    expect(await hidden("listTransacoes", { campos: "total" })).toBeUndefined();
    expect(await hidden("findTransacao", { id: String(visit?.salon_id) })).toMatch(/, raw_data$/);
    expect(await hidden("listProfissionais")).toBe("cpf");
    expect(await hidden("faturamento")).toBeUndefined();
  });

  it("leaves the result as the route sends it, and is absent with all rights (M3, M7)", async () => {
    for (const rights of [ONE, MASKED, UNRESTRICTED])
      for (const [name, path] of [
        ["listProfissionais", "/v1/profissionais?per_page=10"],
        ["faturamento", "/v1/relatorios/faturamento?por=unidade"],
      ] as const) {
        const { text, note } = await call(rights, name, name === "faturamento" ? { por: "unidade" } : {});
        const response = await get(path, await headersOf(rights));
        expect(text).toBe(await response.text());
        if (rights === UNRESTRICTED) expect(note).toBeUndefined();
      }
  });
});
