import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fail, readArguments } from "./arguments.ts";

export const ROOT = join(import.meta.dirname, "..");
/** Code and source map of each deployment, in a folder named after its version. */
export const VERSIONS = join(ROOT, "dist");

const USAGE = `Deploys the Worker under a version of its own, and keeps the source map of that version in dist/<version>/.

  npm run deploy [-- --env NAME] [--dry-run]

  --env NAME   the environment of wrangler.toml (default: the one without a name)
  --dry-run    bundles and keeps, and uploads nothing

The version is the commit and the time. Log lines name it; npm run stack reads their stacks through the map.`;

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
    fail("Not deployed: see above.", 1);
  }
  console.log(`Version ${version}: its source map is in ${folder}.`);
};

if (import.meta.main) {
  const { values } = readArguments(USAGE, {
    options: { env: { type: "string" }, "dry-run": { type: "boolean", default: false } },
  });
  deploy([...(values.env ? ["--env", values.env] : []), ...(values["dry-run"] ? ["--dry-run"] : [])]);
}
