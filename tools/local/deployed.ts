import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNeonEndpoint } from "./neon-endpoint/server.ts";
import { bundle, SETTINGS, startRuntime } from "./runtime.ts";

/**
 * The service as it is deployed, on a database, until it is stopped.
 * @param sessions it may have at once
 * @param role that it signs in as
 * @param root of the checkout it is bundled from
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
