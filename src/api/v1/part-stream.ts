import type { Part } from "../../platform/db/parts.ts";

interface Parts {
  first: Part;
  readNext: (start: NonNullable<Part["next"]>) => Promise<Part>;
  /** Whether the reader is still there. */
  isWanted: () => boolean;
  /** Gets the error that ends the stream. */
  onBreak: (error: unknown) => void;
}

/** The reader hung up. */
class HungUp extends Error {}

const hungUp = () => {
  throw new HungUp();
};

/** Hands a part over, and frees its memory: V8 collects buffers late, so parts would pile up. @throws HungUp */
const hand = async (writer: WritableStreamDefaultWriter, { body }: Part): Promise<void> => {
  if (body.length === 0) return;
  await writer.write(body).catch(hungUp);
  // The stream holds nothing back: its reader has taken all of it.
  body.buffer.transfer(0);
};

/**
 * A body of parts, each of which is read when its reader has taken the one before (X2). If one cannot be read, the
 * stream fails, so that the connection ends without the last chunk.
 * @param reason what the stream fails with
 * @returns the body, and a promise for the end of the stream: the number of records that its reader may have received
 */
export const streamOf = ({ first, readNext, isWanted, onBreak }: Parts, reason: string) => {
  const { readable, writable } = new IdentityTransformStream();
  const writer = writable.getWriter();
  const send = async (): Promise<number> => {
    let records = 0;
    try {
      for (let part: Part | undefined = first; part; part = part.next && (await readNext(part.next))) {
        if (!isWanted()) hungUp();
        records += part.records;
        await hand(writer, part);
      }
      await writer.close().catch(hungUp);
    } catch (error) {
      if (error instanceof HungUp || !isWanted()) return records;
      onBreak(error);
      await writer.abort(new Error(reason)).catch(() => {}); // mistake: ends-cleanly
    }
    return records;
  };
  return { body: readable, records: send() };
};
