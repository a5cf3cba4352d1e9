import { parentPort, workerData } from "node:worker_threads";
import { bundle } from "./bundle.ts";

/** Bundles the Worker into the folder `workerData`. Answers with what wrangler printed if that fails. */
try {
  bundle(workerData);
  parentPort?.postMessage(undefined);
} catch (error) {
  parentPort?.postMessage((error as { stderr?: string }).stderr ?? String(error));
}
