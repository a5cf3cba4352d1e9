import cluster from "node:cluster";
import { once } from "node:events";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";

/**
 * The Neon endpoint as processes that share a port, so that one large answer does not hold up all others. `startService`
 * starts it, and reads the port and the process ids.
 */

const PROCESSES = 2;
/** Ten in all, as many as PostgREST has. */
const SESSIONS = 5;

if (cluster.isPrimary) {
  const workers = Array.from({ length: PROCESSES }, () => cluster.fork());
  const ports = await Promise.all(workers.map((worker) => once(worker, "message")));
  console.log(JSON.stringify({ port: ports[0]?.[0], pids: workers.map(({ process }) => process.pid) }));
} else {
  const upstream = { url: process.env.DATABASE_URL ?? "", sessions: SESSIONS, roles: ["salon_api"] };
  const { port } = await startNeonEndpoint(upstream);
  process.send?.(port);
}
