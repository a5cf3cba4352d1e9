import { Refusal } from "../../core/errors.ts";
import type { AlertRule } from "./alert-rule.ts";
import type { FoundProblem } from "./problems.ts";
import { askReport } from "./reports.ts";

/** `npm run deploy` and `npm start` define it. It is undefined without a rule, and in tests. */
declare const ALERT_RULES: AlertRule[] | undefined;
const RULES = typeof ALERT_RULES === "undefined" ? [] : ALERT_RULES;

interface Found {
  problems: FoundProblem[];
  /** The first error other than a 400. */
  failure?: unknown;
}

/** Checks one rule. A null figure, the average of nothing, is not a problem. */
const checkRule = async (env: Env, at: number, rule: AlertRule): Promise<Found> => {
  const { name, path, measure, above, below } = rule;
  try {
    const { totais } = JSON.parse(await askReport(env, at, path)) as {
      totais: Record<string, number | null>;
    };
    const value = totais[measure] ?? null;
    const figure = { kind: "figure", name, since: null } as const;
    if (value === null) return { problems: [] };
    if (above !== undefined && value > above) return { problems: [{ ...figure, value, above }] };
    if (below !== undefined && value < below) return { problems: [{ ...figure, value, below }] };
    return { problems: [] };
  } catch (error) {
    const status = error instanceof Refusal ? error.status : 500;
    const problems: FoundProblem[] = [{ kind: "rule", name, since: null, status }];
    return status === 400 ? { problems } : { problems, failure: error };
  }
};

/** Asks the question of each rule as of an instant, one after another (W3). @param at epoch milliseconds */
export const checkRules = async (env: Env, at: number): Promise<Found> => {
  const found: Found = { problems: [] };
  for (const rule of RULES) {
    const { problems, failure } = await checkRule(env, at, rule);
    found.problems.push(...problems);
    found.failure ??= failure;
  }
  return found;
};
