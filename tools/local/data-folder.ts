import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tryLock } from "fs-native-extensions";
import { DATA, isTemporary, LOCK, readLock } from "./running-demo.ts";
import { StartError } from "./start-error.ts";

/**
 * Locks a folder of `.data/` for this process until it exits. No other user of the machine can read it.
 * @param temporary the process's folder for temporary files
 * @throws the error that `inUse` returns, if another process holds the lock
 */
export const takeFolder = async (name: string, temporary: string, inUse: () => Error): Promise<string> => {
  const folder = join(DATA, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const file = openSync(join(folder, LOCK), "a+");
  // The holder may be about to exit, or may only be checking for leftovers.
  for (let tries = 1; !tryLock(file); tries += 1) {
    if (tries === 10) throw inUse();
    await wait(100);
  }
  ftruncateSync(file);
  writeSync(file, `${process.pid} ${temporary}`);
  return folder;
};

/** Ends processes left by services that were killed together with their watcher. */
export const endLeftovers = async (): Promise<void> => {
  const files = existsSync(DATA) ? readdirSync(DATA).map((name) => join(DATA, name, LOCK)) : [];
  for (const path of files.filter((file) => existsSync(file))) {
    const file = openSync(path, "r+");
    try {
      const holder = tryLock(file) ? readLock(readFileSync(file, "utf8")) : undefined;
      // After a clean exit the temporary folder is gone, and another process group may have the number by now.
      if (!holder || !isTemporary(holder.temporary)) continue;
      await endRuntimes(holder.group);
      rmSync(holder.temporary, { recursive: true, force: true });
    } finally {
      closeSync(file);
    }
  }
};

const endRuntimes = async (group: number): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    const left = runtimesOf(group);
    if (left.length === 0) return;
    if (tries === 100)
      throw new StartError(`Processes ${left} of an earlier start do not exit. Kill them, then start again.`);
    // A process that has exited in the meantime is no error.
    spawnSync("kill", ["-KILL", ...left.map(String)]);
    await wait(50);
  }
};

/** This user's workerd processes in a process group. */
const runtimesOf = (group: number): number[] =>
  // Without `ps` this finds nothing. The port is taken then, and the start reports that.
  (spawnSync("ps", ["-U", userInfo().username, "-o", "pid=,pgid=,comm="], { encoding: "utf8" }).stdout ?? "")
    .split("\n")
    .map((line) => /^ *(\d+) +(\d+) +(?:.*\/)?workerd$/.exec(line.trimEnd()))
    .filter((match) => match !== null && Number(match[2]) === group)
    .map((match) => Number(match?.[1]));
