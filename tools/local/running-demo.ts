import { existsSync, lstatSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import pg from "pg";
import { databaseUrl } from "../arguments.ts";
import { socketIn, socketUrl } from "./tool-socket.ts";

/** Where `npm start` keeps its data, relative to the folder in which it is started. */
export const DATA = resolve(".data");
/** Its folder for the demo warehouse. */
export const DEMO_FOLDER = "demo";
/**
 * A lock file with the process group of the service that holds it, and its temporary folder. The operating system
 * releases the lock when the process exits.
 */
export const LOCK = "service.pid";

/** Reads the content of a lock file. */
export const readLock = (text: string): { group: number; temporary: string } | undefined => {
  const [, group, temporary] = /^(\d+) (.+)$/.exec(text) ?? [];
  return temporary ? { group: Number(group), temporary } : undefined;
};

/** Whether a path is a temporary folder that a start of this user created. No other path is removed or trusted. */
export const isTemporary = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return /\/salon-\w{6}$/.test(path) && stats?.isDirectory() === true && stats.uid === userInfo().uid;
};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The connection string of the demo warehouse that `npm start` serves in this folder. */
const runningDemoUrl = (): string | undefined => {
  const path = join(DATA, DEMO_FOLDER, LOCK);
  const holder = existsSync(path) ? readLock(readFileSync(path, "utf8")) : undefined;
  if (!holder || !isRunning(holder.group) || !isTemporary(holder.temporary)) return undefined;
  return existsSync(socketIn(holder.temporary)) ? socketUrl(holder.temporary) : undefined;
};

/** The database of a connection string, without its password. The driver also reads the environment. */
const placeOf = (url: string): string => {
  const { database, host, port } = new pg.Client({ connectionString: url });
  return `the database ${database} at ${host.startsWith("/") ? host : `${host}:${port}`}`;
};

/**
 * The warehouse that a tool works on: the one of `DATABASE_URL`, else the demo that `npm start` serves in this folder.
 * Says which one on stderr. Exits with the usage if there is none.
 */
export const warehouseUrl = (usage: string): string => {
  const demo = process.env.DATABASE_URL ? undefined : runningDemoUrl();
  const url =
    demo ??
    databaseUrl(
      usage,
      " To use the demo warehouse instead, run `npm start` in another terminal and wait until it prints its base URL.",
    );
  console.error(`Working on ${demo ? "the demo warehouse of `npm start`" : placeOf(url)}.`);
  return url;
};
