// The panel's files: what a spreadsheet finds in them.
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { CHANGED_BY_EXCEL, excelText, KEPT_BY_EXCEL } from "../support/excel-texts.ts";
import { ROOT } from "../support/node/pages.ts";
import { clockOf, type Read, readWorkbook } from "../support/workbook.ts";

// The types of these modules need the DOM, which this TypeScript project does not have.
const panel = (name: string) => import(join(ROOT, "public/painel", name));
const [{ writeWorkbook }, { amount, count }, { loadRows }] = await Promise.all([
  panel("workbook.ts"),
  panel("record-columns.ts"),
  panel("whole.ts"),
]);

type Cell = { value: string | number | Date | null; format?: "money" | "day" };

const read = async (rows: Cell[][], columns = ["coluna"]): Promise<Read[][]> => {
  const file: Blob = await writeWorkbook({ name: "t", columns, rows });
  return readWorkbook(new Uint8Array(await file.arrayBuffer()));
};
/** The cells of one column. */
const readCells = async (cells: Cell[]) =>
  (
    await read(
      cells.map((cell) => [{ value: "-" }, cell]),
      ["a", "b"],
    )
  )
    .slice(1)
    .map(([, cell = null]) => cell);

const MONEY = "[$R$-416] #,##0.00";

describe("a workbook of the panel", () => {
  it("has amounts in reais with every cent, and other numbers as they are (A2)", async () => {
    expect(await read([[{ value: 1234.5, format: "money" }], [{ value: 0.07, format: "money" }]])).toEqual([
      [{ value: "coluna" }],
      [{ value: 1234.5, format: MONEY }],
      [{ value: 0.07, format: MONEY }],
    ]);
    expect(
      await readCells([{ value: 9999999999999.99, format: "money" }, { value: -3 }, { value: 1.125 }]),
    ).toEqual([{ value: 9999999999999.99, format: MONEY }, { value: -3 }, { value: 1.125 }]);
  });

  it("has a number of more than 15 digits as text (A2)", async () => {
    const row = { value: "12345678901234.56" };
    const columns = [
      amount("Valor", ({ value }: typeof row) => value),
      count("Quantidade", () => "1.50000000000000000"),
    ];
    const [long, short] = columns.map(({ value, format }) => ({
      value: value(row),
      ...(format && { format }),
    }));
    expect(await readCells([long, short, { value: 9007199254740991 }])).toEqual([
      { value: "12345678901234.56" },
      { value: 1.5 },
      { value: "9007199254740991" },
    ]);
  });

  it("has instants on the clock of Brasília, and days without a time (A2)", async () => {
    const cells = await readCells([
      { value: new Date("2026-11-22T17:32:05Z") },
      { value: new Date("2026-01-01T02:59:59Z") },
      { value: new Date("2019-01-01T12:00:00Z") },
      { value: new Date("2026-11-22T03:00:00Z"), format: "day" },
    ]);
    expect(cells.map((cell) => [clockOf(cell), cell?.format])).toEqual([
      ["2026-11-22T14:32:05.000Z", "dd/mm/yyyy hh:mm"],
      ["2025-12-31T23:59:59.000Z", "dd/mm/yyyy hh:mm"],
      ["2019-01-01T10:00:00.000Z", "dd/mm/yyyy hh:mm"],
      ["2026-11-22T00:00:00.000Z", "dd/mm/yyyy"],
    ]);
  });

  it("has dates that a spreadsheet cannot count as text (A2)", async () => {
    const dates = ["1850-05-01T15:00:00Z", "+020000-01-01T12:00:00Z"].map((at) => ({ value: new Date(at) }));
    for (const cell of await readCells(dates))
      expect(cell?.value).toMatch(/^01\/0[15]\/(1850|20000), \d\d:\d\d$/);
  });

  it("has no cell for null (A2)", async () => {
    expect(await read([[{ value: null }, { value: 1 }]], ["a", "b"])).toEqual([
      [{ value: "a" }, { value: "b" }],
      [null, { value: 1 }],
    ]);
  });

  it("has every text as it is: identifiers, formulas, dates (A2)", async () => {
    const random = fc.sample(fc.oneof(excelText, fc.string({ unit: "grapheme" })), {
      numRuns: 2000,
      seed: inject("fuzzSeed"),
    });
    const texts = [...CHANGED_BY_EXCEL, ...KEPT_BY_EXCEL, "007", "=1+1", "_x0041_", ...random].filter(
      // A space is added to names that every object has.
      (text) => !(text in {}) && text !== "",
    );
    const cells = await readCells(texts.map((value) => ({ value })));
    expect(cells.map((cell) => cell?.value)).toEqual(texts);
    expect(await readCells([{ value: "constructor" }, { value: "__proto__" }])).toEqual([
      { value: "constructor " },
      { value: "__proto__ " },
    ]);
  });

  it("is refused if a sheet has not so many rows (A2)", () => {
    expect(() => writeWorkbook({ name: "t", columns: [], rows: Array(1_048_576) })).toThrow(RangeError);
  });
});

describe("all rows of a report", () => {
  it("are those of its CSV, as JSON would have them (R22)", async () => {
    const asked: string[] = [];
    const service = {
      read: async (path: string, _: AbortSignal, onText: (text: string) => void) => {
        asked.push(path);
        onText('produto_id,produto_nome,valor_total,media,anterior_valor_total\r\n007,"a, ""b""\r\n"');
        onText(',10.50,,-1\r\n,"",0,2,3\r\n');
      },
    };
    const totais = { valor_total: 10.5, media: 2, anterior: { valor_total: 2 } };
    const load = (of: object) =>
      loadRows(service, "/v1/relatorios/vendas?limite=1100&por=produto", { data: [], totais: of });
    expect(await load(totais)).toEqual([
      {
        produto_id: "007",
        produto_nome: 'a, "b"\r\n',
        valor_total: 10.5,
        media: null,
        anterior: { valor_total: -1 },
      },
      { produto_id: null, produto_nome: "", valor_total: 0, media: 2, anterior: { valor_total: 3 } },
    ]);
    expect(asked).toEqual(["/v1/relatorios/vendas?formato=csv&por=produto"]);
    const { anterior: _, ...alone } = totais;
    expect(await load(alone)).toEqual([
      expect.not.objectContaining({ anterior: expect.anything() }),
      expect.anything(),
    ]);
  });
});
