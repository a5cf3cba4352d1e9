import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Takes a folder for this process until it exits. A lock whose process is gone is taken over. */
export const lockFolder = (folder: string, taken: () => Error): void => {
  const file = join(folder, "lock");
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
  } catch {
    const holder = Number(readFileSync(file, "utf8"));
    if (holder > 0 && isRunning(holder)) throw taken();
    writeFileSync(file, String(process.pid));
  }
  process.once("exit", () => rmSync(file, { force: true }));
};
