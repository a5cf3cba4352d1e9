import { Socket } from "node:net";
import { parentPort } from "node:worker_threads";

const PATIENCE_MS = 5000;

/**
 * Tells the service that who started it is gone, and ends its whole process group when it does not end by itself. A
 * thread of its own, as a statement of the embedded Postgres blocks the one it runs in.
 */
new Socket({ fd: 0 }).resume().once("close", () => {
  parentPort?.postMessage("end");
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), PATIENCE_MS);
});
