import { writeSync } from "node:fs";

const STDOUT = 1;
const FULL_PIPE_MS = 10;

/** Writes a line, and returns once it is written. @throws if stdout is full, or its reader has closed it */
export const writeLine = (line: string): void => {
  let rest = Buffer.from(`${line}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(STDOUT, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    }
  }
};
