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

/** Kept in the folder the service is started from. */
const ROOT = resolve(".data");
/**
 * Names the service that has locked it, by its process group, and the folder of what it keeps outside. The system
 * unlocks it when that process is gone.
 */
const LOCK = "service.pid";

/**
 * Takes a folder of `.data/` for this process, until it is gone; nobody else on the machine may look into it.
 * @param temporary where the process keeps what need not outlive it
 * @throws what `taken` makes when another process has it
 */
export const takeFolder = async (name: string, temporary: string, taken: () => Error): Promise<string> => {
  const folder = join(ROOT, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
  const file = openSync(join(folder, LOCK), "a+");
  // Who had it may be about to end, or only look for leftovers.
  for (let tries = 1; !tryLock(file); tries += 1) {
    if (tries === 10) throw taken();
    await wait(100);
  }
  ftruncateSync(file);
  writeSync(file, `${process.pid} ${temporary}`);
  return folder;
};

/** Ends what services that are gone themselves, killed with what watched over them, have left running. */
export const endLeftovers = async (): Promise<void> => {
  const files = existsSync(ROOT) ? readdirSync(ROOT).map((name) => join(ROOT, name, LOCK)) : [];
  for (const path of files.filter((file) => existsSync(file))) {
    const file = openSync(path, "r+");
    try {
      const [, group, temporary] = (tryLock(file) && /^(\d+) (.+)$/.exec(readFileSync(file, "utf8"))) || [];
      // One that has ended in order has taken its folder along, and its number may be another group's by now.
      if (!temporary || !isTemporary(temporary)) continue;
      await endRuntimes(Number(group));
      rmSync(temporary, { recursive: true, force: true });
    } finally {
      closeSync(file);
    }
  }
};

/** Whether a path is a folder that a start of this user has made for itself: nothing else is ever removed. */
const isTemporary = (path: string): boolean => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return /\/salon-\w{6}$/.test(path) && found?.isDirectory() === true && found.uid === userInfo().uid;
};

const endRuntimes = async (group: number): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    const left = runtimesOf(group);
    if (left.length === 0) return;
    if (tries === 100)
      throw new StartError(`Processes ${left} of an earlier start do not end: end them by hand.`);
    // One that is gone meanwhile is no error.
    spawnSync("kill", ["-KILL", ...left.map(String)]);
    await wait(50);
  }
};

/** This user's Worker runtimes in a process group. */
const runtimesOf = (group: number): number[] =>
  // Where there is no `ps`, nothing is found: the port is taken then, and the start says so.
  (spawnSync("ps", ["-U", userInfo().username, "-o", "pid=,pgid=,comm="], { encoding: "utf8" }).stdout ?? "")
    .split("\n")
    .map((line) => /^ *(\d+) +(\d+) +(?:.*\/)?workerd$/.exec(line.trimEnd()))
    .filter((found) => found !== null && Number(found[2]) === group)
    .map((found) => Number(found?.[1]));
