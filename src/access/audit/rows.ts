const [QUOTE, BACKSLASH, LINE_FEED] = [0x22, 0x5c, 0x0a];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);
/** How a body with rows begins. */
const ROWS = new TextEncoder().encode('{"data":[');

/** The records below the header. A line break in quotes is part of a value. */
const countRecords = (csv: Uint8Array): number => {
  let count = -1;
  let isQuoted = false;
  for (const byte of csv) {
    if (byte === QUOTE) isQuoted = !isQuoted;
    else if (byte === LINE_FEED && !isQuoted) count += 1;
  }
  return count;
};

/** The index of the quote that ends the string which begins at `start`. */
const endOfString = (json: Uint8Array, start: number): number => {
  let end = start;
  do end = json.indexOf(QUOTE, end + 1);
  while (end > 0 && isEscaped(json, end));
  return end < 0 ? json.length : end;
};

const isEscaped = (json: Uint8Array, at: number): boolean => {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
};

/** The elements of `data`. Parsing the body would take longer. */
const countElements = (json: Uint8Array): number => {
  let count = 0;
  let depth = 0;
  for (let at = ROWS.length; at < json.length && depth >= 0; at += 1) {
    const byte = json[at] as number;
    if (byte === QUOTE) at = endOfString(json, at);
    else if (OPENING.has(byte)) {
      if (depth === 0) count += 1;
      depth += 1;
    } else if (CLOSING.has(byte)) depth -= 1;
  }
  return count;
};

/** The number of rows in a body from Postgres. A body without rows is one record. */
export const countRows = (body: Uint8Array, { isCsv }: { isCsv: boolean }): number => {
  if (isCsv) return countRecords(body);
  return ROWS.every((byte, at) => body[at] === byte) ? countElements(body) : 1;
};
