// Reads an Excel workbook back: its first sheet, from the XML in its zip.
import { strFromU8, unzipSync } from "fflate/browser";

/** A number, a date or text, and the format of a number. A workbook has dates as numbers of days. */
export type Read = { value: number | string; format?: string } | null;

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
const decode = (xml: string) =>
  xml
    .replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? "?")
    .replaceAll(/_x([\dA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const attributesOf = (tag: string) =>
  Object.fromEntries(
    [...tag.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name, value = ""]) => [name, decode(value)]),
  );

/** The number format of each style; undefined if it is general. */
const formatsIn = (styles: string) => {
  const codes = new Map(
    [...styles.matchAll(/<numFmt [^>]*>/g)].map(([tag]) => {
      const { numFmtId = "", formatCode } = attributesOf(tag);
      return [numFmtId, formatCode];
    }),
  );
  const used = /<cellXfs.*?<\/cellXfs>/s.exec(styles)?.[0] ?? "";
  return [...used.matchAll(/<xf [^>]*>/g)].map(([tag]) => codes.get(attributesOf(tag).numFmtId ?? ""));
};

/** Column A is 0. */
const columnOf = (address: string) =>
  [...address.replace(/\d+$/, "")].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;

export const readWorkbook = (bytes: Uint8Array): Read[][] => {
  const files = Object.entries(unzipSync(bytes)).map(
    ([name, content]) => [name, strFromU8(content)] as const,
  );
  const xmlOf = (ending: string) => files.find(([name]) => name.endsWith(ending))?.[1] ?? "";
  const texts = [...xmlOf("sharedStrings.xml").matchAll(/<si><t[^>]*>(.*?)<\/t><\/si>/gs)].map(
    ([, text = ""]) => decode(text),
  );
  const formats = formatsIn(xmlOf("styles.xml"));
  return [...xmlOf("sheet1.xml").matchAll(/<row [^>]*?(?:\/>|>(.*?)<\/row>)/gs)].map(([, row = ""]) => {
    const cells: Read[] = [];
    for (const [, tag = "", content = ""] of row.matchAll(/<c ([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
      const { r = "", s, t } = attributesOf(tag);
      const found = /<v>(.*)<\/v>/s.exec(content)?.[1];
      if (found === undefined) throw new Error(`the cell ${r} has no value: ${content}`);
      const format = formats[Number(s)];
      const value = t === "s" ? (texts[Number(found)] ?? "") : Number(found);
      cells[columnOf(r)] = { value, ...(t !== "s" && format !== undefined && { format }) };
    }
    return Array.from(cells, (cell) => cell ?? null);
  });
};

/** The time on the clock of a cell with a date. */
export const clockOf = (cell: Read | undefined): string =>
  new Date(Math.round((Number(cell?.value) - 25_569) * 86_400_000)).toISOString();
