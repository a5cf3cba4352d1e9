import { Buffer, isAscii } from "node:buffer";

interface Result {
  rows: unknown[][];
}
export type Answer = Result & { results?: Result[] };

/** Parses Neon's response. The body becomes a Buffer of UTF-8. @throws SyntaxError if the response is not JSON */
export const readAnswer = (bytes: ArrayBuffer): Answer => {
  const buffer = Buffer.from(bytes);
  // latin1 takes half the CPU of UTF-8, and works because all values except the body are ASCII. A `\u` escape is a
  // code point instead of UTF-8 bytes, so a response that contains one is decoded as UTF-8.
  const encoding = isAscii(buffer) || buffer.includes("\\u") ? "utf8" : "latin1";
  const answer = JSON.parse(buffer.toString(encoding)) as Answer;
  const row = (answer.results?.at(-1) ?? answer).rows[0];
  if (typeof row?.[0] === "string") row[0] = Buffer.from(row[0], encoding);
  return answer;
};
