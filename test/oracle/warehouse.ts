import pg from "pg";
import { verifySums } from "../../tools/warehouse/verify.ts";
import { openMigrated } from "../support/node/databases.ts";
import { fillGoals, fillSmallTables, fillTablesWithRollups, restartKeys } from "./rows.ts";

/** The ways a loader's transaction is aborted. `owner` is a session that can terminate the loader's. */
export const ABORTS: [how: string, end: (loader: pg.Client, owner: pg.Client) => Promise<unknown>][] = [
  ["is rolled back", (loader) => loader.query("rollback")],
  [
    "crashes",
    async (loader, owner) => {
      loader.on("error", () => undefined);
      const { rows } = await loader.query("select pg_backend_pid() as pid");
      await owner.query("select pg_terminate_backend($1, 5000)", [rows[0].pid]);
    },
  ],
];

/** Opens a new database with random rows of a seed. */
export const openWarehouse = async (seed: number) => {
  restartKeys();
  const database = await openMigrated(process.env.TEST_DATABASE_URL);
  const connections: pg.Client[] = [];
  const connect = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    connections.push(client);
    return client;
  };
  const db = await connect();
  await db.query("set timezone = 'UTC'");
  await fillSmallTables(db);
  await fillGoals(db);
  await fillTablesWithRollups(db, seed);
  return {
    url: database.url,
    db,
    connect,
    /** The facts and rollups that differ from their tables. */
    differingSums: async () => {
      const findings = await verifySums(database.url, { repair: false, report: () => undefined });
      return findings.filter(({ differences }) => differences > 0);
    },
    close: async () => {
      await Promise.all(connections.map((client) => client.end()));
      await database.close();
    },
  };
};

export type Warehouse = Awaited<ReturnType<typeof openWarehouse>>;
