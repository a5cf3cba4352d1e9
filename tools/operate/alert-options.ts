import type { AlertRule } from "../../src/extensions/watch/alert-rule.ts";

/** Options for wrangler, which replaces the name in the code of the Worker. */
export const alertOptions = (rules: AlertRule[]): string[] =>
  rules.length === 0 ? [] : ["--define", `ALERT_RULES:${JSON.stringify(rules)}`];
