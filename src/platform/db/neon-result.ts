import { Buffer, isAscii } from "node:buffer";

interface Result {
  rows: unknown[][];
}
type NeonResult = Result & { results?: Result[] };

/** Parses Neon's response and turns the body into UTF-8 bytes. @throws SyntaxError if it is not JSON */
export const readNeonResult = (bytes: ArrayBuffer): NeonResult => {
  const buffer = Buffer.from(bytes);
  // latin1 takes half the CPU of UTF-8. Only the body is not ASCII, and its bytes are restored below. A `\u`
  // escape is a character, not a byte, so a response that contains one is decoded as UTF-8.
  const encoding = isAscii(buffer) || buffer.includes("\\u") ? "utf8" : "latin1";
  const result = JSON.parse(buffer.toString(encoding)) as NeonResult;
  const row = (result.results?.at(-1) ?? result).rows[0];
  if (typeof row?.[0] === "string") row[0] = Buffer.from(row[0], encoding);
  return result;
};
