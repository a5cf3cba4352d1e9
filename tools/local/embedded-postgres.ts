import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

export interface EmbeddedPostgres {
  /** Owner's connection string. One session at a time is served: use it through a pool of one. */
  url: string;
  close(): Promise<void>;
}

/**
 * Starts PGlite behind a loopback socket, so that everything else speaks to it as to any Postgres.
 * @param folder where the data is kept; without one it lives in memory
 */
export const startEmbeddedPostgres = async (folder?: string): Promise<EmbeddedPostgres> => {
  const db = await PGlite.create(folder ?? "memory://");
  const server = new PGLiteSocketServer({ db, host: "127.0.0.1", port: 0, maxConnections: 20 });
  await server.start();
  return {
    url: `postgres://postgres@${server.getServerConn()}/postgres`,
    close: async () => {
      await server.stop();
      await db.close();
    },
  };
};
