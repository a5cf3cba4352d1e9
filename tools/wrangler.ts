import { join } from "node:path";
import type { AlertRule } from "../src/extensions/watch/alert-rule.ts";

export const ROOT = join(import.meta.dirname, "..");
export const WRANGLER = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
/** The configuration of production. */
export const CONFIG = join(ROOT, "wrangler.toml");

/** Reads the configuration of production as it is written. Loads wrangler, which is slow. */
export const readProductionConfig = async () => {
  const { experimental_readRawConfig: readConfig } = await import("wrangler");
  return readConfig({ config: CONFIG }).rawConfig;
};

/** Options for wrangler, which replaces the name in the code of the Worker. */
export const alertOptions = (rules: AlertRule[]): string[] =>
  rules.length === 0 ? [] : ["--define", `ALERT_RULES:${JSON.stringify(rules)}`];
