import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { socketIn, socketUrl } from "./tool-socket.ts";

export interface EmbeddedPostgres {
  /** Connection string of the owner. PGlite serves one session at a time: use a pool of one. */
  url: string;
  /** The path of its Unix socket. */
  socket: string;
  /** Its data files, for starting a copy of it. */
  dump(): Promise<Blob>;
  close(): Promise<void>;
}

/**
 * Starts PGlite behind a Unix socket, so that ordinary Postgres clients can connect. There is no password: only this
 * user can enter the socket's folder.
 * @param folder data folder; without it, the data is in memory
 * @param files dump of another instance to start from
 */
export const startEmbeddedPostgres = async (folder?: string, files?: Blob): Promise<EmbeddedPostgres> => {
  const db = await PGlite.create(folder ?? "memory://", files ? { loadDataDir: files } : {});
  const sockets = mkdtempSync(join(tmpdir(), "postgres-"));
  const socket = socketIn(sockets);
  const server = new PGLiteSocketServer({ db, path: socket, maxConnections: 20 });
  await server.start();
  return {
    url: socketUrl(sockets),
    socket,
    dump: () => db.dumpDataDir("none"),
    close: async () => {
      await server.stop();
      await db.close();
      rmSync(sockets, { recursive: true, force: true });
    },
  };
};
