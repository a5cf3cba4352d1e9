// A table as an Excel workbook: numbers, dates and text arrive as such. Loaded when the first file is saved.
import writeExcelFile, { type CellObject } from "write-excel-file/universal";
import { instant } from "./format.ts";
import type { Cell, Format, Sheet } from "./sheet.ts";
import { clockAt } from "./view.ts";

const FORMATS = { money: "[$R$-416] #,##0.00", day: "dd/mm/yyyy" };
const INSTANT = "dd/mm/yyyy hh:mm";
/** What these formats show has at most so many characters. */
const FORMATTED_WIDTH = 18;
const MAX_WIDTH = 50;
const MAX_ROWS = 1_048_576;
const MAX_TEXT = 32_767;
/** Excel keeps 15 digits of a number. */
const MAX_NUMBER = 1e15;
/** Excel counts the days of other dates differently, or not at all. */
const [FIRST_DAY, DAYS_END] = [Date.UTC(1900, 2, 1), Date.UTC(10_000, 0, 1)];

const MINUTES = new Intl.DateTimeFormat("en", {
  timeZone: "America/Sao_Paulo",
  numberingSystem: "latn",
  minute: "numeric",
  second: "numeric",
});

/** A workbook has no time zones: its times are those of Brasília. */
const dateCell = (at: Date, format?: Format): CellObject => {
  const { today, hour } = clockAt(at);
  const part = (name: string) => Number(MINUTES.formatToParts(at).find(({ type }) => type === name)?.value);
  const onClock = new Date(today);
  if (format !== "day") onClock.setUTCHours(hour, part("minute"), part("second"));
  // The text of a year before 1000 would be read as another year.
  const isKnown = Math.min(at.getTime(), onClock.getTime()) >= FIRST_DAY && onClock.getTime() < DAYS_END;
  if (!isKnown) return { type: String, value: instant(at) };
  return { type: Date, value: onClock, format: format ? FORMATS[format] : INSTANT };
};

const textCell = (text: string): CellObject => {
  // Excel reads `_x0041_` as the letter A.
  const escaped = text.slice(0, MAX_TEXT).replaceAll(/_(?=x[\da-f]{4}_)/gi, "_x005F_");
  // The library looks texts up in an object, which has names of its own, like `constructor`.
  return { type: String, value: escaped in {} ? `${escaped} ` : escaped };
};

const cellOf = ({ value, format }: Cell): CellObject | null => {
  if (value === null) return null;
  if (value instanceof Date) return dateCell(value, format);
  if (typeof value === "string") return textCell(value);
  return Math.abs(value) < MAX_NUMBER
    ? { type: Number, value, ...(format && { format: FORMATS[format] }) }
    : textCell(String(value));
};

const widthOf = (cell: CellObject | null | undefined): number =>
  cell?.format === undefined ? String(cell?.value ?? "").length : FORMATTED_WIDTH;

/** @throws RangeError if a sheet of Excel has not so many rows */
export const writeWorkbook = ({ columns, rows }: Sheet): Promise<Blob> => {
  if (rows.length >= MAX_ROWS) throw new RangeError("too many rows");
  const heads = columns.map((title): CellObject => ({ ...textCell(title), fontWeight: "bold" }));
  const cells = rows.map((row) => row.map(cellOf));
  const widths = heads.map((head, index) =>
    cells.reduce((width, row) => Math.max(width, widthOf(row[index])), widthOf(head)),
  );
  return writeExcelFile([heads, ...cells], {
    sheet: "Dados",
    stickyRowsCount: 1,
    columns: widths.map((width) => ({ width: 2 + Math.min(width, MAX_WIDTH) })),
  }).toBlob();
};
