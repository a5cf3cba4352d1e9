import { type ParseArgsConfig, parseArgs } from "node:util";

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
