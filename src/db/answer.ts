import { Buffer, isAscii } from "node:buffer";

/** What Neon's protocol tells of a statement; a row is an array of texts. */
interface Result {
  rows: unknown[][];
}
export type Answer = Result & { results?: Result[] };

/**
 * An answer of the database, in which the body, the first value of its last statement's first row, is its UTF-8 bytes;
 * every other value is ASCII. A body is JSON within JSON, and goes out as it came in: read a byte a character it never
 * becomes a string of two bytes a character, which took twice the CPU. Where characters
 * are escaped by their number, or all is ASCII, that would not tell which byte is which: the answer is read as text.
 * @throws SyntaxError when it is not JSON
 */
export const readAnswer = (bytes: ArrayBuffer): Answer => {
  const buffer = Buffer.from(bytes);
  const encoding = isAscii(buffer) || buffer.includes("\\u") ? "utf8" : "latin1";
  const answer = JSON.parse(buffer.toString(encoding)) as Answer;
  const row = (answer.results?.at(-1) ?? answer).rows[0];
  if (typeof row?.[0] === "string") row[0] = Buffer.from(row[0], encoding);
  return answer;
};
