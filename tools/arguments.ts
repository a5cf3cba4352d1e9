import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type ParseArgsConfig, parseArgs } from "node:util";

const ROOT = join(import.meta.dirname, "..");

/** An error in the arguments. Its message is one line for the user. */
export class UsageError extends Error {}

/** Prints a message and exits: 2 for wrong arguments, 1 for a failure. */
export const fail = (message: string, code: 1 | 2 = 2): never => {
  console.error(message);
  process.exit(code);
};

/** Parses the command line. Prints the usage for `--help` and for unknown arguments, and exits. */
export const readArguments = <const Config extends ParseArgsConfig>(usage: string, config: Config) => {
  try {
    const parsed = parseArgs({
      ...config,
      options: { ...config.options, help: { type: "boolean" as const, short: "h" } },
    });
    if ("help" in parsed.values) {
      console.log(usage);
      process.exit(0);
    }
    // Adding `help` hides from the compiler that the options of `Config` are complete.
    return parsed as unknown as ReturnType<typeof parseArgs<Config>>;
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${usage}`);
  }
};

/** Without `--` before them, npm takes options for itself, and the script runs without them. It then exits with 2. */
export const refuseSwallowed = (script: string, options: string[]): void => {
  for (const option of options) {
    const value = process.env[`npm_config_${option.replaceAll("-", "_")}`];
    if (value && value !== "false")
      fail(`npm took --${option} for itself. Write -- before it: npm run ${script} -- --${option}`);
  }
};

export const isPostgresUrl = (url: string): boolean =>
  /^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? "");

/**
 * Reads `DATABASE_URL`. Exits with the usage if it is not set.
 * @param hint what else the user can do
 */
export const databaseUrl = (usage: string, hint = ""): string => {
  const url = process.env.DATABASE_URL;
  if (!url)
    return fail(
      `DATABASE_URL is not set. Set it to the connection string of the database.${hint}\n\n${usage}`,
    );
  if (!isPostgresUrl(url)) fail("DATABASE_URL must look like postgres://user:password@host:5432/database.");
  return url;
};

/** Exits with an install command if the packages of a tool's own folder are missing. */
export const ensureInstalled = (folder: string): void => {
  if (existsSync(join(folder, "node_modules"))) return;
  const name = relative(ROOT, folder);
  fail(`The packages of ${name} are not installed. In ${ROOT}, run: npm --prefix ${name} ci`);
};
