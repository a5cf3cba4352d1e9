import { spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { tryLock } from "fs-native-extensions";
import { StartError } from "./start-error.ts";

/** Relative to the folder in which the service is started. */
const ROOT = resolve(".data");
/**
 * A lock file with the process group of the service that holds it, and its temporary folder. The operating system
 * releases the lock when the process exits.
 */
const LOCK = "service.pid";

/**
 * Locks a folder of `.data/` for this process until it exits. No other user of the machine can read it.
 * @param temporary the process's folder for temporary files
 * @throws the error that `inUse` returns, if another process holds the lock
 */
export const takeFolder = async (name: string, temporary: string, inUse: () => Error): Promise<string> => {
  const folder = join(ROOT, name);
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
  const files = existsSync(ROOT) ? readdirSync(ROOT).map((name) => join(ROOT, name, LOCK)) : [];
  for (const path of files.filter((file) => existsSync(file))) {
    const file = openSync(path, "r+");
    try {
      const [, group, temporary] = (tryLock(file) && /^(\d+) (.+)$/.exec(readFileSync(file, "utf8"))) || [];
      // After a clean exit the temporary folder is gone, and another process group may have the number by now.
      if (!temporary || !isTemporary(temporary)) continue;
      await endRuntimes(Number(group));
      rmSync(temporary, { recursive: true, force: true });
    } finally {
      closeSync(file);
    }
  }
};

/** Whether a path is a temporary folder that a start of this user created. No other path is ever removed. */
const isTemporary = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return /\/salon-\w{6}$/.test(path) && stats?.isDirectory() === true && stats.uid === userInfo().uid;
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
