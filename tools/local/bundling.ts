import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { StartError } from "./start-error.ts";

/** Bundles the Worker into a folder in a thread, because the embedded Postgres blocks the main thread. */
export const bundleInThread = (folder: string): Promise<void> => {
  const thread = new Worker(join(import.meta.dirname, "bundle-thread.ts"), { workerData: folder });
  const bundled = once(thread, "message").then(([problem]) => {
    if (problem) throw new StartError(`The Worker could not be bundled:\n${problem}`);
  });
  // The caller may await it later. Until then the error is not unhandled.
  bundled.catch(() => undefined);
  return bundled;
};
