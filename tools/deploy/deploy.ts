import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, readArguments, refuseSwallowed } from "../arguments.ts";
import { commitId } from "../own-git.ts";
import { alertOptions, CONFIG, ROOT, readProductionConfig, WRANGLER } from "../wrangler.ts";

/** Code and source map of each deployment, in a folder named after its version. */
export const VERSIONS = join(ROOT, "dist");

const USAGE = `Deploys the Worker as a new version, and keeps the source map of the version in dist/<version>/.

  npm run deploy [-- --name NAME] [--upload] [--dry-run]

  --name NAME  deploys a second Worker with this name, which shares nothing with production: it has no routes and its
               own KV namespace (default: the Worker in wrangler.toml, production)
  --upload     uploads the version without traffic, for a gradual rollout; the Worker must already be deployed, with
               all its Durable Object migrations
  --dry-run    bundles and keeps the source map, but uploads nothing

The version is the commit id and the time in UTC, to the millisecond. Each log line contains it, and npm run stack reads stacks with its map.`;

/** A label of a `workers.dev` address. */
const WORKER_NAME = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/;
const OPTIONS = {
  name: { type: "string", multiple: true },
  upload: { type: "boolean" },
  "dry-run": { type: "boolean" },
} as const;

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
  const { name: production = "", route, routes, ...shared } = await readProductionConfig();
  if (name === undefined) return { worker: production, config: CONFIG };
  if (name === production) fail(`${name} is production. Deploy it without --name.`);
  const kv_namespaces = shared.kv_namespaces?.map(({ binding }: { binding: string }) => ({ binding }));
  // Invented figures are not for the owner.
  const { SUMMARY_EMAIL, SUMMARY_FROM, ...vars } = shared.vars ?? {};
  const config = join(ROOT, `wrangler.${name}.json`);
  writeFileSync(config, JSON.stringify({ ...shared, vars, name, kv_namespaces, workers_dev: true }));
  return { worker: name, config };
};

/** The commands that give an uploaded version its first traffic. wrangler writes one JSON object a line about itself. */
const nextCommands = (worker: string, isSecond: boolean, report: string): string | undefined => {
  const lines = report.split("\n").filter((line) => line !== "");
  const upload = lines.map((line) => JSON.parse(line)).find(({ type }) => type === "version-upload");
  if (!upload?.version_id) return undefined;
  const name = isSecond ? ` --name ${worker}` : "";
  return `It has no traffic yet. Go on with docs/deploying.md, "Gradual rollout":

NEW=${upload.version_id}
npm run wrangler -- versions deploy "$OLD@100%" "$NEW@0%"${name}`;
};

interface Choices {
  /** Uploads the version without traffic. */
  upload?: boolean | undefined;
  "dry-run"?: boolean | undefined;
}

/** Checks the rules of alerts.toml. Exits with 1 if they are invalid. @returns options for wrangler */
const readAlertOptions = async (): Promise<string[]> => {
  // Imported here, because it is slow.
  const { countOf, readAlertsOrExit } = await import("../operate/alerts.ts");
  const rules = readAlertsOrExit();
  console.log(countOf(rules));
  return alertOptions(rules);
};

/** @param alerts options for wrangler @returns whether wrangler succeeded */
const deploy = (worker: string, config: string, choices: Choices, alerts: string[]): boolean => {
  const time = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 17);
  const version = `${commitId()}-${time}`;
  const folder = join(VERSIONS, version);
  const report = join(folder, "wrangler.jsonl");
  mkdirSync(folder, { recursive: true });
  console.log(`Worker ${worker}`);
  const { status } = spawnSync(
    process.execPath,
    [
      ...[WRANGLER, ...(choices.upload ? ["versions", "upload"] : ["deploy"]), "--config", config],
      // `wrangler versions list` shows the message, so that a log line leads to its version.
      ...["--outdir", folder, "--var", `VERSION:${version}`, "--message", version],
      ...alerts,
      ...(choices["dry-run"] ? ["--dry-run"] : []),
    ],
    {
      cwd: ROOT,
      stdio: "inherit",
      // In Workers Builds, the first variable would replace the name in the configuration.
      env: { ...process.env, WRANGLER_CI_OVERRIDE_NAME: worker, WRANGLER_OUTPUT_FILE_PATH: report },
    },
  );
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return false;
  }
  console.log(`Version ${version}: its source map is in ${folder}.`);
  if (!choices.upload || choices["dry-run"]) return true;
  const next = nextCommands(worker, config !== CONFIG, readFileSync(report, "utf8"));
  if (next === undefined) console.error("wrangler uploaded no version.");
  else console.log(next);
  return next !== undefined;
};

if (import.meta.main) {
  const { values } = readArguments(USAGE, { options: OPTIONS });
  refuseSwallowed("deploy", Object.keys(OPTIONS));
  const name = readName(values.name);
  const alerts = await readAlertOptions();
  const { worker, config } = await chooseWorker(name);
  try {
    if (!deploy(worker, config, values, alerts)) process.exitCode = 1;
  } finally {
    if (config !== CONFIG) rmSync(config, { force: true });
  }
  if (process.exitCode) console.error("The deployment failed. See the errors above.");
}
