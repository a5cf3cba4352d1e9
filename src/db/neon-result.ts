import { Buffer, isAscii } from "node:buffer";

interface Result {
  rows: unknown[][];
}
export type Answer = Result & { results?: Result[] };

/** Parses Neon's response and turns the body into UTF-8 bytes. @throws SyntaxError if it is not JSON */
export const readAnswer = (bytes: ArrayBuffer): Answer => {
  const buffer = Buffer.from(bytes);
  // latin1 takes half the CPU of UTF-8. Only the body is not ASCII, and its bytes are restored below. A `\u`
  // escape is a character, not a byte, so a response that contains one is decoded as UTF-8.
  const encoding = isAscii(buffer) || buffer.includes("\\u") ? "utf8" : "latin1";
  const answer = JSON.parse(buffer.toString(encoding)) as Answer;
  const row = (answer.results?.at(-1) ?? answer).rows[0];
  if (typeof row?.[0] === "string") row[0] = Buffer.from(row[0], encoding);
  return answer;
};
