// All that a list or a report has, for a file.
import { type Report, wholePath } from "./reports.ts";
import { exact, RequestError, type Service } from "./service.ts";

export interface Reading {
  signal: AbortSignal;
  /** Called with the number of records that have arrived. */
  onCount(records: number): void;
}

/** The records of a list, lowest id first. */
export const loadRecords = async (
  service: Pick<Service, "read">,
  path: string,
  { signal, onCount }: Reading,
): Promise<unknown[]> => {
  const records: unknown[] = [];
  let rest = "";
  await service.read(path, signal, (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) records.push(JSON.parse(line, exact));
    onCount(records.length);
  });
  if (rest !== "") throw new RequestError("broken", 0);
  return records;
};

/** The cells of CSV as the service writes it. One without text and quotes is null. */
const cellsOf = (csv: string): (string | null)[][] => {
  const records: (string | null)[][] = [];
  let cells: (string | null)[] = [];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n)/g)) {
    cells.push(quoted?.replaceAll('""', '"') ?? (plain || null));
    if (end === ",") continue;
    records.push(cells);
    cells = [];
  }
  return records;
};

/** What the names of earlier measures begin with. */
const EARLIER = /^anterior_/;

/** The rows of a report: numbers are what its totals have as numbers. */
const rowsIn = <Row>(csv: string, { totais }: Report<object, object>): Row[] => {
  const totals: Record<string, unknown> = { ...totais };
  const [names = [], ...records] = cellsOf(csv);
  return records.map((cells) => {
    const [row, anterior] = [{}, {}];
    for (const [index, name] of names.entries()) {
      const key = name?.replace(EARLIER, "") ?? "";
      const cell = cells[index] ?? null;
      const value = cell !== null && typeof totals[key] === "number" ? Number(cell) : cell;
      Object.assign(key === name ? row : anterior, { [key]: value });
    }
    return { ...row, ...(totals.anterior !== undefined && { anterior }) } as Row;
  });
};

/** All rows of a report whose answer has only the first ones. */
export const loadRows = async <Row>(
  service: Pick<Service, "read">,
  path: string,
  report: Report<object, object>,
  signal: AbortSignal,
): Promise<Row[]> => {
  let csv = "";
  await service.read(wholePath(path), signal, (text) => {
    csv += text;
  });
  return rowsIn(csv, report);
};
