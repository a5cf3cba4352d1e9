// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { type Rights, UNRESTRICTED } from "../../../src/core/rights.ts";
import { type Operation, operationsOf } from "../../support/document.ts";
import { get, readDocument, sql } from "../../support/worker/api.ts";
import { signTokenOf } from "../../support/worker/client.ts";
import { connectClient, parseToolResult } from "../../support/worker/mcp.ts";

let operations: { path: string; operation: Operation }[];

beforeAll(async () => {
  operations = operationsOf(await readDocument()).filter(({ path }) => /^\/v1\/(?!alteracoes\/)/.test(path));
});

const headersOf = async (rights: Rights) => ({ Authorization: `Bearer ${await signTokenOf(1, rights)}` });

const connect = async (rights: Rights) => connectClient(undefined, await headersOf(rights));

const call = async (rights: Rights, name: string, args: Record<string, unknown> = {}) =>
  parseToolResult(await (await connect(rights)).callTool({ name, arguments: args }));

const UNITS: Rights["units"][] = [
  null,
  ["101"],
  ["101", "201"],
  Array.from({ length: 12 }, (_, n) => "x".repeat(62) + String(n).padStart(2, "0")),
];

/** Every combination of rights. */
const COMBINATIONS: Rights[] = UNITS.flatMap((units) =>
  [true, false].flatMap((personalData) =>
    [true, false].map((payments) => ({ units, personalData, payments })),
  ),
);

describe("an assistant", () => {
  it.each([true, false])(
    "sees exactly the tools that it may call, if payments are %s (M7)",
    async (payments) => {
      const client = await connect({ ...UNRESTRICTED, payments });
      const names = new Set((await client.listTools()).tools.map(({ name }) => name));
      for (const { path, operation } of operations) {
        const { text, isError } = parseToolResult(
          await client.callTool({
            name: operation.operationId,
            arguments: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, "1"])),
          }),
        );
        const isRefused = isError && text.startsWith("This token may not read payments");
        expect([path, names.has(operation.operationId)]).toEqual([path, !isRefused]);
      }
      expect(names.has("pagamentos")).toBe(payments);
    },
  );

  it.each(COMBINATIONS)(
    "gets instructions of at most 2,000 characters, which say whose data it reads: %j (M6, M7)",
    async (rights) => {
      const { units, personalData, payments } = rights;
      const instructions = (await connect(rights)).getInstructions() ?? "";
      expect(instructions.length).toBeLessThanOrEqual(2000);
      expect(instructions.startsWith("## Sums")).toBe(true);
      expect(instructions.includes("reads every unit of the chain")).toBe(units === null);
      expect(instructions.includes("; jobs and ERP payments are of the whole chain")).toBe(
        units !== null && payments,
      );
      expect(instructions.includes("; jobs are of the whole chain")).toBe(units !== null && !payments);
      expect(instructions.includes("may not read ERP payments")).toBe(!payments);
      expect(instructions.includes("may not read personal data")).toBe(!personalData);
      if (units?.length === 2) expect(instructions).toContain("reads only units 101, 201;");
      if (units?.length === 12)
        expect(instructions).toContain("reads only 12 units (`direitos` of `frescor`);");
    },
  );

  it("reads no description that promises all units (M7)", async () => {
    const { tools } = await (await connect(UNRESTRICTED)).listTools();
    expect(JSON.stringify(tools)).not.toMatch(/\ball (business )?units|every unit|whole chain/i);
  });
});

describe("a note beside a result", () => {
  const TWO: Rights = { units: ["101", "201"], personalData: true, payments: false };
  const MASKED: Rights = { units: null, personalData: false, payments: true };
  const TWO_UNITS = "This token reads only units 101, 201; jobs are of the whole chain.";

  it("says whose figures these are, whatever was asked for (M7)", async () => {
    for (const name of [
      "resumo",
      "faturamento",
      "painel",
      "listTransacoes",
      "listEstabelecimentos",
      "frescor",
    ])
      expect((await call(TWO, name)).note, name).toBe(TWO_UNITS);
    expect((await call(TWO, "resumo", { estabelecimento_id: "101" })).note).toBe(TWO_UNITS);
    expect((await call({ ...TWO, payments: true }, "pagamentos")).note).toBe(
      "This token reads only units 101, 201; jobs and ERP payments are of the whole chain.",
    );
    expect((await call(TWO, "resumo", { estabelecimento_id: "102" })).note).toBeUndefined();
  });

  it("names the fields that are hidden, of those in the result (M7)", async () => {
    const [visit] = await sql`select salon_id from transacoes order by id limit 1`;
    const hidden = async (name: string, args?: Record<string, unknown>) =>
      (await call(MASKED, name, args)).note;
    const clients = "cliente_salon_id, cliente_nome";
    expect(await hidden("listTransacoes")).toBe(
      `Hidden from this token, with or without a value: ${clients}. Shortened: items of servicos.`,
    );
    expect(await hidden("listTransacoes", { campos: "total,cliente_nome" })).toBe(
      "Hidden from this token, with or without a value: cliente_nome.",
    );
    expect(await hidden("listTransacoes", { campos: "total" })).toBeUndefined();
    expect(await hidden("findTransacao", { id: String(visit?.salon_id) })).toContain(
      `${clients}, raw_data. `,
    );
    expect(await hidden("listProfissionais")).toBe("Hidden from this token, with or without a value: cpf.");
    expect(await hidden("faturamento")).toBeUndefined();
  });

  it("names the error of jobs, which a list of units hides, too (A11, M7)", async () => {
    expect((await call(TWO, "listJobsLog")).note).toBe(
      `${TWO_UNITS} Hidden from this token, with or without a value: error.`,
    );
    expect((await call(TWO, "listJobsLog", { campos: "id,status" })).note).toBe(TWO_UNITS);
  });

  it("leaves the result as the route sends it, and is absent with all rights (M3, M7)", async () => {
    for (const rights of [TWO, MASKED, UNRESTRICTED])
      for (const [name, args, path] of [
        ["listProfissionais", {}, "/v1/profissionais?per_page=10"],
        ["faturamento", { por: "unidade" }, "/v1/relatorios/faturamento?por=unidade"],
      ] as const) {
        const { text, note } = await call(rights, name, args);
        expect(text).toBe(await (await get(path, await headersOf(rights))).text());
        if (rights === UNRESTRICTED) expect(note).toBeUndefined();
      }
  });
});
