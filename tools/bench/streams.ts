import { get, type IncomingMessage } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** How the bench and the drill read whole lists (X2). */

const LINE_END = 10;

/** @throws if the connection fails */
export const openStream = (url: string, Authorization: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { Authorization } }, resolve).on("error", reject);
  });

const countLines = (chunk: Buffer): number => {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines += 1;
  return lines;
};

interface Reading {
  /** Without it, as fast as the reader can. */
  bytesPerSecond?: number;
  /** The reader hangs up after this time. */
  seconds?: number;
}

/** Reads a whole list. @returns the number of records. @throws if the connection breaks off, or without a 200 */
export const readStream = async (
  response: IncomingMessage,
  { bytesPerSecond = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY }: Reading = {},
): Promise<number> => {
  if (response.statusCode !== 200) throw new Error(`a whole list answered ${response.statusCode}`);
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  let [records, bytes] = [0, 0];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    records += countLines(chunk);
    bytes += chunk.length;
    const early = (bytes * 1000) / bytesPerSecond - elapsedMs();
    if (early > 0) await wait(early);
    if (elapsedMs() > seconds * 1000) break;
  }
  return records;
};
