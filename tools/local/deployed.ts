import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { startNeonEndpoint } from "./neon-endpoint/server.ts";
import { type RuntimeOptions, SETTINGS, startRuntime } from "./runtime.ts";

interface DeployedOptions {
  /** Checkout to bundle. */
  root?: string | undefined;
  settings?: Record<string, string>;
  options?: RuntimeOptions;
}

/** The lines of requests would hide what a failed test prints. */
const printProblem: RuntimeOptions["handleStructuredLogs"] = ({ level, message }) => {
  if (level === "error" || level === "warn") console.error(message);
};

/**
 * Starts the service as deployed, on a database.
 * @param sessions maximum number of database sessions
 * @param role database role of the service
 */
export const startDeployed = async (
  databaseUrl: string,
  sessions: number,
  role: string,
  { root, settings, options }: DeployedOptions = {},
) => {
  const folder = mkdtempSync(join(tmpdir(), "deployed-"));
  bundle(folder, [], root);
  const endpoint = await startNeonEndpoint({ url: databaseUrl, sessions, roles: [role] });
  const { runtime, url } = await startRuntime(
    folder,
    { ...SETTINGS, ...settings, DATABASE_URL: endpoint.urlOf(role) },
    { handleStructuredLogs: printProblem, ...options },
  );
  return {
    url,
    stop: async () => {
      await runtime.dispose();
      await endpoint.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
