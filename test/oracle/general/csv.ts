/** The cells of CSV with CRLF after each record. An empty cell without quotes is null (X1). */
const csvRecords = (text: string): (string | null)[][] => {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [, quotedText, plain = "", end] = match;
    record.push(quotedText?.replaceAll('""', '"') ?? (plain === "" ? null : plain));
    if (end === "\r\n") {
      records.push(record);
      record = [];
    }
    if (cell.lastIndex === text.length) return records;
  }
  throw new Error(`no CSV: ${text.slice(0, 200)}`);
};

/** A cell as JSON has it. Two numbers may be written differently. */
const asText = (value: unknown): string | null => {
  if (value === null) return null;
  const text = String(value);
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text;
};

/** The records of CSV and those of the rows, comparable. */
export const comparableCsv = (
  text: string,
  rows: Record<string, unknown>[],
): { actual: unknown; expected: unknown } => {
  const [header = [], ...records] = csvRecords(text);
  const flat = rows.map(({ anterior, ...row }) => ({
    ...row,
    ...Object.fromEntries(Object.entries(anterior ?? {}).map(([name, value]) => [`anterior_${name}`, value])),
  }));
  const names = header.map(String);
  return {
    actual: [flat.length > 0 ? names : [], ...records.map((record) => record.map(asText))],
    expected: [Object.keys(flat[0] ?? {}), ...flat.map((row) => Object.values(row).map(asText))],
  };
};
