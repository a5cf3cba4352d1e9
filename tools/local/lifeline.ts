import { Socket } from "node:net";
import { parentPort } from "node:worker_threads";

// On a busy machine, the embedded Postgres may need seconds to close.
const PATIENCE_MS = 15_000;

/**
 * Tells the service when its parent has exited, and kills the process group if the service does not exit in time.
 * Runs in its own thread, because a statement of the embedded Postgres blocks the main thread.
 */
new Socket({ fd: 0 }).resume().once("close", () => {
  parentPort?.postMessage("end");
  setTimeout(() => process.kill(-process.pid, "SIGKILL"), PATIENCE_MS);
});
