import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "..");

/** A refusal of what was typed, told in one line. */
export class UsageError extends Error {}

/** Tells why and ends; 2 is a wrong call, 1 a failure. */
export const fail = (message: string, code: 1 | 2 = 2): never => {
  console.error(message);
  process.exit(code);
};

/** Reads the command line; tells the usage for `--help`, and for what it does not know. */
export const readArguments = <const Config extends ParseArgsConfig>(usage: string, config: Config) => {
  try {
    const read = parseArgs({
      ...config,
      options: { ...config.options, help: { type: "boolean" as const, short: "h" } },
    });
    if ("help" in read.values) {
      console.log(usage);
      process.exit(0);
    }
    // With `help` added, the compiler no longer sees that the options of `Config` are all there.
    return read as unknown as ReturnType<typeof parseArgs<Config>>;
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${usage}`);
  }
};

/** `DATABASE_URL`, which every tool on a database is given. */
export const databaseUrl = (usage: string): string =>
  process.env.DATABASE_URL ||
  fail(`DATABASE_URL is not set: give the connection string of the database.\n\n${usage}`);

/** What a tool asks first whose folder is a package of its own: whether it has been installed. */
export const ensureInstalled = (folder: string): void => {
  if (existsSync(join(folder, "node_modules"))) return;
  const name = relative(ROOT, folder);
  fail(`${name} has packages of its own, not installed yet. In ${ROOT}: npm --prefix ${name} ci`);
};
