import { Socket } from "node:net";
import { parentPort } from "node:worker_threads";

const PATIENCE_MS = 5000;

/**
 * Tells the service when its parent has exited, and kills the process group if the service does not exit in time.
 * Runs in its own thread, because a statement of the embedded Postgres blocks the main thread.
 */
new Socket({ fd: 0 }).resume().once("close", () => {
  parentPort?.postMessage("end");
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), PATIENCE_MS);
});
