import { parentPort, workerData } from "node:worker_threads";
import { AlertsError, readAlerts } from "../operate/alerts.ts";
import { bundleWithRules } from "./bundle.ts";

/**
 * Bundles the Worker with the rules of alerts.toml into the folder `workerData`. If that fails, answers with the
 * errors of the rules, or with what wrangler printed.
 */
try {
  bundleWithRules(workerData, readAlerts());
  parentPort?.postMessage(undefined);
} catch (error) {
  const { message, stderr } = error as Error & { stderr?: string };
  parentPort?.postMessage(error instanceof AlertsError ? message : (stderr ?? String(error)));
}
