import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fail } from "../arguments.ts";
import { ROOT, readProductionConfig, WRANGLER } from "../wrangler.ts";

const VERSION_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** A key of a structured header begins with a letter. Cloudflare ignores a header that is not valid. */
const WORKER_NAME = /^[a-z][a-z\d-]*$/;

/** The versions of the current deployment, as wrangler reads them from Cloudflare. */
const deployedVersions = async (worker: string): Promise<string[]> => {
  const args = [WRANGLER, "deployments", "status", "--json", "--name", worker];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(
    ({ stdout: printed, stderr }: { stdout: string; stderr: string }) =>
      fail(`wrangler could not read the current deployment of ${worker}:\n${stderr}${printed}`, 1),
  );
  const { versions } = JSON.parse(stdout) as { versions: { version_id: string }[] };
  return versions.map(({ version_id }) => version_id);
};

/**
 * The header that sends a request to one version of the current deployment. Cloudflare ignores it for any other
 * version, so this exits if the version is not deployed.
 * @param name of the Worker, if it is not production
 */
export const headersForVersion = async (version: string, name?: string): Promise<Record<string, string>> => {
  if (!VERSION_ID.test(version))
    fail(`--version-id must be the id that npm run deploy -- --upload printed; got "${version}".`);
  const worker = name ?? (await readProductionConfig()).name ?? "";
  if (!WORKER_NAME.test(worker))
    fail(`--name must be the name of a Worker that begins with a letter; got "${worker}".`);
  if (!(await deployedVersions(worker)).includes(version))
    fail(
      `The current deployment of ${worker} does not have version ${version}. Add it with 0 %: docs/deploying.md, "Gradual rollout".`,
      1,
    );
  return { "Cloudflare-Workers-Version-Overrides": `${worker}="${version}"` };
};
