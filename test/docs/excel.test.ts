// @module-tag slow
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, inject, it } from "vitest";
import { CHANGED_BY_EXCEL, excelText, KEPT_BY_EXCEL } from "../support/excel-texts.ts";
import { openDatabase } from "../support/node/databases.ts";
import { excelCsvOf } from "../support/node/excel-csv.ts";
import { LIBREOFFICE } from "../support/node/installed.ts";
import { ROOT } from "../support/node/pages.ts";

// The types of this module need the DOM, which this TypeScript project does not have.
const { writeWorkbook } = await import(join(ROOT, "public/painel/workbook.ts"));

const { base } = inject("docs");
const folder = mkdtempSync(join(tmpdir(), "excel-"));
afterAll(() => rmSync(folder, { recursive: true }));

const signIn = async () => {
  const body = JSON.stringify({ email: "demo@example.com", password: "demo-password" });
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${base}/auth/login`, { method: "POST", headers, body });
  return (await response.json()) as { access_token: string };
};

/** A cell of a spreadsheet: what LibreOffice takes it for, and its value. */
type Cell = [type: string, value: string];

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const decode = (text: string) =>
  text
    .replaceAll(/<text:s(?: text:c="(\d+)")?\/>/g, (_, count = "1") => " ".repeat(Number(count)))
    .replaceAll("<text:tab/>", "\t")
    .replace(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? "?");

const LANGUAGES = { Portuguese: 1046, English: 1033 };

/** Opens the file as Excel would. @param extension of its name @param options of LibreOffice */
const openFile = (file: Buffer, program: string, extension: string, options: string[] = []): Cell[][] => {
  const name = join(folder, `table.${extension}`);
  writeFileSync(name, file);
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  const output = ["--convert-to", "fods", "--outdir", folder, name];
  execFileSync(program, [profile, "--headless", ...options, ...output], { stdio: "ignore" });
  const xml = readFileSync(join(folder, "table.fods"), "utf8");
  return [...xml.matchAll(/<table:table-row.*?<\/table:table-row>/gs)].map(([row]) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, attributes = "", content = ""]) => {
        const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1];
        const text = [...content.matchAll(/<text:p>(.*?)<\/text:p>/gs)]
          .map(([, line = ""]) => line)
          .join("\n");
        const value = attribute("office:value") ?? attribute("office:date-value") ?? decode(text);
        const cell: Cell = [attribute("office:value-type") ?? "empty", value];
        return Array<Cell>(Number(attribute("table:number-columns-repeated") ?? 1)).fill(cell);
      },
    ),
  );
};

const brasilia = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "America/Sao_Paulo",
  dateStyle: "short",
  timeStyle: "medium",
});

/** Text as it was stored. A short id becomes a number that looks the same. */
const storedText = (text: string): Cell => {
  if (text === "") return ["empty", ""];
  return [/^(0|[1-9]\d{0,7})$/.test(text) ? "float" : "string", text];
};

/** CSV: UTF-8, semicolons, numbers and dates of the language recognized. */
const openCsv = (csv: Buffer, program: string, language = LANGUAGES.Portuguese): Cell[][] =>
  openFile(csv, program, "csv", [`--infilter=CSV:59,34,76,1,,${language},false,true`]);

const cellOf = (name: string, value: unknown): Cell => {
  if (value === null) return ["empty", ""];
  const text = String(value);
  if (
    typeof value === "number" ||
    /^(total|valor|quantidade|ticket|enviadas|pendentes|parcelas|qtd)/.test(name)
  )
    return ["float", String(Number(text))];
  if (/^\d{4}-\d\d-\d\dT/.test(text)) {
    const wall = brasilia.format(new Date(text)).replace(" ", "T");
    return ["date", wall.replace(/T00:00:00$/, "")];
  }
  if (typeof value === "boolean") return ["boolean", text];
  return storedText(text);
};

it.for([
  "transacoes?per_page=200",
  "vendas-produto?per_page=200",
  "profissionais?per_page=200",
  "jobs-log?per_page=50",
  "relatorios/visitas?por=unidade&",
  "relatorios/vendas?por=produto&",
])("excel opens in LibreOffice with the values of the JSON response: %s (X1)", async (path, { skip }) => {
  if (LIBREOFFICE === undefined) return skip("not installed: LibreOffice (apt-get install libreoffice-calc)");
  const headers = { Authorization: `Bearer ${(await signIn()).access_token}` };
  const read = (query: string) => fetch(`${base}/v1/${path}${query}`, { headers });
  const { data } = (await (await read("")).json()) as { data: Record<string, unknown>[] };
  const csv = await read("&formato=excel");
  const [header = [], ...rows] = openCsv(Buffer.from(await csv.arrayBuffer()), LIBREOFFICE);
  const names = header.map(([, name]) => name);
  expect(names).toEqual(Object.keys(data[0] ?? {}).filter((name) => !/^(raw_data|servicos)$/.test(name)));
  expect(data.length).toBeGreaterThan(5);
  const isBoolean = (value: unknown) => typeof value === "boolean";
  const withoutFlags = names.filter((name) => !isBoolean(data[0]?.[name]));
  for (const [n, record] of data.entries())
    expect(withoutFlags.map((name) => rows[n]?.[names.indexOf(name)])).toEqual(
      withoutFlags.map((name) => cellOf(name, record[name])),
    );
});

// LibreOffice shows a formula that has a line break instead of its text.
const textsToKeep = () =>
  [
    ...CHANGED_BY_EXCEL,
    ...KEPT_BY_EXCEL,
    ...fc.sample(excelText, { numRuns: 2000, seed: inject("fuzzSeed") }),
  ].filter((text) => text !== "" && !/[\r\n]/.test(text));

it.for(Object.entries(LANGUAGES))(
  "excel gives back every text as it was stored, in %s (X1)",
  async ([, language], { skip }) => {
    if (LIBREOFFICE === undefined)
      return skip("not installed: LibreOffice (apt-get install libreoffice-calc)");
    const texts = textsToKeep();
    const database = await openDatabase(process.env.TEST_DATABASE_URL);
    const csv = await excelCsvOf(database.url, texts).finally(() => database.close());
    const [, ...rows] = openCsv(Buffer.from(csv), LIBREOFFICE, language);
    expect(rows.map(([cell]) => cell)).toEqual(texts.map(storedText));
  },
);

it("a workbook of the panel opens with its numbers, dates and texts (A2)", async ({ skip }) => {
  if (LIBREOFFICE === undefined) return skip("not installed: LibreOffice (apt-get install libreoffice-calc)");
  const texts = [...textsToKeep(), "=1+1", "_x0041_"];
  const cells: [given: object, opened: Cell][] = [
    [{ value: 1234.56, format: "money" }, ["currency", "1234.56"]],
    [{ value: -7 }, ["float", "-7"]],
    [{ value: new Date("2026-11-22T17:32:05Z") }, ["date", "2026-11-22T14:32:05"]],
    [{ value: new Date("2026-11-22T03:00:00Z"), format: "day" }, ["date", "2026-11-22"]],
    [{ value: null }, ["empty", ""]],
    ...texts.map((value): [object, Cell] => [{ value }, ["string", value]]),
  ];
  const rows = cells.map(([cell]) => [cell, { value: "fim" }]);
  const file: Blob = await writeWorkbook({ name: "t", columns: ["célula", "fim"], rows });
  const [, ...opened] = openFile(Buffer.from(await file.arrayBuffer()), LIBREOFFICE, "xlsx");
  expect(opened.map(([cell]) => cell)).toEqual(cells.map(([, cell]) => cell));
});
