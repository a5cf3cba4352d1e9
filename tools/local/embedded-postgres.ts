import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";

const PORT = 5432;

export interface EmbeddedPostgres {
  /** Owner's connection string. One session at a time is served: use it through a pool of one. */
  url: string;
  /** Its files, from which others like it can start. */
  dump(): Promise<Blob>;
  close(): Promise<void>;
}

/**
 * Starts PGlite behind a socket, so that everything else speaks to it as to any Postgres. It asks nobody for a
 * password: the socket is a file in a folder that only this user may enter.
 * @param folder where the data is kept; without one it lives in memory
 * @param files of another one, to start from
 */
export const startEmbeddedPostgres = async (folder?: string, files?: Blob): Promise<EmbeddedPostgres> => {
  const db = await PGlite.create(folder ?? "memory://", files ? { loadDataDir: files } : {});
  const sockets = mkdtempSync(join(tmpdir(), "postgres-"));
  const path = join(sockets, `.s.PGSQL.${PORT}`);
  const server = new PGLiteSocketServer({ db, path, maxConnections: 20 });
  await server.start();
  return {
    url: `postgres://postgres@${encodeURIComponent(sockets)}:${PORT}/postgres`,
    dump: () => db.dumpDataDir("none"),
    close: async () => {
      await server.stop();
      await db.close();
      rmSync(sockets, { recursive: true, force: true });
    },
  };
};
