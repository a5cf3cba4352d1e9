import { execFileSync, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alertOptions } from "./alert-options.ts";
import { fail, readArguments } from "./arguments.ts";

export const ROOT = join(import.meta.dirname, "..");
/** Code and source map of each deployment, in a folder named after its version. */
export const VERSIONS = join(ROOT, "dist");

const USAGE = `Deploys the Worker as a new version, and keeps the source map of the version in dist/<version>/.

  npm run deploy [-- --name NAME] [--dry-run]

  --name NAME  deploys a second Worker with this name, which shares nothing with production: it has no routes and its
               own KV namespace (default: the Worker in wrangler.toml, production)
  --dry-run    bundles and keeps the source map, but uploads nothing

The version is the commit id and the time in UTC, to the millisecond. Each log line contains it, and npm run stack reads stacks with its map.`;

/** The commit id, with `-dirty` if files differ from it. */
const commit = (): string => {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty", "--exclude=*"], {
      cwd: ROOT,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "no-commit";
  }
};

const CONFIG = join(ROOT, "wrangler.toml");
/** A label of a `workers.dev` address. */
const WORKER_NAME = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;
const OPTIONS = { name: { type: "string", multiple: true }, "dry-run": { type: "boolean" } } as const;

/** Without `--` before them, npm takes the options for itself, and this would deploy production. */
const refuseSwallowed = (): void => {
  for (const option of Object.keys(OPTIONS)) {
    const value = process.env[`npm_config_${option.replace("-", "_")}`];
    if (value && value !== "false")
      fail(`npm took --${option} for itself. Write -- before it: npm run deploy -- --${option}`);
  }
};

const readName = (names: string[] = []): string | undefined => {
  const [name] = names;
  if (names.length > 1) fail(`--name must be given only once.\n\n${USAGE}`);
  if (name !== undefined && !WORKER_NAME.test(name))
    fail(
      `--name must have 1 to 63 lower-case letters, digits and dashes, without a dash at its ends; got "${name}".`,
    );
  return name;
};

/**
 * Chooses the Worker to deploy.
 * @param name of a second Worker. Its configuration is that of production without what only production may own, in a
 *   file next to wrangler.toml, because paths in it are relative
 * @returns its name, and the configuration for wrangler
 */
const chooseWorker = async (name?: string): Promise<{ worker: string; config: string }> => {
  const { experimental_readRawConfig: readConfig } = await import("wrangler");
  const { name: production = "", route, routes, ...shared } = readConfig({ config: CONFIG }).rawConfig;
  if (name === undefined) return { worker: production, config: CONFIG };
  if (name === production) fail(`${name} is production. Deploy it without --name.`);
  const kv_namespaces = shared.kv_namespaces?.map(({ binding }: { binding: string }) => ({ binding }));
  const config = join(ROOT, `wrangler.${name}.json`);
  writeFileSync(config, JSON.stringify({ ...shared, name, kv_namespaces, workers_dev: true }));
  return { worker: name, config };
};

/** Checks the rules of alerts.toml. Exits with 1 if they are invalid. @returns options for wrangler */
const readAlertOptions = async (): Promise<string[]> => {
  // Imported here, because it is slow.
  const { countOf, readAlertsOrExit } = await import("./alerts.ts");
  const rules = readAlertsOrExit();
  console.log(countOf(rules));
  return alertOptions(rules);
};

/** @returns whether wrangler succeeded */
const deploy = (worker: string, config: string, isDryRun: boolean, alerts: string[]): boolean => {
  const time = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 17);
  const version = `${commit()}-${time}`;
  const folder = join(VERSIONS, version);
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  console.log(`Worker ${worker}`);
  const { status } = spawnSync(
    process.execPath,
    [
      ...[wrangler, "deploy", "--config", config, "--outdir", folder, "--var", `VERSION:${version}`],
      ...alerts,
      ...(isDryRun ? ["--dry-run"] : []),
    ],
    // In Workers Builds, this variable would replace the name in the configuration.
    { cwd: ROOT, stdio: "inherit", env: { ...process.env, WRANGLER_CI_OVERRIDE_NAME: worker } },
  );
  if (status === 0) console.log(`Version ${version}: its source map is in ${folder}.`);
  else rmSync(folder, { recursive: true, force: true });
  return status === 0;
};

if (import.meta.main) {
  const { values } = readArguments(USAGE, { options: OPTIONS });
  refuseSwallowed();
  const name = readName(values.name);
  const alerts = await readAlertOptions();
  const { worker, config } = await chooseWorker(name);
  try {
    if (!deploy(worker, config, values["dry-run"] === true, alerts)) process.exitCode = 1;
  } finally {
    if (config !== CONFIG) rmSync(config, { force: true });
  }
  if (process.exitCode) console.error("The deployment failed. See the errors above.");
}
