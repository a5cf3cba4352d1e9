import { Buffer, isAscii } from "node:buffer";

interface Result {
  rows: unknown[][];
}
type NeonResult = Result & { results?: Result[] };

/** From this size on, a body is read in slices: strings of its whole length are garbage that V8 collects late. */
const LARGE = 1024 * 1024;
/** What is before a body, and what is after it, is shorter. */
const MARGIN = 16 * 1024;
/** V8 collects strings of this length soon. */
const SLICE = 64 * 1024;
/** After so many bytes, which take some milliseconds, other requests of the isolate run. */
const YIELD_BYTES = 8 * SLICE;

// Within a JSON string, each quote has a backslash before it, so neither can occur in a body.
const BEFORE_BODY = '"rows":[["';
/** The closing quote, and the other columns of the row. */
const AFTER_BODY = /"(?:,(?:null|"[^"\\]*"))*$/;
const BACKSLASH = 0x5c;
/** The length of the longest escape, `\u1234`. */
const ESCAPE = 6;

const lastRowOf = (result: NeonResult) => (result.results?.at(-1) ?? result).rows[0];

// latin1 takes half the CPU of UTF-8. Only the body is not ASCII, and its bytes are restored below. A `\u`
// escape is a character, not a byte, so text that contains one is decoded as UTF-8.
const encodingOf = (bytes: Buffer) => (bytes.includes("\\u") ? "utf8" : "latin1");

/** Where the body that starts at `start` ends; undefined if that is not known. */
const endOfBody = (bytes: Buffer, start: number): number | undefined => {
  const from = Math.max(start, bytes.length - MARGIN);
  const text = bytes.toString("latin1", from);
  const match = AFTER_BODY.exec(text.slice(0, Math.max(0, text.lastIndexOf("]]"))));
  return match ? from + match.index : undefined;
};

/** The first place from `at` on that is within no escape, no pair of escapes, and no character. */
const nextCut = (bytes: Buffer, at: number, end: number): number => {
  let cut = at;
  while (
    cut < end &&
    (((bytes[cut] ?? 0) & 0xc0) === 0x80 || bytes.subarray(cut - ESCAPE, cut).includes(BACKSLASH))
  )
    cut += 1;
  return Math.min(cut, end);
};

/** Unescapes a body in its own buffer: it never gets longer. @returns undefined if it is not found */
const readLarge = async (bytes: Buffer): Promise<NeonResult | undefined> => {
  const start = bytes.toString("latin1", 0, MARGIN).lastIndexOf(BEFORE_BODY) + BEFORE_BODY.length;
  const end = start < BEFORE_BODY.length ? undefined : endOfBody(bytes, start);
  if (end === undefined) return undefined;
  const result = JSON.parse(bytes.toString("utf8", 0, start) + bytes.toString("utf8", end)) as NeonResult;
  let written = start;
  let yieldAt = start + YIELD_BYTES;
  for (let from = start; from < end; ) {
    if (from >= yieldAt) {
      await scheduler.wait(0);
      yieldAt = from + YIELD_BYTES;
    }
    const slice = bytes.subarray(from, nextCut(bytes, from + SLICE, end));
    const encoding = encodingOf(slice);
    written += bytes.write(JSON.parse(`"${slice.toString(encoding)}"`), written, encoding);
    from += slice.length;
  }
  const row = lastRowOf(result);
  if (row?.[0] === "") row[0] = bytes.subarray(start, written);
  return result;
};

/** Parses Neon's response and turns the body into UTF-8 bytes. @throws SyntaxError if it is not JSON */
export const readNeonResult = async (bytes: ArrayBuffer): Promise<NeonResult> => {
  const buffer = Buffer.from(bytes);
  const large = buffer.length < LARGE ? undefined : await readLarge(buffer);
  if (large) return large;
  const encoding = isAscii(buffer) ? "utf8" : encodingOf(buffer);
  const result = JSON.parse(buffer.toString(encoding)) as NeonResult;
  const row = lastRowOf(result);
  if (typeof row?.[0] === "string") row[0] = Buffer.from(row[0], encoding);
  return result;
};
