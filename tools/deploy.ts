import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fail, readArguments } from "./arguments.ts";

export const ROOT = join(import.meta.dirname, "..");
/** Code and source map of each deployment, in a folder named after its version. */
export const VERSIONS = join(ROOT, "dist");

const USAGE = `Deploys the Worker as a new version, and keeps the source map of the version in dist/<version>/.

  npm run deploy [-- --env NAME] [--dry-run]

  --env NAME   the environment in wrangler.toml (default: the top-level one)
  --dry-run    bundles and keeps the source map, but uploads nothing

The version is the commit id and the time. Each log line contains it, and npm run stack reads stacks with its map.`;

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

const deploy = (options: string[]): void => {
  const time = new Date().toISOString().replaceAll(/\D/g, "").slice(0, 14);
  const version = `${commit()}-${time}`;
  const folder = join(VERSIONS, version);
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const { status } = spawnSync(
    process.execPath,
    [wrangler, "deploy", "--outdir", folder, "--var", `VERSION:${version}`, ...options],
    { cwd: ROOT, stdio: "inherit" },
  );
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    fail("The deployment failed. See the errors above.", 1);
  }
  console.log(`Version ${version}: its source map is in ${folder}.`);
};

if (import.meta.main) {
  const { values } = readArguments(USAGE, {
    options: { env: { type: "string" }, "dry-run": { type: "boolean", default: false } },
  });
  deploy([...(values.env ? ["--env", values.env] : []), ...(values["dry-run"] ? ["--dry-run"] : [])]);
}
