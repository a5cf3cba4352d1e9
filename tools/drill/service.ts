import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { bundle } from "../local/bundle.ts";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";
import { SETTINGS, startRuntime } from "../local/runtime.ts";
import { tokens } from "../local/tokens.ts";
import { addUser } from "../users.ts";
import { temporaryDatabase } from "../warehouse/databases.ts";
import { generateWarehouse } from "../warehouse/generate.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { ACCOUNT, type Captured, createClient } from "./client.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { watchMemory } from "./memory.ts";

/**
 * Bundles a Worker and runs it with its own storage in a folder.
 * @param bindings settings in addition to those of every local runtime
 * @param options for wrangler
 */
export const serve = async (
  folder: string,
  bindings: { DATABASE_URL: string } & Record<string, string>,
  captured: Captured,
  options: string[] = [],
) => {
  bundle(folder, options);
  const { runtime, url } = await startRuntime(
    folder,
    { ...SETTINGS, ...bindings },
    // The inspectors are needed to read the memory of the isolates.
    { inspectorPort: 0, handleStructuredLogs: ({ message }) => captured.texts.push(message) },
  );
  const client = createClient((path, init) => fetch(url.origin + path, init), captured);
  const read = async () => {
    const [Authorization = ""] = await tokens(1);
    return client.ask("/v1/estabelecimentos", { headers: { Authorization } });
  };
  return {
    url,
    client,
    memory: watchMemory(runtime, read),
    storage: join(folder, "storage"),
    stop: () => runtime.dispose(),
  };
};

/**
 * The service as deployed, on its own warehouse, behind a network that fails on demand, and a client.
 * @param server connection string of a PostgreSQL server on which to create a database
 */
export const startService = async (server: string, visits: number) => {
  const folder = mkdtempSync(join(tmpdir(), "drill-"));
  const database = await temporaryDatabase(server, "drill");
  await migrateWarehouse(database.url);
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await generateWarehouse(owner, { visits });
  await addUser(owner, ACCOUNT);
  const endpoint = await startNeonEndpoint({ url: database.url, sessions: 10, roles: ["salon_api"] });
  const proxy = await startFaultProxy(endpoint.port);
  const databaseUrl = endpoint.urlOf("salon_api").replace(`:${endpoint.port}/`, `:${proxy.port}/`);
  const captured: Captured = { texts: [], issued: [] };
  const runs = join(folder, "service");
  const { client, url, memory, stop } = await serve(runs, { DATABASE_URL: databaseUrl }, captured);

  return {
    ...client,
    url,
    captured,
    proxy,
    owner,
    ownerUrl: database.url,
    /** The service's `DATABASE_URL`, for starting another service on the same database. */
    databaseUrl,
    folder,
    memory,
    /** `Authorization` values of a hundred users, valid for 15 minutes. */
    readers: async () => {
      const authorizations = await tokens(100);
      captured.issued.push(...authorizations.map((one) => one.slice("Bearer ".length)));
      return authorizations;
    },
    /** Names and contents of everything that Durable Objects and KV stored, in all drills. */
    stored: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(({ parentPath }) => parentPath.includes("storage"))
        .map((entry) => ({
          name: entry.name,
          content: entry.isFile() ? readFileSync(join(entry.parentPath, entry.name)) : Buffer.alloc(0),
        })),
    bundled: () => readFileSync(join(runs, "bundle", "index.js"), "utf8"),
    stop: async () => {
      await stop();
      await proxy.close();
      await endpoint.close();
      await owner.end();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export type Service = Awaited<ReturnType<typeof startService>>;
