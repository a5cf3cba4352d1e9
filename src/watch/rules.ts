import { Refusal } from "../core/errors.ts";
import type { AlertRule } from "./alert-rule.ts";
import type { FoundProblem } from "./problems.ts";
import { askReport } from "./reports.ts";

/** `npm run deploy` and `npm start` define it. It is undefined without a rule, and in tests. */
declare const ALERT_RULES: AlertRule[] | undefined;
const RULES = typeof ALERT_RULES === "undefined" ? [] : ALERT_RULES;

/** What a rule finds. An average of nothing is null, which is no problem. */
const checkRule = async (env: Env, at: number, rule: AlertRule): Promise<FoundProblem[]> => {
  const { name, path, measure, above, below } = rule;
  try {
    const { totais } = JSON.parse(await askReport(env, at, path)) as {
      totais: Record<string, number | null>;
    };
    const value = totais[measure] ?? null;
    if (value === null) return [];
    if (above !== undefined && value > above) return [{ kind: "figure", name, since: null, value, above }];
    if (below !== undefined && value < below) return [{ kind: "figure", name, since: null, value, below }];
    return [];
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 500;
    return [{ kind: "rule", name, since: null, status }];
  }
};

/** Asks the question of each rule as of an instant, one after another (W3). @param at epoch milliseconds */
export const checkRules = async (env: Env, at: number): Promise<FoundProblem[]> => {
  const found: FoundProblem[] = [];
  for (const rule of RULES) found.push(...(await checkRule(env, at, rule)));
  return found;
};
