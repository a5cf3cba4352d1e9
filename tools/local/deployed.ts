import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNeonEndpoint } from "./neon-endpoint/server.ts";
import { bundle, SETTINGS, startRuntime } from "./runtime.ts";

/**
 * Starts the service as deployed, on a database.
 * @param sessions maximum number of database sessions
 * @param role database role of the service
 * @param root checkout to bundle
 */
export const startDeployed = async (databaseUrl: string, sessions: number, role: string, root?: string) => {
  const folder = mkdtempSync(join(tmpdir(), "deployed-"));
  bundle(folder, [], root);
  const endpoint = await startNeonEndpoint({ url: databaseUrl, sessions, roles: [role] });
  const { runtime, url } = await startRuntime(folder, {
    ...SETTINGS,
    DATABASE_URL: endpoint.urlOf(role),
  });
  return {
    url,
    stop: async () => {
      await runtime.dispose();
      await endpoint.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
